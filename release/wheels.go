package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// pythonSource is the folder of the Python package.
const pythonSource = "contrib/python/"

var (
	//go:embed wheel/METADATA
	wheelMetadata string
	//go:embed wheel/entry_points.txt
	entryPoints string
)

// platforms are the systems of targets as Python names them. The program needs no C library, so one wheel serves all of
// Linux. Programs of this version of Go need macOS 12.
var platforms = map[target]string{
	{"linux", "amd64"}:   "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
	{"linux", "arm64"}:   "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
	{"darwin", "amd64"}:  "macosx_12_0_x86_64",
	{"darwin", "arm64"}:  "macosx_12_0_arm64",
	{"windows", "amd64"}: "win_amd64",
}

// makeWheels writes a Python package for each target, with the program inside.
func (r *release) makeWheels() error {
	version, err := pythonVersion(r.source.version)
	if err != nil {
		return err
	}
	for _, t := range r.targets {
		if err := r.makeWheel(t, version); err != nil {
			return fmt.Errorf("%v: %w", t, err)
		}
	}
	return nil
}

// A wheel is the files of a Python package for a target.
type wheel struct {
	folder string // where files that the release makes are
	info   string // the folder in the wheel that describes it
	files  []file
}

func (r *release) makeWheel(t target, version string) error {
	w := wheel{folder: filepath.Join(r.work, "wheels", t.os+"-"+t.arch),
		info: "blorc_denoise-" + version + ".dist-info"}
	if err := r.addPython(&w, t); err != nil {
		return err
	}
	if err := w.describe(r, version, platforms[t]); err != nil {
		return err
	}
	slices.SortFunc(w.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	if err := w.record(); err != nil {
		return err
	}
	return create(r.wheelPath(t, version), func(out io.Writer) error {
		return writeZip(out, "", w.files, r.source.date)
	})
}

// wheelPath is where the wheel of a target is, for a version of Python.
func (r *release) wheelPath(t target, version string) string {
	return filepath.Join(r.out, "blorc_denoise-"+version+"-py3-none-"+platforms[t]+".whl")
}

// addPython adds the program, the modules, and the licences.
func (r *release) addPython(w *wheel, t target) error {
	w.files = append(w.files, file{name: "blorc_denoise/bin/" + t.program(), path: r.programPath(t), mode: 0o755})
	modules := 0
	for _, f := range r.source.files {
		if name, ok := strings.CutPrefix(f, pythonSource); ok && strings.HasPrefix(name, "blorc_denoise/") {
			modules++
			w.files = append(w.files, file{name: name, path: filepath.Join(r.root, filepath.FromSlash(f)), mode: 0o644})
		}
	}
	if modules == 0 {
		return errors.New("the source has no Python modules")
	}
	for _, f := range r.shared {
		if f.name == "LICENSE" || f.name == "THIRD_PARTY_LICENSES.txt" {
			w.files = append(w.files, file{name: w.info + "/licenses/" + f.name, path: f.path, mode: 0o644})
		}
	}
	return nil
}

// describe adds what installers and package indexes read.
func (w *wheel) describe(r *release, version, platform string) error {
	parsed, err := template.New("METADATA").Option("missingkey=error").Parse(wheelMetadata)
	if err != nil {
		return err
	}
	var metadata bytes.Buffer
	if err := parsed.Execute(&metadata, map[string]string{"Version": version, "Repository": repository}); err != nil {
		return err
	}
	readme, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(pythonSource+"README.md")))
	if err != nil {
		return err
	}
	metadata.WriteString(r.allOutward(pythonSource+"README.md", string(readme)))
	var kinds strings.Builder
	fmt.Fprintf(&kinds, "Wheel-Version: 1.0\nGenerator: blorc-denoise release\nRoot-Is-Purelib: false\n")
	for one := range strings.SplitSeq(platform, ".") {
		fmt.Fprintf(&kinds, "Tag: py3-none-%s\n", one)
	}
	for name, text := range map[string]string{"METADATA": metadata.String(), "WHEEL": kinds.String(),
		"entry_points.txt": entryPoints} {
		if err := w.add(name, text); err != nil {
			return err
		}
	}
	return nil
}

// add writes a text that describes the wheel.
func (w *wheel) add(name, text string) error {
	to := filepath.Join(w.folder, name)
	if err := os.MkdirAll(w.folder, 0o777); err != nil {
		return err
	}
	w.files = append(w.files, file{name: w.info + "/" + name, path: to, mode: 0o644})
	return os.WriteFile(to, []byte(text), 0o666)
}

// record adds, as the last file, the list of all files with their digests.
func (w *wheel) record() error {
	var text strings.Builder
	for _, f := range w.files {
		data, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		fmt.Fprintf(&text, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
	}
	return w.add("RECORD", text.String()+w.info+"/RECORD,,\n")
}

var candidate = regexp.MustCompile(`^(alpha|beta|rc)\.(\d+)$`)

// pythonVersion returns a version as Python writes it: 1.2.3rc1 for 1.2.3-rc.1.
func pythonVersion(version string) (string, error) {
	number, kind, found := strings.Cut(version, "-")
	if !found {
		return number, nil
	}
	m := candidate.FindStringSubmatch(kind)
	if m == nil {
		return "", fmt.Errorf("version %q has no form in Python; use alpha.1, beta.1 or rc.1 after the hyphen", version)
	}
	return number + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[m[1]] + m[2], nil
}
