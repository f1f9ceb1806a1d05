package paper

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// part is the result of one step of an experiment. It is kept in a file until the section is done, so that an
// interrupted run need not repeat the step.
type part[T any] struct {
	Command string // of the section; the part is only valid for the same command
	Took    timing
	Value   T
}

// cached returns the value of the step with the given key. If an earlier run left the value, cached reads it; otherwise
// it computes the value and keeps it. The value must survive JSON.
func cached[T any](sec *sectionBuilder, key string, compute func() (T, error)) (T, error) {
	if sec.parts == "" {
		return compute()
	}
	path := filepath.Join(sec.parts, strings.ReplaceAll(key, "/", " by ")+".json")
	var p part[T]
	if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &p) == nil && p.Command == sec.Command {
		sec.add(p.Took)
		return p.Value, nil
	}
	start := now()
	v, err := compute()
	if err != nil {
		return v, err
	}
	data, err := json.Marshal(part[T]{sec.Command, start.until(now()), v})
	if err != nil {
		return v, err
	}
	if err := os.MkdirAll(sec.parts, 0o755); err != nil {
		return v, err
	}
	return v, replaceFile(path, data)
}

// replaceFile writes a file such that an interruption leaves either all of it or the file that was there before.
func replaceFile(path string, data []byte) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, data, 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
