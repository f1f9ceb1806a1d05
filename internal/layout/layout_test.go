// Package layout holds no code: its tests keep imports pointing one way.
package layout

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/blorc-denoise/blorc-denoise/"

// floors lists the packages of the module from the bottom to the top. A package imports packages of lower floors only.
var floors = []string{
	"internal/matrix3 internal/hugepage internal/dct internal/must internal/losslessjpeg internal/crash",
	"internal/golden internal/parallel internal/radix internal/half internal/tonecurve internal/metric " +
		"internal/noise internal/camera internal/scene internal/disk internal/disk/disktest internal/kernel " +
		"internal/layout internal/faults internal/quantile internal/series internal/pilots",
	"internal/blocks internal/mosaic internal/mosaic/dngtest internal/safetensors internal/convnet internal/subspace " +
		"internal/kernel/scan internal/scene/scenetest internal/disk/powertest",
	"internal/estimate internal/noisecurve internal/mask internal/drawn internal/dither " +
		"internal/ink imageio watch",
	"internal/noisemap internal/solve internal/unet internal/level patchify",
	"internal/guided internal/burst internal/solve/solvetest",
	"internal/stage internal/bilevel",
	"model",
	"models train",
	"denoise",
	// The rooms of the program: nothing below can import them.
	"cmd/blorc-denoise/internal/batch cmd/blorc-denoise/internal/display " +
		"cmd/blorc-denoise/internal/markup",
	"cmd/blorc-denoise/internal/chart cmd/blorc-denoise/internal/words",
	"cmd/blorc-denoise/internal/view cmd/blorc-denoise/internal/compare",
	"cmd/blorc-denoise contrib/go contrib/test",
}

// shut lists packages that only the named ones may import.
var shut = map[string]string{
	"train":            "cmd/blorc-denoise", // nothing that denoises needs training
	"internal/bilevel": "train",
	"denoise": "cmd/blorc-denoise cmd/blorc-denoise/internal/chart " +
		"cmd/blorc-denoise/internal/words cmd/blorc-denoise/internal/view cmd/blorc-denoise/internal/compare " +
		"contrib/go contrib/test",
	"internal/pilots":                  "denoise cmd/blorc-denoise",
	"watch":                            "cmd/blorc-denoise",
	"cmd/blorc-denoise/internal/batch": "cmd/blorc-denoise",

	// tests are not looked at here
	"internal/scene/scenetest": "", "internal/solve/solvetest": "", "internal/mosaic/dngtest": "",
	"internal/disk/powertest": "", "internal/must": "internal/disk/powertest",
}

// imports returns what each package of the module imports of the module, tests left out.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], module)
		all[pkg] = nil
		for _, w := range words[1:] {
			if name, ok := strings.CutPrefix(w, module); ok {
				all[pkg] = append(all[pkg], name)
			}
		}
	}
	return all
}

func TestImportsPointDown(t *testing.T) {
	floor := map[string]int{}
	for i, packages := range floors {
		for _, p := range strings.Fields(packages) {
			floor[p] = i
		}
	}
	for pkg, imported := range imports(t) {
		if _, ok := floor[pkg]; !ok {
			t.Errorf("%s has no floor", pkg)
		}
		for _, other := range imported {
			if floor[other] >= floor[pkg] {
				t.Errorf("%s (floor %d) imports %s (floor %d)", pkg, floor[pkg], other, floor[other])
			}
			if may, ok := shut[other]; ok && !slices.Contains(strings.Fields(may), pkg) {
				t.Errorf("%s imports %s", pkg, other)
			}
		}
	}
}

// gonum/plot draws the figures of the paper, which is a module of its own. Who uses this module needs neither.
func TestPlotsAreNotRequired(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-test", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "gonum.org/v1/plot") {
		t.Error("a package or a test needs gonum.org/v1/plot")
	}
}

// The program builds without a C compiler.
func TestNoCgo(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f",
		"{{if .CgoFiles}}{{if not .Standard}}{{.ImportPath}}{{end}}{{end}}", module+"cmd/blorc-denoise")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if p := strings.Fields(string(out)); len(p) > 0 {
		t.Errorf("packages with cgo: %v", p)
	}
}
