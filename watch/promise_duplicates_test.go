//go:build unix

package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A file with the content of another has its own output, and nothing is done twice.
func TestPromise26DuplicatesHaveOutputs(t *testing.T) {
	for _, how := range []string{"", "link", "copy", "skip"} {
		b := newBench(t, fastDir(t))
		b.o.Duplicates = how
		b.put("a.x", "one")
		b.once()
		b.put("b.x", "one")
		b.put("d/c.x", "one")
		b.put("bad.x", "refuse")
		b.put("worse.x", "refuse")
		if s := b.once(); s.Done != 0 {
			t.Errorf("%s: %+v", how, s)
		}
		s, err := ReadStatus(t.Context(), b.out, nil)
		if err != nil || s.Done != 1 || s.Same != 2 || len(s.Pending) != 0 || len(s.Failed) != 2 ||
			len(s.Renamed) != 0 {
			t.Errorf("%s: %+v, %v", how, s, err)
		}
		if how == "skip" {
			b.wantOut("a.x=done: one")
			continue
		}
		b.wantOut("a.x=done: one", "b.x=done: one", "d/c.x=done: one")
		a, err1 := os.Lstat(filepath.Join(b.out, "a.x"))
		c, err2 := os.Lstat(filepath.Join(b.out, "d", "c.x"))
		must(t, errors.Join(err1, err2))
		if os.SameFile(a, c) != (how != "copy") {
			t.Errorf("%s: one file: %v", how, os.SameFile(a, c))
		}
	}
	b := newBench(t, fastDir(t))
	b.o.Duplicates = "twice"
	if _, err := New(b.o); !errors.Is(err, ErrOptions) {
		t.Error(err)
	}
}

// A name that is taken stays, and the output gets digits.
func TestPromise26NothingIsReplaced(t *testing.T) {
	for _, how := range []string{"link", "copy"} {
		b := newBench(t, fastDir(t))
		b.o.Duplicates = how
		b.put("a.x", "one")
		b.once()
		write(t, filepath.Join(b.out, "b.x"), "the user's own")
		write(t, filepath.Join(b.out, "c.x"), "done: one") // as it would be
		b.put("b.x", "one")
		b.put("c.x", "one")
		b.once()
		b.wantOut("a.x=done: one", "b.x=the user's own", long("b.x", "one")+"=done: one", "c.x=done: one")
		s, err := ReadStatus(t.Context(), b.out, nil)
		if err != nil || s.Same != 2 || len(s.Renamed) != 1 || s.Renamed[0] != (Renamed{"b.x", long("b.x", "one")}) {
			t.Errorf("%s: %+v, %v", how, s, err)
		}
	}
}

// An output that somebody has changed or taken away is not given to another file.
func TestPromise26OnlyTheOutputItself(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.put("a.x", "one")
	b.put("z.x", "two")
	b.once()
	must(t, os.Remove(filepath.Join(b.out, "a.x")))
	write(t, filepath.Join(b.out, "a.x"), "changed")
	must(t, os.Remove(filepath.Join(b.out, "z.x")))
	b.put("b.x", "one")
	b.put("y.x", "two")
	b.once()
	b.wantOut("a.x=changed")
	if b.log.count(`msg="no output" file=b.x`) != 1 ||
		b.log.count(`file=y.x as=z.x output=z.x note="that output is not there any more"`) != 1 {
		t.Error("not told")
	}
}

// A file that was like another and changes has its new output under the plain name, and the other file keeps its own.
func TestPromise24AfterADuplicate(t *testing.T) {
	for _, how := range []string{"link", "copy"} {
		b := newBench(t, fastDir(t))
		b.o.Duplicates = how
		b.put("a.x", "one")
		b.once()
		b.put("b.x", "one")
		b.once()
		b.put("b.x", "two and more")
		b.once()
		want := []string{"a.x=done: one", "b.x=done: two and more", long("b.x", "one") + "=done: one"}
		b.wantOut(want...)
		// The first job still has its output.
		b.put("c.x", "one")
		b.put("a.x", "three and more")
		b.once()
		b.wantOut("a.x=done: three and more", long("a.x", "one")+"=done: one", want[1], want[2], "c.x=done: one")
		if b.stub.of("one") != 1 {
			t.Errorf("%s: done %d times", how, b.stub.of("one"))
		}
	}
}

// A daemon that was killed before it could note the output finds it.
func TestPromise12KilledAfterADuplicate(t *testing.T) {
	for _, how := range []string{"link", "copy"} {
		b := newBench(t, fastDir(t))
		b.o.Duplicates = how
		b.put("a.x", "one")
		b.once()
		before, err := os.ReadFile(filepath.Join(b.out, stateFolder, ledgerName))
		must(t, err)
		b.put("b.x", "one")
		b.once()
		must(t, os.WriteFile(filepath.Join(b.out, stateFolder, ledgerName), before, 0o666))
		b.once()
		b.wantOut("a.x=done: one", "b.x=done: one")
	}
}

// An output that is given to another file, or found there, has its name on the disk before the ledger says so.
func TestPromise26Order(t *testing.T) {
	for _, how := range []string{"link", "copy"} {
		dir := fastDir(t)
		b := newBench(t, dir)
		b.o.Duplicates = how
		b.put("a.x", "one")
		b.once()
		for _, name := range []string{"b.x", "c.x"} {
			if name == "c.x" {
				write(t, filepath.Join(b.out, name), "done: one")
			}
			b.put(name, "one")
			got := steps(t, dir, func() { b.once() })
			want := []string{"sync folder out", "sync file " + ledgerPath}
			if !slices.Equal(got[len(got)-2:], want) {
				t.Errorf("%s, %s: %q", how, name, got)
			}
		}
	}
}

// Inputs are taken away as if they had been done.
func TestPromise26WithPolicy(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.o.OnSuccess = Policy{Delete: true}
	b.put("a.x", "one")
	b.once()
	b.put("b.x", "one")
	b.once()
	wantTree(t, b.in)
	b.wantOut("a.x=done: one", "b.x=done: one")
}
