package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{"0.9.0": "0.9.0", "1.2.3-rc.1": "1.2.3rc1",
		"1.2.3-alpha.10": "1.2.3a10", "1.2.3-beta.2": "1.2.3b2",
		"1.2.3-rc": "", "1.2.3-fix.1": ""} {
		if got, err := pythonVersion(version); got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v, want %q", version, got, err, want)
		}
	}
}

// unzip returns the files of a wheel, and their modes.
func unzip(t *testing.T, path string) (map[string]string, map[string]os.FileMode) {
	t.Helper()
	z, err := zip.OpenReader(path)
	must(t, err)
	defer z.Close()
	texts, modes := map[string]string{}, map[string]os.FileMode{}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		data, err := io.ReadAll(r)
		must(t, err)
		texts[f.Name], modes[f.Name] = string(data), f.Mode()
	}
	return texts, modes
}

// A wheel has the program, the modules, and a record of all files with their digests.
func TestWheel(t *testing.T) {
	folder, _ := made(t)
	texts, modes := unzip(t, one(t, folder, "*.whl"))
	const info = "blorc_denoise-0.0.0.dist-info/"
	program := "blorc_denoise/bin/" + host().program()
	for _, want := range []string{program, "blorc_denoise/__init__.py", "blorc_denoise/py.typed", info + "METADATA",
		info + "licenses/LICENSE",
		info + "licenses/THIRD_PARTY_LICENSES.txt"} {
		if _, ok := texts[want]; !ok {
			t.Errorf("no %s", want)
		}
	}
	if modes[program].Perm() != 0o755 || modes["blorc_denoise/__init__.py"].Perm() != 0o644 {
		t.Errorf("modes %v", modes)
	}
	recorded := map[string]bool{}
	for line := range strings.Lines(texts[info+"RECORD"]) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ",")
		recorded[name] = true
		sum := sha256.Sum256([]byte(texts[name]))
		want := fmt.Sprintf("sha256=%s,%d", base64.RawURLEncoding.EncodeToString(sum[:]), len(texts[name]))
		if name == info+"RECORD" {
			want = ","
		}
		if rest != want {
			t.Errorf("%s: %s, want %s", name, rest, want)
		}
	}
	if len(recorded) != len(texts) {
		t.Errorf("%d files of %d are recorded", len(recorded), len(texts))
	}
	if text := texts[info+"METADATA"]; !strings.Contains(text, "\nName: blorc-denoise\nVersion: 0.0.0\n") ||
		!strings.Contains(text, "\n\n# Denoise numpy arrays\n") {
		t.Errorf("METADATA:\n%s", text)
	}
}

// python returns the Python of the system, which has numpy.
func python(t *testing.T) string {
	t.Helper()
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import numpy, venv, ensurepip").Run() != nil {
		t.Skip(python + " with numpy and venv is not installed")
	}
	return python
}

// environment makes an empty environment of Python beside the packages of the system, and returns the folder of its
// programs.
func environment(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	command(t, python(t), "-m", "venv", "--system-site-packages", folder)
	t.Setenv("PIP_CONFIG_FILE", os.DevNull)
	t.Setenv("PIP_FIND_LINKS", "")
	t.Setenv("PYTHONPATH", "")
	t.Setenv("BLORC_DENOISE", "")
	return filepath.Join(folder, "bin")
}

// What pip makes of a clone says the same as the wheels of a release, and has the same modules.
func TestProjectOfPython(t *testing.T) {
	folder, _ := made(t)
	bin := environment(t)
	if exec.Command(bin+"/python", "-c", "import setuptools, wheel").Run() != nil {
		t.Skip("setuptools is not installed")
	}
	clone, to := t.TempDir(), t.TempDir()
	must(t, os.CopyFS(clone, os.DirFS("../contrib/python"))) // where files may be written
	command(t, bin+"/python", "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-index", "--no-deps",
		"--no-build-isolation", "--wheel-dir", to, clone)
	got, _ := unzip(t, one(t, to, "*.whl"))
	want, _ := unzip(t, one(t, folder, "*.whl"))
	const info = "blorc_denoise-0.0.0.dist-info/"
	for name := range want {
		if _, ok := got[name]; !ok && strings.HasPrefix(name, "blorc_denoise/") && !strings.Contains(name, "/bin/") {
			t.Errorf("pip leaves out %s", name)
		}
	}
	a, b := described(got[info+"METADATA"]), described(want[info+"METADATA"])
	if !slices.Equal(a, b) {
		t.Errorf("METADATA of pip:\n%s\nof the release:\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	if a, b := words(got[info+"entry_points.txt"]), words(want[info+"entry_points.txt"]); !slices.Equal(a, b) {
		t.Errorf("entry points of pip: %q, of the release: %q", a, b)
	}
}

// described returns the lines of METADATA that do not depend on who writes them, in one form.
func described(metadata string) (lines []string) {
	head, _, _ := strings.Cut(metadata, "\n\n")
	for line := range strings.Lines(head) {
		name, _, _ := strings.Cut(line, ":")
		if !slices.Contains([]string{"Metadata-Version", "License", "License-Expression", "License-File", "Dynamic"},
			name) {
			lines = append(lines, strings.NewReplacer(" ", "", "(", "", ")", "", "'", `"`, "\n", "").Replace(line))
		}
	}
	slices.Sort(lines)
	return lines
}

// words returns the words of a text in order.
func words(text string) []string { return slices.Sorted(slices.Values(strings.Fields(text))) }

// TestWheelInstalled installs the wheel with pip, tests the package with the program inside, and removes it.
func TestWheelInstalled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Python at the place of Linux")
	}
	folder, _ := made(t)
	bin := environment(t)
	pip := []string{bin + "/python", "-m", "pip", "--disable-pip-version-check"}
	command(t, append(pip, "install", "--no-index", "--no-deps", "--find-links", folder, "blorc-denoise")...)
	if out := command(t, bin+"/blorc-denoise", "--version"); !strings.Contains(out, "version 0.0.0") {
		t.Error(out)
	}
	inside := strings.TrimSpace(command(t, bin+"/python", "-c",
		"import blorc_denoise; print(blorc_denoise.find_program())"))
	if !strings.HasPrefix(inside, filepath.Dir(bin)+"/") {
		t.Fatalf("the program is %s", inside)
	}
	needsNoLibrary(t, inside)
	tests, err := filepath.Abs("../contrib/test/testdata/python_test.py")
	must(t, err)
	out := command(t, bin+"/python", tests)
	t.Log(out)
	if !strings.Contains(out, "\nOK") {
		t.Error("no tests ran")
	}
	command(t, append(pip, "uninstall", "--yes", "blorc-denoise")...)
	if left, err := filepath.Glob(filepath.Dir(filepath.Dir(inside)) + "/*"); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// pip chooses the wheel of each system, and no wheel on a system that has none.
func TestWheelsOfAllSystems(t *testing.T) {
	bin := environment(t)
	r := &release{options: options{root: "..", out: t.TempDir(),
		source: source{version: "1.2.3-rc.1", date: time.Unix(1e9, 0)}, targets: allTargets}, work: t.TempDir()}
	r.source.files = []string{"contrib/python/blorc_denoise/__init__.py"}
	for _, target := range allTargets {
		path := r.programPath(target)
		must(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must(t, os.WriteFile(path, []byte(target.String()), 0o777))
	}
	must(t, r.makeWheels())
	for platform, want := range map[string]string{"manylinux_2_17_x86_64": "linux/amd64",
		"manylinux_2_17_aarch64": "linux/arm64", "musllinux_1_1_x86_64": "linux/amd64",
		"macosx_12_0_x86_64": "darwin/amd64", "macosx_14_0_arm64": "darwin/arm64", "win_amd64": "windows/amd64",
		"win32": "", "macosx_11_0_arm64": ""} {
		to := t.TempDir()
		args := []string{"-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-index", "--no-deps",
			"--only-binary=:all:", "--find-links", r.out,
			"--platform", platform, "--dest", to, "blorc-denoise==1.2.3rc1"}
		if out, err := exec.Command(bin+"/python", args...).CombinedOutput(); (err != nil) != (want == "") {
			t.Errorf("%s: %v\n%s", platform, err, out)
		}
		if want == "" {
			continue
		}
		texts, _ := unzip(t, one(t, to, "*.whl"))
		name := "blorc_denoise/bin/blorc-denoise"
		if strings.HasPrefix(want, "windows") {
			name += ".exe"
		}
		if texts[name] != want {
			t.Errorf("%s has the program of %q", platform, texts[name])
		}
	}
	if names, _ := filepath.Glob(r.out + "/*"); len(names) != len(allTargets) ||
		!slices.ContainsFunc(names, func(n string) bool {
			return filepath.Base(n) == "blorc_denoise-1.2.3rc1-py3-none-win_amd64.whl"
		}) {
		t.Errorf("%v", names)
	}
}
