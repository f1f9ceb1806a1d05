package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A module is a part of the program that comes from elsewhere.
type module struct {
	path, version, sum string
	licence            string // SPDX expression
	texts              []string
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// collectLicences finds the licences of all modules and writes their texts into one file. Most of them require that
// their text goes with the program.
func (r *release) collectLicences() error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s is built from these modules. Its own licence is in LICENSE.\n", name)
	for i := range r.modules {
		m := &r.modules[i]
		folder, err := r.moduleFolder(*m)
		if err != nil {
			return err
		}
		if err := m.readLicence(folder); err != nil {
			return err
		}
		fmt.Fprintf(&text, "\n%s\n%s %s: %s\n%[1]s\n", strings.Repeat("=", 80), m.path, m.version, m.licence)
		for _, t := range m.texts {
			fmt.Fprintf(&text, "\n%s\n", strings.TrimSpace(t))
		}
	}
	path := filepath.Join(r.work, "THIRD_PARTY_LICENSES.txt")
	r.shared = append(r.shared, file{name: filepath.Base(path), path: path, mode: 0o644})
	return os.WriteFile(path, []byte(text.String()), 0o666)
}

// moduleFolder returns where the source of a module is.
func (r *release) moduleFolder(m module) (string, error) {
	if m.path == "std" {
		out, err := r.goCommand(host(), "env", "GOROOT").Output()
		return strings.TrimSpace(string(out)), err
	}
	out, err := r.goCommand(host(), "mod", "download", "-json", m.path+"@"+m.version).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", m.path, err)
	}
	var info struct{ Dir string }
	return info.Dir, json.Unmarshal(out, &info)
}

// readLicence reads the licence files of a module. A licence that is not known is an error: somebody must look at it.
func (m *module) readLicence(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		m.texts = append(m.texts, string(text))
		ids = append(ids, recognise(string(text))...)
	}
	if err := m.readOthers(filepath.Join(folder, "THIRD_PARTY_LICENSES")); err != nil {
		return err
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return fmt.Errorf("%s: no known licence in %s", m.path, folder)
	}
	m.licence = strings.Join(ids, " AND ")
	return nil
}

// readOthers reads the licences of what a module has taken from others, where it keeps them in a folder.
func (m *module) readOthers(folder string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m.texts = append(m.texts, filepath.Base(path)+"\n\n"+string(text))
	}
	return nil
}

// recognise returns the SPDX identifiers of the licences in a text. Each is told by a sentence that only this licence
// has.
func recognise(text string) (ids []string) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	has := func(s string) bool { return strings.Contains(text, s) }
	if has("apache license version 2.0") || has("apache license, version 2.0") {
		ids = append(ids, "Apache-2.0")
	}
	if has("permission is hereby granted, free of charge") {
		ids = append(ids, "MIT")
	}
	if has("redistributions in binary form must reproduce") {
		if has("neither the name") || has("may not be used to endorse") {
			ids = append(ids, "BSD-3-Clause")
		} else {
			ids = append(ids, "BSD-2-Clause")
		}
	}
	if has("mozilla public license version 2.0") {
		ids = append(ids, "MPL-2.0")
	}
	for _, copyleft := range []string{"gnu general public license", "gnu lesser general public license", "gnu affero"} {
		// the MPL names the others as secondary licences
		if has(copyleft) && !has("mozilla public license version 2.0") {
			return nil
		}
	}
	return ids
}
