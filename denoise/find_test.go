package denoise

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// noisePage is the page about noise, read before TestMain changes the folder.
var noisePage, errNoisePage = os.ReadFile("../docs/noise.md")

// The page has a table of the detectors, in their order.
func TestDocsListDetectors(t *testing.T) {
	if errNoisePage != nil {
		t.Fatal(errNoisePage)
	}
	table := regexp.MustCompile(`(?m)^\| detector \|.*\n((?:\|.*\n)+)`).FindSubmatch(noisePage)
	if table == nil {
		t.Fatal("docs/noise.md has no table of detectors")
	}
	var listed, want []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z ]+) \|`).FindAllSubmatch(table[1], -1) {
		listed = append(listed, string(row[1]))
	}
	for _, d := range detectors() {
		want = append(want, d.name)
	}
	if !slices.Equal(listed, want) {
		t.Errorf("docs/noise.md lists the detectors %q, the code has %q", listed, want)
	}
}
