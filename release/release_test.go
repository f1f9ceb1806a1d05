package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/CycloneDX/cyclonedx-go"

	"sigs.k8s.io/yaml"
)

// made makes the release for this machine twice, and returns both folders.
func made(t *testing.T) (first, second string) {
	t.Helper()
	if !slices.Contains(allTargets, host()) {
		t.Skipf("no release for %v", host())
	}
	parent, err := makeTwice()
	must(t, err)
	return filepath.Join(parent, "1"), filepath.Join(parent, "2")
}

var makeTwice = sync.OnceValues(func() (string, error) {
	parent, err := os.MkdirTemp("", "release-test-")
	if err != nil {
		return "", err
	}
	scratch = parent
	if err := start("..", "0.0.0", host().String(), options{out: filepath.Join(parent, "1")}); err != nil {
		return "", err
	}
	elsewhere := filepath.Join(parent, "source")
	if err := copySource(elsewhere); err != nil {
		return "", err
	}
	return parent, start(elsewhere, "0.0.0", host().String(), options{out: filepath.Join(parent, "2")})
})

// copySource makes a second clone, with the files as they are here, so that folder and times of files are others.
func copySource(to string) error {
	if out, err := exec.Command("git", "clone", "--quiet", "--shared", "--no-checkout", "..",
		to).CombinedOutput(); err != nil {
		return fmt.Errorf("git clone: %w\n%s", err, out)
	}
	list, err := exec.Command("git", "-C", "..", "ls-files", "-z", "--cached", "--others",
		"--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.Trim(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join("..", name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, but not committed
		}
		if err != nil {
			return err
		}
		info, err := os.Stat(filepath.Join("..", name))
		if err != nil {
			return err
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, info.Mode()); err != nil {
			return err
		}
	}
	if out, err := exec.Command("git", "-C", to, "reset", "--quiet").CombinedOutput(); err != nil {
		return fmt.Errorf("git reset: %w\n%s", err, out)
	}
	return nil
}

var scratch string

func TestMain(m *testing.M) {
	code := m.Run()
	if scratch != "" {
		os.RemoveAll(scratch)
	}
	os.Exit(code)
}

// one returns the only file of a release that fits a pattern.
func one(t *testing.T, folder, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(names) != 1 {
		t.Fatalf("%s: %v, %v", pattern, names, err)
	}
	return names[0]
}

func TestTwoRunsGiveTheSameBytes(t *testing.T) {
	first, second := made(t)
	sums := func(folder string) string {
		text, err := os.ReadFile(filepath.Join(folder, sumsName))
		must(t, err)
		return string(text)
	}
	if a, b := sums(first), sums(second); a != b {
		t.Errorf("first run:\n%s\nsecond run:\n%s", a, b)
	}
}

func TestSumsAreThoseOfTheFiles(t *testing.T) {
	folder, _ := made(t)
	text, err := os.ReadFile(filepath.Join(folder, sumsName))
	must(t, err)
	listed := map[string]bool{sumsName: true}
	for line := range strings.Lines(string(text)) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = true
		if got, err := sha256File(filepath.Join(folder, name)); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, want)
		}
	}
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, e := range entries {
		if !listed[e.Name()] {
			t.Errorf("%s has no checksum", e.Name())
		}
	}
}

// untar returns the files of a tar file as names with contents.
func untar(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return files
		}
		must(t, err)
		data, err := io.ReadAll(archive)
		must(t, err)
		files[h.Name] = data
	}
}

func TestArchive(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs tar")
	}
	folder, _ := made(t)
	top := name + "_0.0.0_" + runtime.GOOS + "_" + runtime.GOARCH
	to := t.TempDir()
	if out, err := exec.Command("tar", "-xzf", one(t, folder, top+".tar.gz"), "-C", to).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"LICENSE", "THIRD_PARTY_LICENSES.txt", "README.md", "CHANGELOG.md",
		"man/blorc-denoise.1", "man/blorc-denoise-watch.1",
		"completions/blorc-denoise.bash", "completions/_blorc-denoise", "completions/blorc-denoise.fish",
		"completions/blorc-denoise.ps1",
		"contrib/systemd/blorc-denoise-watch.service", "contrib/kubernetes/denoise.yaml", "docs/photos.md",
		"docs/before-after-camera.jpg"} {
		if info, err := os.Stat(filepath.Join(to, top, want)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", want, err)
		}
	}
	out, err := exec.Command(filepath.Join(to, top, name), "--version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "blorc-denoise version 0.0.0\ncommit:  ") ||
		strings.Contains(string(out), "unknown") {
		t.Errorf("%v\n%s", err, out)
	}
	info, err := os.Stat(filepath.Join(to, top, name))
	must(t, err)
	if info.Size() > 40e6 {
		t.Errorf("the program has %d bytes, the limit is 40 MB", info.Size())
	}
	if runtime.GOOS == "linux" {
		needsNoLibrary(t, filepath.Join(to, top, name))
	}
}

// Relative links of pages in the archive lead to files in it, all others to the repository.
func TestLinksOfArchive(t *testing.T) {
	folder, _ := made(t)
	f, err := os.Open(one(t, folder, name+"_0.0.0_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz"))
	if err != nil {
		t.Skip(err) // a zip file
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	all := untar(t, z)
	checkLinks(t, all, func(page, link string) string { return path.Join(path.Dir(page), link) })
	for page, text := range all {
		if strings.HasSuffix(page, "/README.md") && path.Dir(path.Dir(page)) == "." &&
			!strings.Contains(string(text), "("+repository+"/blob/v0.0.0/CONTRIBUTING.md)") {
			t.Errorf("%s does not link to the repository", page)
		}
	}
}

// checkLinks checks that the relative links of all pages lead to files. Target returns the file that a link of a page
// leads to.
func checkLinks(t *testing.T, files map[string][]byte, target func(page, link string) string) {
	t.Helper()
	links := 0
	for page, text := range files {
		if path.Ext(page) != ".md" {
			continue
		}
		for _, m := range relativeLink.FindAllStringSubmatch(string(text), -1) {
			links++
			if to := target(page, m[3]); files[to] == nil {
				t.Errorf("%s links to %s, but there is no %s", page, m[3], to)
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d links", links)
	}
}

// needsNoLibrary checks that a program starts without a loader of shared libraries.
func needsNoLibrary(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	must(t, err)
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("%s is not static: it has a segment %v", path, p.Type)
		}
	}
}

func TestZipKeepsNamesAndModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	must(t, os.WriteFile(path, []byte("text"), 0o600))
	var b bytes.Buffer
	date := time.Date(2026, 11, 22, 7, 28, 2, 0, time.UTC)
	must(t, writeZip(&b, "top", []file{{name: "p.exe", path: path, mode: 0o755}}, date))
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	if f := z.File[0]; f.Name != "top/p.exe" || f.Mode() != 0o755 || !f.Modified.Equal(date) {
		t.Errorf("%s %v %v", f.Name, f.Mode(), f.Modified)
	}
}

// The bill of materials names the modules of the program itself, each with a licence.
func TestBillOfMaterials(t *testing.T) {
	folder, _ := made(t)
	data, err := os.ReadFile(one(t, folder, "*_sbom.cdx.json"))
	must(t, err)
	var bom cyclonedx.BOM
	must(t, cyclonedx.NewBOMDecoder(bytes.NewReader(data), cyclonedx.BOMFileFormatJSON).Decode(&bom))
	listed := map[string]bool{}
	for _, c := range *bom.Components {
		listed[c.Name] = true
		if c.Licenses == nil || len(*c.Licenses) != 1 {
			t.Errorf("%s has no licence", c.Name)
		}
	}
	for _, want := range []string{"std", "github.com/spf13/cobra", "gonum.org/v1/gonum", "nonlocal-25.5.safetensors"} {
		if !listed[want] {
			t.Errorf("%s is not listed", want)
		}
	}
}

func TestRecognise(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Permission is hereby\n  granted, free of charge, to any person", "MIT"},
		{"Apache License\n   Version 2.0, January 2004", "Apache-2.0"},
		{"Redistributions in binary form must reproduce ... Neither the name of", "BSD-3-Clause"},
		{"Redistributions in binary form must reproduce ... My name may not be used to endorse", "BSD-3-Clause"},
		{"Redistributions in binary form must reproduce the above", "BSD-2-Clause"},
		{"GNU GENERAL PUBLIC LICENSE Version 3", ""},
		{"Permission is hereby granted, free of charge. Parts: GNU Lesser General Public License", ""},
		{"All rights reserved.", ""},
	} {
		if got := strings.Join(recognise(c.text), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestChangesOf(t *testing.T) {
	log := "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.10.0 - 2026-12-01\n\n- ten\n\n### Go\n\n- more\n\n## " +
		"[0.9.0]\n\n- nine\n\n## 0.8.0\n"
	for _, c := range []struct{ version, want string }{
		{"0.10.0", "- ten\n\n### Go\n\n- more\n"}, {"0.9.0", "- nine\n"}, {"0.9.0-rc.1", "- nine\n"}, {"0.8.0", ""},
		{"0.1.0", ""},
	} {
		got, err := changesOf(log, c.version)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q, %v", c.version, got, err)
		}
	}
}

func TestSampleUsesTheImageOfTheRelease(t *testing.T) {
	sample := "image: ghcr.io/blorc-denoise/blorc-denoise:0.9.0\nargs: []\n"
	for version, good := range map[string]bool{"0.9.0": true, "0.9.1": false, "0.9": false, "0.10.0-rc.1": true} {
		if err := checkSample(sample, version); (err == nil) != good {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestVersions(t *testing.T) {
	for version, good := range map[string]bool{"0.9.0": true, "1.2.3-rc.1": true, "v1.2.3": false, "1.2": false,
		"1.2.3-": false, "1.2.3/x": false} {
		if _, err := readSource("..", version); (err == nil) != good {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// Manifests are checked with the tools of their languages, where these are installed.
func TestManifests(t *testing.T) {
	r := &release{options: options{out: t.TempDir(), source: source{version: "1.2.3"}, targets: allTargets}}
	for _, target := range allTargets {
		suffix := ".tar.gz"
		if target.os == "windows" {
			suffix = ".zip"
		}
		must(t, os.WriteFile(r.artefact(target, suffix), []byte(target.String()), 0o666))
		must(t, os.WriteFile(r.wheelPath(target, "1.2.3"), []byte("wheel for "+target.String()), 0o666))
	}
	must(t, r.makeManifests())
	checkConda(t, r)
	for manifest, check := range map[string][]string{"blorc-denoise.rb": {"ruby", "-c"},
		"blorc-denoise.nix": {"nix-instantiate", "--parse"}} {
		text, err := os.ReadFile(filepath.Join(r.out, manifest))
		must(t, err)
		for _, target := range []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"},
			{"darwin", "arm64"}} {
			sum, err := sha256File(r.artefact(target, ".tar.gz"))
			must(t, err)
			if !strings.Contains(string(text), sum) {
				t.Errorf("%s lacks the checksum of %v", manifest, target)
			}
		}
		if _, err := exec.LookPath(check[0]); err != nil {
			t.Logf("%s is not installed", check[0])
			continue
		}
		if out, err := exec.Command(check[0], append(check[1:],
			filepath.Join(r.out, manifest))...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", check, err, out)
		}
	}
	var scoop struct {
		Version      string
		Architecture map[string]struct{ URL, Hash string }
		Bin          string
		Shortcuts    [][]string // in the start menu
	}
	text, err := os.ReadFile(filepath.Join(r.out, "blorc-denoise.json"))
	must(t, err)
	must(t, json.Unmarshal(text, &scoop))
	want, err := sha256File(r.artefact(target{"windows", "amd64"}, ".zip"))
	must(t, err)
	x64 := scoop.Architecture["64bit"]
	if scoop.Version != "1.2.3" || x64.Hash != want ||
		!strings.HasSuffix(x64.URL, "/v1.2.3/blorc-denoise_1.2.3_windows_amd64.zip") {
		t.Errorf("%+v", scoop)
	}
	if s := scoop.Shortcuts; len(s) != 1 || len(s[0]) != 3 || s[0][0] != scoop.Bin || s[0][2] != "view" {
		t.Errorf("%v", s)
	}
}

// checkConda reads the recipe as conda-build does on each system: lines whose selector does not fit are left out.
func checkConda(t *testing.T, r *release) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.out, "blorc-denoise.conda.yaml"))
	must(t, err)
	for selector, target := range map[string]target{"linux and x86_64": {"linux", "amd64"},
		"linux and aarch64": {"linux", "arm64"}, "osx and x86_64": {"darwin", "amd64"},
		"osx and arm64": {"darwin", "arm64"}, "win64": {"windows", "amd64"}} {
		chosen := ""
		for line := range strings.Lines(string(text)) {
			if before, of, found := strings.Cut(line, "  # ["); !found {
				chosen += line
			} else if of == selector+"]\n" {
				chosen += before + "\n"
			}
		}
		var recipe struct {
			Package struct{ Name, Version string }
			Source  struct{ URL, SHA256 string }
			Build   struct{ Script string }
		}
		must(t, yaml.Unmarshal([]byte(strings.ReplaceAll(chosen, "{{ PYTHON }}", "python")), &recipe))
		path := r.wheelPath(target, "1.2.3")
		sum, err := sha256File(path)
		must(t, err)
		if recipe.Package.Version != "1.2.3" || recipe.Source.SHA256 != sum ||
			!strings.HasSuffix(recipe.Source.URL, "/releases/download/v1.2.3/"+filepath.Base(path)) ||
			!strings.HasSuffix(recipe.Build.Script, " "+filepath.Base(path)) {
			t.Errorf("%s: %+v", selector, recipe)
		}
	}
}

// A release of some targets only has no manifest that needs the others.
func TestManifestsNeedTheirArchives(t *testing.T) {
	r := &release{options: options{out: t.TempDir(), source: source{version: "1.2.3"},
		targets: []target{{"windows", "amd64"}}}}
	must(t, os.WriteFile(r.artefact(target{"windows", "amd64"}, ".zip"), nil, 0o666))
	must(t, r.makeManifests())
	names, _ := filepath.Glob(filepath.Join(r.out, "*.*"))
	if len(names) != 2 || filepath.Base(names[0]) != "blorc-denoise.json" {
		t.Errorf("%v", names)
	}
}

// must ends a test that cannot go on after an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
