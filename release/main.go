// Command release makes all files of a release, with the same bytes on every run: programs for five systems, archives,
// packages for Linux, wheels for Python, a container image, checksums, a bill of materials, and manifests for Homebrew,
// Scoop and Nix.
//
//	go run -C release . -out dist
//
// It needs Go, git and the Go module proxy, nothing else. In a checkout of a tag, the tag gives the version.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	var o options
	root := flag.String("root", "..", "the `folder` with the source of the program")
	flag.StringVar(&o.out, "out", "dist",
		"write the release into this `folder` below the source; it must not exist yet, or be empty")
	version := flag.String("version", "",
		"`version` without v; the default is that of the tag, or 0.0.0 where there is no tag")
	only := flag.String("target", "", "make only these `targets`, such as linux/amd64,windows/amd64")
	flag.Parse()
	err := errors.New("unexpected argument")
	if flag.NArg() == 0 {
		err = start(*root, *version, *only, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func start(root, version, only string, o options) (err error) {
	if o.root, err = filepath.Abs(root); err != nil {
		return err
	}
	if o.source, err = readSource(o.root, version); err != nil {
		return err
	}
	if o.targets, err = selectTargets(only); err != nil {
		return err
	}
	if !filepath.IsAbs(o.out) {
		o.out = filepath.Join(o.root, o.out)
	}
	return makeRelease(o)
}

// options say what is made.
type options struct {
	root, out string
	source    source
	targets   []target
}

// A target is a system that the program is built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// program is the name of the program's file.
func (t target) program() string {
	if t.os == "windows" {
		return name + ".exe"
	}
	return name
}

const name = "blorc-denoise"

var allTargets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}}

func selectTargets(list string) ([]target, error) {
	if list == "" {
		return allTargets, nil
	}
	var chosen []target
	for word := range strings.SplitSeq(list, ",") {
		system, arch, _ := strings.Cut(word, "/")
		t := target{system, arch}
		if !slices.Contains(allTargets, t) {
			return nil, fmt.Errorf("unknown target %q", word)
		}
		chosen = append(chosen, t)
	}
	return chosen, nil
}

// makeRelease makes the release. Steps use the files of the steps before, through the work folder and the list of
// artefacts.
func makeRelease(o options) error {
	if old, err := os.ReadDir(o.out); err == nil && len(old) > 0 {
		return fmt.Errorf("%s is not empty", o.out)
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &release{options: o, work: work}
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"source", r.checkSource},
		{"programs", r.buildPrograms},
		{"licences", r.collectLicences},
		{"manual pages and completions", r.makeDocuments},
		{"archives", r.makeArchives},
		{"packages", r.makePackages},
		{"wheels", r.makeWheels},
		{"image", r.makeImage},
		{"bill of materials", r.makeBOM},
		{"manifests", r.makeManifests},
		{"checksums", r.makeSums},
		{"notes", r.makeNotes}, // they become the text of the release, not one of its files
	} {
		fmt.Println("release:", s.name)
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	fmt.Printf("release: %s %s is in %s\n", name, o.source.version, o.out)
	return nil
}

// release is the state of a run.
type release struct {
	options
	work    string
	modules []module // of all programs, by path
	shared  []file   // what goes with every program
	notes   string   // what has changed
}

// programPath is where the program of a target was built.
func (r *release) programPath(t target) string {
	return filepath.Join(r.work, "programs", t.os+"-"+t.arch, t.program())
}

// artefact returns the path of a file of the release. It names version and target as most projects do.
func (r *release) artefact(t target, suffix string) string {
	return filepath.Join(r.out, fmt.Sprintf("%s_%s_%s_%s%s", name, r.source.version, t.os, t.arch, suffix))
}

func host() target { return target{runtime.GOOS, runtime.GOARCH} }
