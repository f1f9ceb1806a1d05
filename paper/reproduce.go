package paper

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// Select returns the experiments with the given names, or all if there are no names. Without a folder of data,
// experiments that need one are left out; naming one is an error. So is an unknown name.
func Select(names []string, data bool) ([]Experiment, error) {
	var out []Experiment
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	for _, e := range Experiments() {
		if len(names) > 0 && !wanted[e.Name] {
			continue
		}
		if e.NeedsData && !data {
			if wanted[e.Name] {
				return nil, fmt.Errorf("%s needs --data", e.Name)
			}
			continue
		}
		delete(wanted, e.Name)
		out = append(out, e)
	}
	for n := range wanted {
		return nil, fmt.Errorf("no experiment is named %q", n)
	}
	return out, nil
}

// Reproduce runs experiments and writes report.html to the folder. It keeps each finished section in the subfolder
// sections, and the parts of an unfinished one in the subfolder parts. Sections of earlier runs are part of the page.
// They are only made again if again is set.
func Reproduce(ctx context.Context, s Setting, experiments []Experiment, folder string, again bool) error {
	sections := filepath.Join(folder, "sections")
	if err := os.MkdirAll(sections, 0o755); err != nil {
		return err
	}
	for _, e := range experiments {
		path := filepath.Join(sections, e.Name+".json")
		if _, err := os.Stat(path); err == nil && !again {
			continue
		}
		s.Log("%s", e.Title)
		s.Parts = filepath.Join(folder, "parts", e.Name)
		section, err := e.makeSection(ctx, s)
		if err != nil {
			return err
		}
		data, err := json.Marshal(section)
		if err != nil {
			return err
		}
		if err := replaceFile(path, data); err != nil {
			return err
		}
		if err := os.RemoveAll(s.Parts); err != nil {
			return err
		}
		if err := s.writePage(folder); err != nil {
			return err
		}
	}
	return s.writePage(folder)
}

// command returns the command that makes the page, as the page states it.
func (s Setting) command() string {
	c := "go -C paper run ./cmd/blorc-paper -o ../out"
	if s.Page {
		c += " --page"
	} else {
		c += fmt.Sprintf(" --effort %g", s.Effort)
	}
	if s.Data != "" {
		c += " --data DIR"
	}
	return c
}

// writePage writes the page with all sections of the folder, in the order of the experiments.
func (s Setting) writePage(folder string) error {
	p := report.Page{Title: "The BLORC paper, reproduced", Machine: machine(),
		Date:    time.Now().UTC().Format("2 January 2006"),
		Command: s.command()}
	for _, e := range Experiments() {
		data, err := os.ReadFile(filepath.Join(folder, "sections", e.Name+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		var section report.Section
		if err := json.Unmarshal(data, &section); err != nil {
			return fmt.Errorf("section %s: %w", e.Name, err)
		}
		p.Sections = append(p.Sections, section)
	}
	var page bytes.Buffer
	if err := p.Write(&page); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "report.html"), page.Bytes(), 0o644)
}

// machine describes the computer, as far as the system tells.
func machine() string {
	name := runtime.GOARCH
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d processors, %s, %s", name, runtime.NumCPU(), runtime.GOOS, runtime.Version())
}
