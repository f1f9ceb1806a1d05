package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// makeNotes writes the part of CHANGELOG.md that is about this version. Version 0.0.0 is no release and has none.
func (r *release) makeNotes() error {
	if r.source.version == "0.0.0" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	notes, err := changesOf(string(text), r.source.version)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "NOTES.md"), []byte(notes), 0o666)
}

// changesOf returns what is below the heading of a version. A release candidate has the changes of its release.
func changesOf(changelog, version string) (string, error) {
	version, _, _ = strings.Cut(version, "-")
	found := false
	var b strings.Builder
	for line := range strings.Lines(changelog) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			if found {
				break
			}
			found = strings.Trim(strings.Fields(heading)[0], "[]") == version
			continue
		}
		if found {
			b.WriteString(line)
		}
	}
	if notes := strings.TrimSpace(b.String()); notes != "" {
		return notes + "\n", nil
	}
	return "", fmt.Errorf("CHANGELOG.md has no changes of %s", version)
}
