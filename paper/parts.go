package paper

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// part is a step of an experiment that is kept until the section is done, so that an interrupted run goes on after it.
type part[T any] struct {
	Command string // of the section; another one makes the part anew
	Took    taken
	Value   T
}

// kept returns the value of a part, from an earlier run if there is one. The value must survive JSON.
func kept[T any](sh *sheet, key string, make func() (T, error)) (T, error) {
	if sh.parts == "" {
		return make()
	}
	path := filepath.Join(sh.parts, strings.ReplaceAll(key, "/", " by ")+".json")
	var p part[T]
	if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &p) == nil && p.Command == sh.Command {
		sh.add(p.Took)
		return p.Value, nil
	}
	start := now()
	v, err := make()
	if err != nil {
		return v, err
	}
	data, err := json.Marshal(part[T]{sh.Command, start.until(now()), v})
	if err != nil {
		return v, err
	}
	if err := os.MkdirAll(sh.parts, 0o755); err != nil {
		return v, err
	}
	return v, replaceFile(path, data)
}

// replaceFile writes a file that is there whole or not at all.
func replaceFile(path string, data []byte) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, data, 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
