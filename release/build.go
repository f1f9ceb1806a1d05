package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// toolchain is the version of Go that builds releases. Another one gives other bytes.
const toolchain = "go1.26.8"

// goCommand returns a go command that no setting of the caller changes, except where modules come from.
func (r *release) goCommand(t target, args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Dir = r.root
	c.Stderr = os.Stderr
	c.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain, "GOFLAGS=-mod=readonly", "GOWORK=off", "GOEXPERIMENT=",
		"CGO_ENABLED=0",
		"GOAMD64=v1", "GOARM64=v8.0", "GOOS="+t.os, "GOARCH="+t.arch,
		fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.source.date.Unix()))
	return c
}

// buildPrograms builds the program for every target. The version is set here and not read from git by the go command,
// because what that finds depends on how deep the clone is.
func (r *release) buildPrograms() error {
	flags := strings.Join([]string{"-s -w", "-X main.releaseVersion=" + r.source.version,
		"-X main.releaseCommit=" + r.source.commit,
		"-X main.releaseDate=" + r.source.date.Format("2006-01-02T15:04:05Z")}, " ")
	build := func(t target) error {
		return r.goCommand(t, "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", r.programPath(t),
			"./cmd/"+name).Run()
	}
	for _, t := range r.targets {
		fmt.Println("release:  ", t)
		if err := build(t); err != nil {
			return fmt.Errorf("%v: %w", t, err)
		}
		if err := r.addModules(t); err != nil {
			return err
		}
	}
	slices.SortFunc(r.modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	if !slices.Contains(r.targets, host()) { // the completions are its output
		return build(host())
	}
	return nil
}

// addModules adds the modules that the program of a target was built from.
func (r *release) addModules(t target) error {
	info, err := buildinfo.ReadFile(r.programPath(t))
	if err != nil {
		return err
	}
	add := func(m module) {
		if !slices.ContainsFunc(r.modules, func(old module) bool { return old.path == m.path }) {
			r.modules = append(r.modules, m)
		}
	}
	add(module{path: "std", version: strings.TrimPrefix(info.GoVersion, "go")})
	for _, d := range info.Deps {
		add(module{path: d.Path, version: d.Version, sum: d.Sum})
	}
	return checkSettings(info)
}

// checkSettings makes sure that the program needs no C library.
func checkSettings(info *debug.BuildInfo) error {
	for _, s := range info.Settings {
		if s.Key == "CGO_ENABLED" && s.Value != "0" {
			return fmt.Errorf("the program was built with cgo")
		}
	}
	return nil
}

// makeDocuments writes manual pages and completions into the work folder.
func (r *release) makeDocuments() error {
	man := filepath.Join(r.work, "man")
	completions := filepath.Join(r.work, "completions")
	for _, folder := range []string{man, completions} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
	}
	if out, err := r.goCommand(host(), "test", "./cmd/"+name, "-run", "^TestManPages$", "-count=1", "-args", "-man",
		man).Output(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	pages, err := os.ReadDir(man)
	if err != nil {
		return err
	}
	for _, p := range pages {
		r.shared = append(r.shared, file{name: "man/" + p.Name(), path: filepath.Join(man, p.Name()), mode: 0o644})
	}
	for _, c := range []struct{ shell, name string }{
		{"bash", name + ".bash"}, {"fish", name + ".fish"}, {"powershell", name + ".ps1"}, {"zsh", "_" + name}} {
		out, err := exec.Command(r.programPath(host()), "completion", c.shell).Output()
		if err != nil {
			return fmt.Errorf("completion %s: %w", c.shell, err)
		}
		path := filepath.Join(completions, c.name)
		if err := os.WriteFile(path, out, 0o666); err != nil {
			return err
		}
		r.shared = append(r.shared, file{name: "completions/" + c.name, path: path, mode: 0o644})
	}
	return r.addSourceFiles()
}

// addSourceFiles adds the documents and plug-ins of the source.
func (r *release) addSourceFiles() error {
	for _, f := range r.source.files {
		if !goesAlong(f) {
			continue
		}
		path := filepath.Join(r.root, filepath.FromSlash(f))
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		if strings.HasSuffix(f, ".md") {
			if path, err = r.page(f); err != nil {
				return err
			}
		}
		r.shared = append(r.shared, file{name: f, path: path, mode: mode})
	}
	return nil
}
