//go:build hosts

package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// python runs a script of testdata with the Python package, in the system that has GIMP 3: there Python and numpy are
// newer than in this one, where the tests of releases use the package.
func python(t *testing.T, script string) string {
	t.Helper()
	root := os.Getenv("GIMP3_ROOT")
	must.Do(t, os.MkdirAll(root+"/tmp", 0o777))
	dir := must.Get(os.MkdirTemp(root+"/tmp", "hosts-"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must.Do(t, os.CopyFS(dir+"/bin", os.DirFS(filepath.Dir(program))))
	must.Do(t, os.CopyFS(dir+"/python", os.DirFS(contrib+"/python")))
	text := must.Get(os.ReadFile(testdata(t, script)))(t)
	write(t, dir+"/"+script, string(text))
	place := strings.TrimPrefix(dir, root)
	var args []string
	if root != "" {
		args = []string{"chroot", root}
	}
	args = append(args, "env", "-C", place, "HOME="+place, "XDG_RUNTIME_DIR="+place, "TMPDIR="+place, "LC_ALL=C.UTF-8",
		"QT_QPA_PLATFORM=offscreen",
		"PYTHONPATH="+place+"/python", "PYTHONDONTWRITEBYTECODE=1", "BLORC_DENOISE="+place+"/bin/blorc-denoise",
		"timeout", "500", "/usr/bin/python3", script)
	out := host(t, dir, nil, args[0], args[1:]...)
	contains(t, out, "\nOK")
	return out
}

func TestPython(t *testing.T) {
	t.Parallel()
	t.Log(python(t, "python_test.py"))
}

func TestNapari(t *testing.T) {
	t.Parallel()
	t.Log(python(t, "napari_test.py"))
}

// Debian 13 in the other folder has no dask, so this is with that of this system.
func TestDask(t *testing.T) {
	t.Parallel()
	env := []string{"PYTHONPATH=" + contrib + "/python", "PYTHONDONTWRITEBYTECODE=1", "BLORC_DENOISE=" + program}
	out := host(t, t.TempDir(), env, "/usr/bin/python3", testdata(t, "dask_test.py"))
	contains(t, out, "\nOK")
	t.Log(out)
}

// The types that the package promises to type checkers fit its code, and programs that use it.
func TestPythonTypes(t *testing.T) {
	t.Parallel()
	host(t, t.TempDir(), nil, "mypy", "--strict", "--ignore-missing-imports", "--cache-dir=.",
		contrib+"/python/blorc_denoise")
	host(t, t.TempDir(), []string{"MYPYPATH=" + contrib + "/python"}, "mypy", "--strict", "--ignore-missing-imports",
		"--cache-dir=.", testdata(t, "python_types.py"))
}
