package watch

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// filled is a ledger with some of everything.
func filled(t testing.TB, path string, n int) *ledger {
	t.Helper()
	l, err := openLedgerAt(t, path, "p")
	must(t, err)
	must(t, l.add(record{Kind: kindStart, Name: "in", Params: "p"}))
	for i := range n {
		sum := Sum{byte(i), byte(i >> 8), 1}
		r := record{Kind: kindTry, ID: idOf(sum, "p"), Sum: sum, Name: fileName(fmt.Sprintf("%d\xff.x", i)),
			Stamp: Stamp{Size: int64(i)}, Starts: 1}
		must(t, l.add(r))
		r.Kind = []string{kindDone, kindFailed, kindWait}[i%3]
		must(t, l.add(r))
	}
	return l
}

func TestPromise13TruncatedAnywhere(t *testing.T) {
	t.Parallel()
	dir := fastDir(t)
	path := filepath.Join(dir, "ledger")
	l := filled(t, path, 12)
	l.shut()
	whole, err := os.ReadFile(path)
	must(t, err)
	rng := rand.New(rand.NewPCG(5, 6))
	n, failures := 1000, 0
	for range n {
		cut := rng.IntN(len(whole) + 1)
		must(t, os.WriteFile(path, whole[:cut], 0o666))
		l, err := openLedgerAt(t, path, "p")
		must(t, err)
		lines := strings.Count(string(whole[:cut]), "\n")
		if l.lines != lines || l.bad > 1 {
			failures++
		}
		extra := record{Kind: kindDone, ID: ID{9}, Sum: Sum{9}, Name: "extra", Stamp: Stamp{Size: 1}}
		must(t, l.add(extra))
		want := len(l.jobs)
		l.shut()
		again, err := openLedgerAt(t, path, "p")
		must(t, err)
		if cut < len(whole) && whole[cut] == '\n' { // only the end of the line was missing, and is there now
			want = len(again.jobs)
		}
		if len(again.jobs) != want || again.jobs[ID{9}].state != done {
			failures++
		}
		again.shut()
	}
	row(t, "F21 ledger truncated", n, failures, 0)
}

// A flipped bit costs the line that it is in, or two if it was an end of line.
func TestPromise13FlippedBits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(fastDir(t), "ledger")
	l := filled(t, path, 12)
	l.shut()
	whole, err := os.ReadFile(path)
	must(t, err)
	rng := rand.New(rand.NewPCG(7, 8))
	n, failures := 1000, 0
	for range n {
		data := append([]byte(nil), whole...)
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		must(t, os.WriteFile(path, data, 0o666))
		l, err := openLedgerAt(t, path, "p")
		must(t, err)
		if l.bad < 1 || l.bad > 2 || len(l.jobs) < 10 {
			failures++
		}
		l.shut()
	}
	row(t, "ledger with a flipped bit", n, failures, 0)
}

func TestPromise13CompactionKeepsAllThatCounts(t *testing.T) {
	path := filepath.Join(fastDir(t), "ledger")
	l := filled(t, path, 60)
	delete(l.names, "3\xff.x") // a file that is gone
	states, names := map[ID]state{}, map[string]note{}
	for id, j := range l.jobs {
		states[id] = j.state
	}
	for name, n := range l.names {
		n.where = 0
		names[name] = n
	}
	must(t, l.compact())
	check := func(l *ledger, alsoGone bool) {
		t.Helper()
		for id, want := range states {
			if l.jobs[id].state != want {
				t.Errorf("%v: state %d, want %d", id, l.jobs[id].state, want)
			}
			if r, err := l.at(l.jobs[id].where); err != nil || r.ID != id {
				t.Errorf("%v, %v", r, err)
			}
		}
		got := map[string]note{}
		for name, n := range l.names {
			n.where = 0
			got[name] = n
		}
		if !alsoGone {
			delete(got, "3\xff.x")
		}
		if d := cmp.Diff(names, got, cmp.AllowUnexported(note{})); d != "" {
			t.Error(d)
		}
	}
	check(l, true)
	must(t, l.add(record{Kind: kindSeen, ID: ID{1}, Name: "later", Stamp: Stamp{Size: 1}}))
	delete(l.names, "later")
	l.shut()
	again, err := openLedgerAt(t, path, "p")
	must(t, err)
	delete(again.names, "later")
	check(again, false)
	again.shut()
}

func TestPromise13LedgerIsBounded(t *testing.T) {
	path := filepath.Join(fastDir(t), "ledger")
	l := filled(t, path, 3)
	for i := range 20000 {
		must(t, l.add(record{Kind: kindWait, ID: ID{1}, Name: "a", Starts: i}))
		if i%100 == 0 {
			must(t, l.tidy(nil))
		}
		if l.lines > 2*(len(l.jobs)+len(l.names))+slack+100 {
			t.Fatalf("%d lines", l.lines)
		}
	}
	l.shut()
}

func TestPromise13DiskFullInTheMiddleOfALine(t *testing.T) {
	path := filepath.Join(fastDir(t), "ledger")
	l := filled(t, path, 3)
	before := len(l.jobs)
	l.file.Close() // all writes fail
	if l.add(record{Kind: kindDone, ID: ID{1}}) == nil || len(l.jobs) != before {
		t.Error("it counts as written")
	}
	l.file = nil
	must(t, os.WriteFile(path+"x", nil, 0o666))
	appendTo(t, path, "0123 half a li")
	l.shut()
	again, err := openLedgerAt(t, path, "p")
	must(t, err)
	must(t, again.add(record{Kind: kindDone, ID: ID{2}}))
	again.shut()
	if again, err = openLedgerAt(t, path, "p"); err != nil || again.jobs[ID{2}].state != done || again.bad != 1 {
		t.Errorf("%v, %d bad", err, again.bad)
	}
	again.shut()
}

// Errors of the ledger name it as the user would.
// A line that is not what it was when the ledger was read is told, not believed.
func TestPromise13LineThatHasChanged(t *testing.T) {
	l := filled(t, filepath.Join(fastDir(t), ledgerName), 1)
	defer l.shut()
	text, err := os.ReadFile(l.path())
	must(t, err)
	where := int64(bytes.LastIndexByte(text[:len(text)-1], '\n') + 1)
	if _, err := l.at(where); err != nil {
		t.Error(err)
	}
	text[len(text)-3]++
	must(t, os.WriteFile(l.path(), text, 0o666))
	if _, err := l.at(where); err == nil {
		t.Error("a line with a wrong checksum is read")
	}
}

func TestLedgerErrorsHaveThePath(t *testing.T) {
	b := newBench(t, fastDir(t))
	d, err := New(b.o)
	must(t, err)
	defer d.Close()
	d.ledger.file.Close() // all writes fail
	var p *fs.PathError
	if err := d.ledger.add(record{Kind: kindWait}); !errors.As(err, &p) ||
		p.Path != filepath.Join(b.out, stateFolder, ledgerName) {
		t.Error(err)
	}
}

// After the end a ledger takes nothing: another daemon may have it. Of a job that it does not know it says nothing.
func TestPromise13EndedLedger(t *testing.T) {
	l := filled(t, filepath.Join(fastDir(t), ledgerName), 3)
	if r, err := l.last(ID{99}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a job that is not known: %v, %v", r, err)
	}
	before, err := os.ReadFile(l.path())
	must(t, err)
	l.shut()
	if err := l.add(record{Kind: kindDone, ID: ID{1}}); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	if after, err := os.ReadFile(l.path()); err != nil || !bytes.Equal(after, before) {
		t.Errorf("%d bytes were %d, %v", len(after), len(before), err)
	}
}

func FuzzLedger(f *testing.F) {
	path := filepath.Join(f.TempDir(), "ledger")
	l := filled(f, path, 3)
	l.shut()
	data, err := os.ReadFile(path)
	must(f, err)
	f.Add(data)
	f.Add([]byte("00000000 {}\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "ledger")
		must(t, os.WriteFile(path, data, 0o666))
		l, err := openLedgerAt(t, path, "p")
		must(t, err)
		must(t, l.add(record{Kind: kindDone, ID: ID{1}}))
		must(t, l.compact())
		if l.jobs[ID{1}].state != done {
			t.Error("lost")
		}
		l.shut()
	})
}

// What is known of the files of an input folder says nothing of those of another one, which may have their names.
func TestPromise05NamesOfAnotherFolder(t *testing.T) {
	l, err := openLedgerAt(t, filepath.Join(t.TempDir(), ledgerName), "p")
	must(t, err)
	defer l.close()
	start := func(folder string) { l.remember(0, record{Kind: kindStart, Name: fileName(folder)}) }
	start("/a")
	l.remember(0, record{Kind: kindDone, Name: "x"})
	if start("/a"); len(l.names) != 1 {
		t.Error("a second start forgets the files")
	}
	if start("/b"); len(l.names) != 0 {
		t.Errorf("%d files of another folder are known", len(l.names))
	}
}

func TestFileNamesOfAnyBytes(t *testing.T) {
	for name, want := range map[string]string{"": `""`, "a": `"a"`, "\xff\xfe": `{"base64":"//4="}`, "ü": `"ü"`,
		"line\nbreak": `"line\nbreak"`, `{"base64":"eA=="}`: `"{\"base64\":\"eA==\"}"`} {
		data, err := fileName(name).MarshalJSON()
		must(t, err)
		var got fileName
		if err := got.UnmarshalJSON(data); err != nil || string(got) != name || string(data) != want {
			t.Errorf("%q came back as %q, %v, from %s", name, got, err, data)
		}
	}
	for _, bad := range []string{"{}", `{"base64":null}`, `{"base64":"?"}`, "7", "[]"} {
		if err := new(fileName).UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%s is taken for a name", bad)
		}
	}
}

// A folder that can never be looked at does not keep the daemon from forgetting the files that are gone elsewhere.
func TestPromise20AFolderThatCannotBeRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, fastDir(t))
	deep := strings.TrimSuffix(strings.Repeat("d/", maxDepth+1), "/")
	must(t, os.MkdirAll(filepath.Join(b.in, deep), 0o777))
	b.o.Settle, b.o.Interval, b.o.OnSuccess = 5*time.Millisecond, 20*time.Millisecond, Policy{Delete: true}
	d, _ := b.start()
	eventually(t, "the error", func() bool { return b.log.count("more than 200 folders deep") > 0 })
	for i := range 5 {
		b.put(fmt.Sprintf("%d.x", i), fmt.Sprint("content ", i))
	}
	eventually(t, "all jobs", func() bool { return b.stub.total() == 5 })
	eventually(t, "no notes", func() bool {
		d.ledger.mu.Lock()
		defer d.ledger.mu.Unlock()
		return len(d.ledger.names) == 0
	})
}

// What could not be looked at may still be there: it is not forgotten.
func TestPromise17WhatIsUnseenIsKept(t *testing.T) {
	for at, want := range map[string][]string{"": {"a.x", "a/b.x", "ab/c.x"}, "a": {"a/b.x"}, "a.x": {"a.x"},
		"none": nil} {
		l := filled(t, filepath.Join(fastDir(t), "ledger"), 0)
		for _, name := range []string{"a/b.x", "a.x", "ab/c.x"} {
			l.names[name] = note{}
		}
		l.scan++
		must(t, l.tidy(unseen{at}))
		if got := slices.Sorted(maps.Keys(l.names)); !slices.Equal(got, want) {
			t.Errorf("unseen %q: %q are left, want %q", at, got, want)
		}
		l.shut()
	}
}
