package main

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"strenght", "strength", 1}, {"qualty", "quality", 1}, {"sigma", "gamma", 3},
		{"kitten", "sitting", 3}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestEditDistanceIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-c]{0,6}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if d := editDistance(a, b); d != editDistance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Errorf("%q to %q: %d", a, b, d)
		}
	})
}

// What is wrong on the command line names the command whose help to read, and the flag that was meant.
func TestMisspeltFlags(t *testing.T) {
	for _, c := range []struct{ words, want, help string }{
		{"--strenght 1 a.png", "unknown flag: --strenght; did you mean --strength?", "blorc-denoise --help"},
		{"watch a b --setle 2s", "unknown flag: --setle; did you mean --settle?", "blorc-denoise watch --help"},
		{"noise add --zzzz", "unknown flag: --zzzz\n", "blorc-denoise noise add --help"},
		{"a.png --strength 80", "must be between 0 and 1; 0.8 is 80 %\n", "blorc-denoise --help"},
		{"watch a b --crop 1,2,3,4", "unknown flag: --crop\n", "blorc-denoise watch --help"}, // which is not --wrap
		{"watch a -o b", "'o' in -o; the output folder needs no flag: blorc-denoise watch IN OUT\n",
			"blorc-denoise watch --help"},
		{"watch a b --metrics 9100", "--metrics: address 9100: missing port in address; give HOST:PORT or :PORT\n",
			"blorc-denoise watch --help"},
		{"a.tif --page 2", "unknown flag: --page; all pages of a file are denoised\n", "blorc-denoise --help"},
		{"watch a", "an input and an output folder are needed", "blorc-denoise watch --help"},
	} {
		if code, got := call(t, strings.Fields(c.words)...); code != exitUsage || !strings.Contains(got, c.want) ||
			!strings.Contains(got, "Try '"+c.help+"'.") {
			t.Errorf("%s: exit code %d, %s", c.words, code, got)
		}
	}
}
