// Package layout holds no code: its test keeps the packages' imports pointing one way.
package layout

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/blorc-denoise/blorc-denoise/"

// deps returns the packages of the module that a package depends on, not counting its tests.
func deps(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", module+pkg).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", pkg, err)
	}
	ours := map[string]bool{}
	for _, p := range strings.Fields(string(out)) {
		if name, ok := strings.CutPrefix(p, module); ok {
			ours[name] = true
		}
	}
	delete(ours, pkg)
	return ours
}

// cmd -> denoise, imageio, model/bilevel -> model -> patchify; paper stands beside denoise, and of it the program sees the
// baselines only. Packages under internal/ that import none of these are
// common ground.
func TestImportsPointOneWay(t *testing.T) {
	rooms := []string{"cmd/blorc-denoise", "denoise", "imageio", "model", "model/bilevel", "models", "patchify", "paper", "paper/baseline",
		"paper/gradient", "paper/report", "cmd/blorc-paper", "watch"}
	allowed := map[string]string{
		"imageio":           "",
		"patchify":          "",
		"model":             "patchify",
		"models":            "model patchify",
		"model/bilevel":     "model patchify",
		"denoise":           "imageio model patchify",
		"paper/baseline":    "model patchify",
		"paper/gradient":    "model model/bilevel patchify",
		"paper/report":      "",
		"watch":             "",
		"paper":             "imageio model model/bilevel models patchify paper/baseline paper/gradient paper/report",
		"cmd/blorc-denoise": "denoise imageio model model/bilevel models patchify paper/baseline watch",
		"cmd/blorc-paper":   "imageio model model/bilevel models patchify paper paper/baseline paper/gradient paper/report",
	}
	for _, pkg := range rooms {
		ours := deps(t, pkg)
		may := strings.Fields(allowed[pkg])
		for _, other := range rooms {
			if ours[other] && !slices.Contains(may, other) {
				t.Errorf("%s depends on %s", pkg, other)
			}
		}
	}
}

// Common ground stands on nothing but the loop over workers.
func TestCommonGroundStandsOnNothing(t *testing.T) {
	for _, pkg := range []string{"estimate", "level", "metric", "noise", "parallel", "safetensors", "scene"} {
		ours := deps(t, "internal/"+pkg)
		delete(ours, "internal/parallel")
		for other := range ours {
			t.Errorf("internal/%s depends on %s", pkg, other)
		}
	}
}

// The library that draws the figures of the paper, and what it needs, is not for users of the program.
func TestProgramDrawsNoPlots(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"cmd/blorc-denoise").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range strings.Fields(string(out)) {
		if strings.HasPrefix(p, "gonum.org/v1/plot") {
			t.Errorf("cmd/blorc-denoise depends on %s", p)
		}
	}
}

// What users build must need no C compiler.
func TestNoCgo(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{if .CgoFiles}}{{if not .Standard}}{{.ImportPath}}{{end}}{{end}}", module+"cmd/blorc-denoise")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if p := strings.Fields(string(out)); len(p) > 0 {
		t.Errorf("packages with cgo: %v", p)
	}
}
