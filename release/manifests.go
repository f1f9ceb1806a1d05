package main

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// makeManifests fills the templates with version and checksums. A manifest that needs an archive that was not made is
// left out.
func (r *release) makeManifests() error {
	sums := map[string]string{}
	for _, t := range r.targets {
		suffix := ".tar.gz"
		if t.os == "windows" {
			suffix = ".zip"
		}
		sum, err := sha256File(r.artefact(t, suffix))
		if err != nil {
			return err
		}
		sums[t.String()] = sum
	}
	names, err := fs.Glob(templates, "templates/*")
	if err != nil {
		return err
	}
	for _, path := range names {
		text, err := fs.ReadFile(templates, path)
		if err != nil {
			return err
		}
		if !complete(string(text), sums) {
			continue
		}
		parsed, err := template.New(path).Option("missingkey=error").Parse(string(text))
		if err != nil {
			return err
		}
		data := map[string]any{"Version": r.source.version, "Repository": repository, "Sums": sums}
		err = create(filepath.Join(r.out, filepath.Base(path)), func(w io.Writer) error {
			return parsed.Execute(w, data)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// complete tells whether there is a checksum for every target that a template names.
func complete(text string, sums map[string]string) bool {
	for _, t := range allTargets {
		if _, ok := sums[t.String()]; !ok && strings.Contains(text, fmt.Sprintf("%q", t)) {
			return false
		}
	}
	return true
}
