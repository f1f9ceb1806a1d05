package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A finished input that cannot be moved is tried again after longer and longer pauses, though its renames look like
// changes of it.
func TestMovesAreTriedAgainLater(t *testing.T) {
	for _, polling := range []bool{true, false} {
		dir := fastDir(t)
		b := newBench(t, dir)
		target := filepath.Join(dir, "moved")
		write(t, target, "no folder")
		b.o.Polling, b.o.OnSuccess = polling, Policy{MoveTo: target}
		b.put("a.x", "a")
		if s := b.once(); s.Done != 1 || s.Left != 1 || b.log.count("msg=retry") != 3 ||
			b.log.count(fmt.Sprintf("in=%v tries=2", 2*firstPause)) != 1 {
			t.Errorf("polling %v: %+v", polling, s)
		}
		must(t, os.Remove(target))
		if s := b.once(); s.Left != 0 || b.stub.total() != 1 || len(tree(t, target)) != 1 {
			t.Errorf("polling %v: %+v, %q", polling, s, tree(t, target))
		}
	}
}

// A run to the end of the work tells of the files that failed in an earlier run, until they change.
func TestFailedBefore(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.put("a.x", "refuse")
	b.put("b.x", "good")
	for i, want := range []Summary{{Done: 1, Failed: 1}, {FailedBefore: 1}} {
		if s := b.once(); s != want {
			t.Errorf("run %d: %+v, want %+v", i, s, want)
		}
	}
	b.put("a.x", "good now")
	if s := b.once(); s != (Summary{Done: 1}) {
		t.Errorf("%+v", s)
	}
}

// What made a job crash may have been the load of the machine. So it is tried again if it may crash more often, or if
// somebody touches the file.
func TestCrashedIsTriedAgain(t *testing.T) {
	b := newBench(t, fastDir(t))
	crash := true
	b.stub.work = func(ctx context.Context, in string, data []byte, out Output) (string, error) {
		if crash {
			return "", failf(ErrCrashed, "no end")
		}
		return stubWork(ctx, in, data, out)
	}
	b.o.Tries = 1
	b.put("a.x", "a")
	b.put("b.x", "b")
	want := func(when string, s, want Summary, tries int) {
		t.Helper()
		if s != want || b.stub.total() != tries {
			t.Errorf("%s: %+v, want %+v; %d tries, want %d", when, s, want, b.stub.total(), tries)
		}
	}
	want("first", b.once(), Summary{Failed: 2}, 2)
	want("again", b.once(), Summary{FailedBefore: 2}, 2)
	touched := time.Now().Add(time.Hour)
	must(t, os.Chtimes(filepath.Join(b.in, "a.x"), touched, touched))
	want("touched", b.once(), Summary{Failed: 1, FailedBefore: 1}, 3)
	crash, b.o.Tries = false, 2
	want("more tries", b.once(), Summary{Done: 2}, 5)
}

// The second chance outlasts a compaction of the ledger.
func TestCrashedIsTriedAgainAfterCompaction(t *testing.T) {
	l, err := openLedgerAt(t, filepath.Join(t.TempDir(), ledgerName), "p")
	must(t, err)
	defer l.shut()
	sum := Sum{1}
	must(t, l.add(record{Kind: kindFailed, ID: idOf(sum, "p"), Sum: sum, Name: "a.x", Crashes: 3}))
	must(t, l.tryCrashedAgain(3))
	if got := l.verdict(sum); got != failed {
		t.Errorf("as many tries: %v", got)
	}
	must(t, l.tryCrashedAgain(5))
	must(t, l.compact())
	if got := l.verdict(sum); got != begun {
		t.Errorf("more tries: %v", got)
	}
}

// A trouble is over when what it kept from its end has ended, or is gone.
func TestTroubleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, remove := range []string{"moved", "in/a.x"} {
			dir := fastDir(t)
			b := newBench(t, dir)
			target := filepath.Join(dir, "moved")
			write(t, target, "no folder")
			b.o.OnSuccess, b.o.Interval, b.o.Settle = Policy{MoveTo: target}, time.Second, time.Second
			b.put("a.x", "a")
			d, stop := b.start()
			time.Sleep(5 * time.Second)
			if s, err := d.Snapshot(t.Context()); err != nil || s.Troubles == 0 {
				t.Errorf("no trouble: %+v, %v", s, err)
			}
			must(t, os.Remove(filepath.Join(dir, remove)))
			time.Sleep(time.Minute)
			if s, err := d.Snapshot(t.Context()); err != nil || s.Troubles != 0 {
				t.Errorf("%s is gone: %+v, %v", remove, s, err)
			}
			stop()
		}
	})
}

// Files that exchanged their names have outputs under their old names. Nothing is done twice, but it is told.
func TestOlderOutputIsTold(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.put("a.x", "1")
	b.put("b.x", "2")
	b.once()
	b.put("a.x", "2")
	b.put("b.x", "1")
	b.once()
	if log := b.log.String(); b.stub.total() != 2 || strings.Count(log, "shows an older version") != 2 {
		t.Error("not told")
	}
}

// A job that takes longer than the grace at the end is left.
func TestStoppedIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fastDir(t))
		b.stub.work = func(ctx context.Context, _ string, _ []byte, _ Output) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}
		b.o.Settle, b.o.Grace = time.Second, time.Second
		b.put("a.x", "a")
		d, err := New(b.o)
		must(t, err)
		defer d.Close()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		if s, err := d.Run(ctx); err != nil || s != (Summary{Left: 1}) {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// The input folder may go and come back: both are noticed soon, also where events make scans rare.
func TestInputFolderGoesAndComes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder that is watched cannot be removed there")
	}
	t.Parallel()
	b := newBench(t, fastDir(t))
	b.o.Polling, b.o.Settle = false, 10*time.Millisecond
	b.put("a.x", "a")
	_, stop := b.start()
	defer stop()
	eventually(t, "the first output", func() bool { return exists(filepath.Join(b.out, "a.x")) })
	must(t, os.RemoveAll(b.in))
	eventually(t, "the error", func() bool { return b.log.count("msg=scan ") > 0 })
	must(t, os.Mkdir(b.in, 0o777))
	b.put("b.x", "b")
	eventually(t, "the second output", func() bool { return exists(filepath.Join(b.out, "b.x")) })
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// A file that is gone before its turn is not waited for.
func TestPromise20GoneFilesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fastDir(t))
		b.o.Settle, b.o.Interval = time.Hour, time.Second
		b.put("a.x", "a")
		d, stop := b.start()
		defer stop()
		for _, want := range []int{1, 0} {
			time.Sleep(5 * time.Second)
			if s, err := d.Snapshot(t.Context()); err != nil || s.Pending != want {
				t.Errorf("%d files are waited for, want %d, %v", s.Pending, want, err)
			}
			os.Remove(filepath.Join(b.in, "a.x"))
		}
	})
}
