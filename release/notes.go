package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checkSource makes sure, before the long work, that the source has what its version needs: changes, and its own image
// in the Kubernetes sample. Version 0.0.0 is no release and needs nothing.
func (r *release) checkSource() error {
	if _, err := pythonVersion(r.source.version); err != nil {
		return err
	}
	if r.source.version == "0.0.0" {
		return nil
	}
	changelog, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	sample, err := os.ReadFile(filepath.Join(r.root, "contrib", "kubernetes", "denoise.yaml"))
	if err != nil {
		return err
	}
	r.notes, err = changesOf(string(changelog), r.source.version)
	return errors.Join(err, checkSample(string(sample), r.source.version))
}

// makeNotes writes the text of the release.
func (r *release) makeNotes() error {
	if r.notes == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(r.out, "NOTES.md"), []byte(r.notes), 0o666)
}

// checkSample checks that the Kubernetes sample uses the image of a version. It need not use that of a release
// candidate.
func checkSample(sample, version string) error {
	if !strings.Contains(version, "-") && !strings.Contains(sample, "/"+name+":"+version+"\n") {
		return fmt.Errorf("contrib/kubernetes/denoise.yaml does not use the image of version %s", version)
	}
	return nil
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
			words := strings.Fields(heading)
			found = len(words) > 0 && strings.Trim(words[0], "[]") == version
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
