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
	python, err := pythonVersion(r.source.version)
	if err != nil {
		return err
	}
	wheels := template.FuncMap{"wheel": func(target string) (wheelFile, error) { return r.wheelFile(target, python) }}
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
		parsed, err := template.New(path).Funcs(wheels).Option("missingkey=error").Parse(string(text))
		if err != nil {
			return err
		}
		data := map[string]any{"Version": r.source.version, "PythonVersion": python, "Repository": repository,
			"Sums": sums}
		err = create(filepath.Join(r.out, filepath.Base(path)), func(w io.Writer) error {
			return parsed.Execute(w, data)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// wheelFile is what a manifest says of a wheel.
type wheelFile struct{ Name, Sum string }

func (r *release) wheelFile(name, version string) (wheelFile, error) {
	system, arch, _ := strings.Cut(name, "/")
	path := r.wheelPath(target{system, arch}, version)
	sum, err := sha256File(path)
	return wheelFile{filepath.Base(path), sum}, err
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
