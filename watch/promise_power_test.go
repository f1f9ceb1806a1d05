//go:build unix

package watch

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/disk/powertest"
)

// A loss of power at any instant leaves whole outputs only, and of each content the input or, where the input may go,
// its output. The next start does the rest, and what was done stays.
func TestPromise12LossOfPower(t *testing.T) {
	for _, name := range []string{"keep", "delete", "move"} {
		for _, again := range []bool{false, true} {
			dir := filepath.Join(fastDir(t), "dir")
			b := newBench(t, dir)
			b.o.OnSuccess = policies(dir)[name]
			contents, want := []string{"one"}, []string{"a.x=done: one"}
			b.put("a.x", "one")
			if again {
				b.once()
				b.put("a.x", "two")
				contents, want = []string{"one", "two"}, []string{long("a.x", "one") + "=done: one", "a.x=done: two"}
			}
			losses := powertest.Losses(t, dir, func() { b.once() })
			for _, l := range losses {
				checkLoss(t, l, contents, name == "move")
				l.Fill(t, dir)
				b.once()
				if b.wantOut(want...); t.Failed() {
					t.Fatalf("%s, before %q: %q", name, l.Next, l.Files)
				}
			}
		}
	}
}

// checkLoss looks whether a loss has left the input or the output of each content, or all inputs, and no part of one.
func checkLoss(t *testing.T, l powertest.Loss, contents []string, inputs bool) {
	t.Helper()
	files := maps.Clone(l.Files)
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, "out/"+stateFolder) })
	texts := slices.Collect(maps.Values(files))
	for _, c := range contents {
		if !slices.Contains(texts, c) && (inputs || !slices.Contains(texts, "done: "+c)) {
			t.Errorf("%q is lost", c)
		}
	}
	for name, text := range files {
		if !slices.Contains(contents, strings.TrimPrefix(text, "done: ")) {
			t.Errorf("%s holds %q", name, text)
		}
	}
}
