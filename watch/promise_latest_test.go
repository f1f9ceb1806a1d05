//go:build unix

package watch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// long is the name of an output with digits of the job's ID.
func long(name, content string) string { return withID(name, idOf(Sum(sha(content)), ""), 8) }

func TestPromise24TheLatestContentHasTheName(t *testing.T) {
	b := newBench(t, fastDir(t))
	path := filepath.Join(b.in, "d", "a.x")
	// A writer that makes the file at full size, closes it, and fills it later.
	b.put("d/a.x", "half\x00\x00\x00\x00\x00")
	b.once()
	write(t, path, "half whole")
	b.once()
	b.wantOut("d/a.x=done: half whole", long("d/a.x", "half\x00\x00\x00\x00\x00")+"=done: half\x00\x00\x00\x00\x00")
	// There and back again.
	write(t, path, "third")
	b.once()
	write(t, path, "half whole")
	b.once()
	b.wantOut("d/a.x=done: half whole", long("d/a.x", "third")+"=done: third",
		long("d/a.x", "half\x00\x00\x00\x00\x00")+"=done: half\x00\x00\x00\x00\x00")
	if n := b.stub.total(); n != 3 {
		t.Errorf("%d jobs", n)
	}
	// The same content with other parameters comes beside.
	b.o.Params = "other"
	b.once()
	b.o.Params = ""
	beside := withID("d/a.x", idOf(Sum(sha("half whole")), "other"), 8)
	if text, err := os.ReadFile(filepath.Join(b.out, beside)); err != nil || string(text) != "done: half whole" {
		t.Errorf("%q, %v", text, err)
	}
	// Inputs are deleted only with their output there, whatever its name has become.
	b.o.OnSuccess = Policy{Delete: true}
	b.put("d/b.x", "third")
	b.once()
	wantTree(t, b.in)
	if s, err := ReadStatus(context.Background(), b.out, nil); err != nil || len(s.Renamed) > 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// What the ledger does not know, or what has changed since it was made, keeps its name, and the status says so.
func TestPromise24OthersKeepTheirNames(t *testing.T) {
	n, failures := 0, 0
	for name, meddle := range map[string]func(out string){
		"rewritten": func(out string) { write(t, out, "mine") },
		"replaced":  func(out string) { write(t, out+"2", "mine"); must(t, os.Rename(out+"2", out)) },
		"touched":   func(out string) { write(t, out, "mine"); must(t, os.Chtimes(out, time.Time{}, time.Unix(1, 0))) },
		"link":      func(out string) { must(t, os.Remove(out)); must(t, os.Symlink("/etc/hostname", out)) },
		"folder":    func(out string) { must(t, os.Remove(out)); must(t, os.Mkdir(out, 0o777)) },
	} {
		b := newBench(t, fastDir(t))
		b.put("a.x", "one")
		b.once()
		out := filepath.Join(b.out, "a.x")
		meddle(out)
		before, err := os.Lstat(out)
		must(t, err)
		b.put("a.x", "two")
		b.once()
		after, err := os.Lstat(out)
		if text, _ := os.ReadFile(filepath.Join(b.out, long("a.x", "two"))); err != nil ||
			!os.SameFile(before, after) || string(text) != "done: two" {
			failures++
			t.Errorf("%s: %v, %q", name, err, text)
		}
		s, err := ReadStatus(context.Background(), b.out, func(string) bool { return true })
		if want := []Renamed{{"a.x", long("a.x", "two")}}; err != nil || !slices.Equal(s.Renamed, want) {
			t.Errorf("%s: %+v, %v", name, s.Renamed, err)
		}
		n++
	}
	row(t, "F38 output that is not the daemon's", n, failures, 0)
}

// The daemon is killed at any instant while contents of the same names follow one another: the latest has the name, and
// each other one is there once.
func TestPromise24KilledAtAnyInstant(t *testing.T) {
	t.Parallel()
	dir := fastDir(t)
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	rounds, names := count(8, 40), 4
	want := map[string]string{}
	rng := rand.New(rand.NewPCG(9, 9))
	kills := 0
	for round := range rounds {
		for i := range names {
			name := fmt.Sprintf("d/%d.x", i)
			if round > 0 {
				old := fmt.Sprintf("%d version %d", i, round-1)
				want[long(name, old)] = "done: " + old
			}
			text := fmt.Sprintf("%d version %d", i, round)
			want[name] = "done: " + text
			write(t, filepath.Join(in, name), text)
		}
		for range 2 {
			cmd := self("daemon", "-local", "-settle", "1ms", in, out)
			lines := len(ledgerLines(out)) + rng.IntN(6*names)
			must(t, cmd.Start())
			eventually(t, "progress", func() bool {
				return len(ledgerLines(out)) >= lines || strings.Count(strings.Join(ledgerLines(out), ""),
					`"done"`) >= names*(round+1)
			})
			time.Sleep(time.Duration(rng.IntN(4000)) * time.Microsecond)
			must(t, cmd.Process.Kill())
			cmd.Wait()
			kills++
		}
		must(t, self("daemon", "-local", "-once", "-settle", "1ms", in, out).Run())
	}
	var all []string
	for name, text := range want {
		all = append(all, name+"="+text)
	}
	slices.Sort(all)
	failures := 0
	if got := visible(tree(t, out)); !slices.Equal(got, all) {
		failures++
		t.Error(cmp.Diff(all, got))
	}
	row(t, "F38 killed while outputs exchange names", kills, failures, 0)
}

// Every state that a kill can leave the names in is carried through.
func TestPromise24EveryStep(t *testing.T) {
	for i := range 10 {
		step, apart := i/2, i%2 == 0
		b := newBench(t, fastDir(t))
		b.put("a.x", "one")
		b.once()
		path := func(name string) string { return filepath.Join(b.out, name) }
		aside, second := long("a.x", "one"), long("a.x", "two")
		write(t, path(second), "done: two")
		b.put("a.x", "two")
		// The daemon has done the second content, and was killed in the middle of the exchange.
		l, err := openLedgerAt(t, filepath.Join(b.out, stateFolder, ledgerName), "")
		must(t, err)
		stamp, err := look(b.in, "a.x")
		must(t, err)
		made, err := look(b.out, second)
		must(t, err)
		r := record{Kind: kindDone, ID: idOf(Sum(sha("two")), ""), Sum: Sum(sha("two")), Name: "a.x", Stamp: stamp,
			Out: fileName(second), Made: made}
		if apart { // as for a content that was done before
			must(t, l.add(r))
			r.Kind = kindSwap
		}
		r.Old, r.Aside = idOf(Sum(sha("one")), ""), fileName(aside)
		must(t, l.add(r))
		if step == 4 {
			must(t, l.compact())
		}
		l.shut()
		if step >= 1 {
			must(t, os.Link(path("a.x"), path(aside)))
		}
		if step >= 2 {
			must(t, os.Rename(path(second), path("a.x")))
		}
		if step == 2 {
			must(t, os.Link(path(aside), path(second)))
		}
		b.once()
		b.wantOut("a.x=done: two", aside+"=done: one")
		if b.stub.total() != 1 {
			t.Errorf("step %d: %d jobs", step, b.stub.total())
		}
	}
}

// Where two names cannot be exchanged, both outputs keep theirs.
func TestPromise24NothingIsLostWithoutExchange(t *testing.T) {
	b := newBench(t, fastDir(t))
	folder, err := openLedgerAt(t, filepath.Join(b.in, "x"), "")
	must(t, err)
	folder.shut()
	write(t, filepath.Join(b.in, "old"), "old")
	made, err := look(b.in, "old")
	must(t, err)
	if err := exchange(folder.folder, "old", "missing", "aside", made, made); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	must(t, os.Remove(filepath.Join(b.in, ledgerName)))
	wantTree(t, b.in, "old=old")
}

func TestPromise25StatusOfFailures(t *testing.T) {
	check := func(b *bench, failed, past string) {
		t.Helper()
		s, err := ReadStatus(context.Background(), b.out, func(string) bool { return true })
		must(t, err)
		list := func(all []Failure) string {
			text := ""
			for _, f := range all {
				text += f.Name + " " + f.Then + ";"
			}
			return text
		}
		if list(s.Failed) != failed || list(s.Past) != past {
			t.Errorf("failed %q, past %q; want %q and %q", list(s.Failed), list(s.Past), failed, past)
		}
	}
	b := newBench(t, fastDir(t))
	b.put("a.x", "refuse a")
	b.put("b.x", "refuse b")
	b.put("c.x", "refuse c")
	b.once()
	check(b, "a.x ;b.x ;c.x ;", "")
	b.put("a.x", "good")
	b.put("b.x", "pending")
	must(t, os.Remove(filepath.Join(b.in, "c.x")))
	check(b, "", "a.x replaced;b.x replaced;c.x gone;")
	b.put("b.x", "refuse b")
	b.once()
	check(b, "b.x ;", "a.x done;c.x gone;")

	// In quarantine a failure stays until somebody takes the file away, or the name is done.
	b = newBench(t, fastDir(t))
	bad := filepath.Join(filepath.Dir(b.in), "bad")
	b.o.OnFailure = Policy{MoveTo: bad}
	b.put("a.x", "refuse a")
	b.put("b.x", "refuse b")
	b.once()
	check(b, "a.x ;b.x ;", "")
	must(t, os.Remove(filepath.Join(bad, "a.x")))
	b.put("b.x", "good")
	b.once()
	check(b, "", "a.x gone;b.x done;")
}

// unreadable is a Runner that cannot read a file, as one without the right to.
type unreadable struct {
	Runner
	name string
}

func (u unreadable) Run(ctx context.Context, in Source, begin Begin) (string, error) {
	if in.Name == u.name {
		return "", &os.PathError{Op: "open", Path: in.Path(), Err: os.ErrPermission}
	}
	return u.Runner.Run(ctx, in, begin)
}

// A file that is tried again and again has the number of its tries and the reason in the status, until it changes or is
// done.
func TestPromise25StatusOfRetries(t *testing.T) {
	t.Parallel()
	b := newBench(t, fastDir(t))
	b.stub.work = func(ctx context.Context, in string, data []byte, out Output) (string, error) {
		if string(data) == "later" {
			return "", errors.New("no room")
		}
		return stubWork(ctx, in, data, out)
	}
	b.o.Runner = unreadable{b.o.Runner, "b.x"}
	b.o.Settle = 5 * time.Millisecond
	pending := func() []Pending {
		s, err := ReadStatus(context.Background(), b.out, func(string) bool { return true })
		must(t, err)
		return s.Pending
	}
	b.put("a.x", "later")
	b.put("b.x", "locked")
	b.put("c.x", "good")
	_, stop := b.start()
	eventually(t, "tries", func() bool {
		return b.log.count("file=a.x") > 1 && b.log.count("file=b.x") > 1 && b.log.count("msg=done file=c.x") > 0
	})
	stop()
	p := pending()
	if len(p) != 2 || p[0].Name != "a.x" || p[0].Tries < 2 || p[0].Reason != "no room" ||
		p[1].Name != "b.x" || p[1].Tries < 2 || !strings.Contains(p[1].Reason, "permission denied") {
		t.Errorf("%+v", p)
	}
	b.put("a.x", "another content")
	if p := pending(); len(p) != 2 || p[0].Tries != 0 || p[0].Reason != "" || p[1].Tries < 2 {
		t.Errorf("after a change: %+v", p)
	}
	b.o.Runner = local{b.stub.Work}
	b.once()
	if p := pending(); len(p) > 0 {
		t.Errorf("after the work: %+v", p)
	}
}
