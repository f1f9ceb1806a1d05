//go:build unix

package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A burst of more files than the kernel's queue of events holds, with events, with events of which all but a few are
// lost, and without.
func TestPromise04Burst(t *testing.T) {
	n := count(600, 20000)
	for _, mode := range []string{"events", "overflow", "polling"} {
		t.Run(mode, func(t *testing.T) {
			b := newBench(t, fastDir(t))
			b.o.Polling, b.o.Settle = mode == "polling", 50*time.Millisecond
			if mode == "polling" {
				b.o.Interval = 100 * time.Millisecond
			}
			written, stalled := make(chan bool), make(chan bool, 1)
			if mode == "overflow" { // the daemon takes no events until all files are there
				b.o.Beat = func() {
					select {
					case stalled <- true:
					default:
					}
					<-written
				}
			}
			for i := range 10 { // before the daemon, or the folders would not be watched when the files come
				must(t, os.MkdirAll(filepath.Join(b.in, fmt.Sprint(i)), 0o777))
			}
			start := time.Now()
			d, stop := b.start()
			eventually(t, "the first scan",
				func() bool { s, err := d.Snapshot(context.Background()); return err == nil && s.Scans > 0 })
			if mode == "overflow" {
				<-stalled
			}
			for i := range n {
				b.put(fmt.Sprintf("%d/%d.x", i%10, i), fmt.Sprint(i))
			}
			close(written)
			eventually(t, "all outputs", func() bool { return b.stub.total() >= n })
			s := stop()
			failures := n - len(tree(t, b.out))
			if b.stub.total() != n || s.Done != n {
				t.Errorf("%d calls, %d done", b.stub.total(), s.Done)
			}
			t.Logf("overflows of the queue: %d", b.log.count("events were lost"))
			row(t, "F12 burst, "+mode, n, failures, time.Since(start))
		})
	}
}

// Files in folders that are made at the same instant: the event of the folder comes first, those of the files may not.
func TestPromise04NewFolders(t *testing.T) {
	n := count(100, 1000)
	b := newBench(t, fastDir(t))
	b.o.Polling, b.o.Settle, b.o.Interval = false, 10*time.Millisecond, 300*time.Millisecond
	_, stop := b.start()
	for i := range n {
		b.put(fmt.Sprintf("d%d/e/f/a.x", i), fmt.Sprint(i))
	}
	eventually(t, "all", func() bool { return b.stub.total() >= n })
	stop()
	row(t, "F13 new folders", n, n-len(tree(t, b.out)), 0)
}

// Events come from folders that were renamed, too, and from those in them.
func TestPromise04RenamedFolders(t *testing.T) {
	t.Parallel()
	b := newBench(t, fastDir(t))
	b.o.Polling, b.o.Settle, b.o.Interval = false, 5*time.Millisecond, time.Hour
	b.put("0/deep/a.x", "a")
	b.start()
	eventually(t, "the first output", func() bool { return b.stub.total() == 1 })
	for i := range 5 {
		name := fmt.Sprint(i + 1)
		must(t, os.Rename(filepath.Join(b.in, fmt.Sprint(i)), filepath.Join(b.in, name)))
		for range 2 { // a scan may find the first ones
			n := b.stub.total()
			b.put(fmt.Sprintf("%s/%d.x", name, n), fmt.Sprint(n))
			b.put(fmt.Sprintf("%s/deep/%d.x", name, n), fmt.Sprint("deep ", n))
			eventually(t, "the outputs", func() bool { return b.stub.total() == n+2 })
		}
	}
}

func TestPromise05Arrivals(t *testing.T) {
	n := count(20, 200)
	dir := fastDir(t)
	b := newBench(t, dir)
	b.o.Settle = 5 * time.Millisecond
	b.o.Interval = 20 * time.Millisecond
	_, stop := b.start()
	for i := range n {
		name := fmt.Sprintf("%d.x", i)
		outside := filepath.Join(dir, "outside", name)
		write(t, outside, name)
		must(t, os.Rename(outside, filepath.Join(b.in, "renamed-"+name)))
		write(t, outside, "link "+name)
		must(t, os.Link(outside, filepath.Join(b.in, "linked-"+name)))
		b.put("old-"+name, "old "+name)
		must(t, os.Chtimes(filepath.Join(b.in, "old-"+name), time.Time{}, time.Unix(1e9, 0)))
	}
	eventually(t, "all", func() bool { return b.stub.total() >= 3*n })
	stop()
	for i := range n { // other names for the same contents
		name := fmt.Sprintf("%d.x", i)
		must(t, os.Rename(filepath.Join(b.in, "renamed-"+name), filepath.Join(b.in, "again-"+name)))
		must(t, os.Link(filepath.Join(b.in, "linked-"+name), filepath.Join(b.in, "second-"+name)))
	}
	if s := b.once(); s.Done != 0 || b.stub.total() != 3*n {
		t.Errorf("%+v, %d calls", s, b.stub.total())
	}
	row(t, "F10 renamed, linked and old arrivals", 3*n, 5*n-len(tree(t, b.out)), 0)
}

func TestPromise05Rewrites(t *testing.T) {
	n := count(20, 100)
	b := newBench(t, fastDir(t))
	for i := range n {
		b.put("a.x", fmt.Sprintf("version %d", i%(n/2)))
		b.once()
	}
	failures := n/2 - len(tree(t, b.out))
	if b.stub.total() != n/2 {
		t.Errorf("%d calls", b.stub.total())
	}
	row(t, "F26 rewritten", n, failures, 0)
	b.o.Params = "other"
	if s := b.once(); s.Done != 1 {
		t.Errorf("with other parameters: %+v", s)
	}
}

func TestPromise07NothingIsReplaced(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.put("a.x", "one")
	write(t, filepath.Join(b.out, "a.x"), "the user's own")
	b.once()
	id := idOf(Sum(sha("one")), "")
	b.wantOut("a.x=the user's own", "a-"+id.String()[:8]+".x=done: one")

	// A file comes under the name while the job runs.
	b = newBench(t, fastDir(t))
	b.put("a.x", "one")
	b.stub.work = func(ctx context.Context, in string, data []byte, out Output) (string, error) {
		if filepath.Base(out.Name) == "a.x" {
			write(t, out.Path(), "just come")
		}
		return stubWork(ctx, in, data, out)
	}
	b.once()
	b.wantOut("a.x=just come", "a-"+id.String()[:8]+".x=done: one")
}

// Outputs that the ledger does not know, of a batch or of a ledger that was lost, are not made a second time.
func TestPromise07OutputsThatAreThereStayTheOnlyOnes(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.put("a.x", "one")
	b.put("d/b.x", "two")
	b.put("empty.x", "three")
	write(t, filepath.Join(b.out, "a.x"), "done: one")
	write(t, filepath.Join(b.out, "d", "b.x"), "done: another")
	write(t, filepath.Join(b.out, "empty.x"), "")
	want := []string{"a.x=done: one", "d/b.x=done: another", long("d/b.x", "two") + "=done: two", "empty.x=",
		long("empty.x", "three") + "=done: three"}
	if s := b.once(); s.Done != 3 {
		t.Errorf("%+v", s)
	}
	b.wantOut(want...)
	must(t, os.Remove(filepath.Join(b.out, stateFolder, ledgerName)))
	if s := b.once(); s.Done != 3 || s.Left != 0 {
		t.Errorf("%+v", s)
	}
	b.wantOut(want...)
	// What was found so is an output like the others.
	b.put("a.x", "one and more")
	b.once()
	b.wantOut(append(want[1:], "a.x=done: one and more", long("a.x", "one")+"=done: one")...)
}

// The log tells what became of the other file with the content.
func TestPromise05SameContentIsTold(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.put("a.x", "one")
	b.put("bad.x", "refuse")
	b.once()
	must(t, os.Remove(filepath.Join(b.out, "a.x")))
	b.put("b.x", "one")
	b.put("worse.x", "refuse")
	b.once()
	for _, want := range []string{`file=b.x as=a.x output=a.x note="that output is not there any more"`,
		`file=worse.x as=bad.x failed="not to my taste"`} {
		if b.log.count("msg=\"same content\" "+want) != 1 {
			t.Errorf("not told: %s", want)
		}
	}
}

// An input gets another name before its output could be written.
func TestPromise07TheOutputHasTheNameThatTheInputHas(t *testing.T) {
	t.Parallel()
	b := newBench(t, fastDir(t))
	b.put("a.x", "one")
	b.stub.work = func(context.Context, string, []byte, Output) (string, error) {
		return "", errors.New("the disk is full")
	}
	if s := b.once(); s.Left != 1 {
		t.Errorf("%+v", s)
	}
	b.stub.work = nil
	must(t, os.Rename(filepath.Join(b.in, "a.x"), filepath.Join(b.in, "b.x")))
	b.once()
	b.wantOut("b.x=done: one")
}

func TestPromise08InputsAreOnlyTakenAwayWithTheirOutputThere(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.o.OnSuccess = Policy{Delete: true}
	b.put("a.x", "one")
	b.put("bad.x", "refuse")
	b.once()
	wantTree(t, b.in, "bad.x=refuse")
	must(t, os.Remove(filepath.Join(b.out, "a.x")))
	b.put("b.x", "one")
	b.once()
	wantTree(t, b.in, "b.x=one", "bad.x=refuse")
	if b.log.count("its output is gone") != 1 {
		t.Error("not told")
	}
	// A newer version is never taken for the one that was done.
	path := filepath.Join(b.in, "c.x")
	write(t, path, "1")
	stamp, err := look(filepath.Dir(path), filepath.Base(path))
	must(t, err)
	write(t, path, "22")
	if _, err := dispose(Policy{Delete: true}, b.in, "c.x", stamp); !errors.Is(err, ErrChanging) {
		t.Error(err)
	}
	wantTree(t, b.in, "b.x=one", "bad.x=refuse", "c.x=22")
	// What a killed daemon had set aside comes back.
	must(t, os.Rename(path, filepath.Join(b.in, asidePrefix+"c.x")))
	b.once()
	wantTree(t, b.in, "b.x=one", "bad.x=refuse")
	if b.stub.of("22") != 1 {
		t.Error("lost")
	}
}

// An output that cannot be written for a day: the pauses grow, all is done as soon as it can be.
func TestPromise09TriedAgainForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fastDir(t))
		var full atomic.Bool
		full.Store(true)
		b.stub.work = func(ctx context.Context, in string, data []byte, out Output) (string, error) {
			if full.Load() {
				return "", &os.PathError{Op: "write", Path: out.Path(), Err: syscall.ENOSPC}
			}
			return stubWork(ctx, in, data, out)
		}
		for i := range 5 {
			b.put(fmt.Sprintf("%d.x", i), fmt.Sprint(i))
		}
		b.o.Interval = time.Minute
		d, stop := b.start()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		calls := b.stub.total()
		if calls < 5*24 || calls > 24*60*2+100 {
			t.Errorf("%d tries in a day", calls)
		}
		if w := httptest.NewRecorder(); true {
			d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
			if w.Code != 503 {
				t.Errorf("healthz: %d", w.Code)
			}
		}
		full.Store(false)
		time.Sleep(15 * time.Minute)
		synctest.Wait()
		if s := stop(); s.Done != 5 {
			t.Errorf("%+v", s)
		}
		row(t, "F18 output full for a day", 5, 5-len(tree(t, b.out)), 0)
	})
}

// Many files whose outputs fail, each met after a long pause, do not keep back one whose output does not.
// On a full disk, a run that is to end does not try every file three times, with half a minute between two tries.
func TestPromise09OnceEndsOnAFullDisk(t *testing.T) {
	t.Parallel()
	b := newBench(t, fastDir(t))
	for i := range 20 {
		b.put(fmt.Sprintf("%d.x", i), fmt.Sprint(i))
	}
	b.stub.work = func(context.Context, string, []byte, Output) (string, error) {
		return "", &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	if s := b.once(); s.Left != 20 || b.stub.total() != 3 || b.log.count("the disk is full") != 1 {
		t.Errorf("%+v after %d tries", s, b.stub.total())
	}
	// A worker says so too.
	if _, err := replyOf("", &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}).result(); !errors.Is(err,
		errFull) {
		t.Error(err)
	}
}

func TestPromise09NoFileIsHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fastDir(t))
		b.stub.work = func(ctx context.Context, in string, data []byte, out Output) (string, error) {
			if strings.HasPrefix(string(data), "bad") {
				return "", &os.PathError{Op: "create", Path: out.Path(), Err: syscall.EACCES}
			}
			return stubWork(ctx, in, data, out)
		}
		for i := range 100 {
			b.put(fmt.Sprintf("sub/%d.x", i), fmt.Sprint("bad ", i))
		}
		b.o.Interval = 20 * time.Second
		_, stop := b.start()
		time.Sleep(30 * time.Minute)
		b.put("good.x", "good")
		time.Sleep(b.o.Interval + b.o.Settle + 30*time.Second)
		synctest.Wait()
		if b.stub.of("good") != 1 {
			t.Error("the good file waits for the bad ones")
		}
		stop()
	})
}

func TestPromise10VerdictsAreOfContents(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.put("sub/a.x", "refuse this")
	b.once()
	if s := b.once(); s.Failed != 0 || b.stub.total() != 1 {
		t.Error("tried again")
	}
	b.put("sub/a.x", "good now")
	b.once()
	b.wantOut("sub/a.x=done: good now")

	// In quarantine with the reason; but not while its writer may only have paused.
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fastDir(t))
		bad := filepath.Join(filepath.Dir(b.in), "bad")
		b.o.OnFailure, b.o.Interval = Policy{MoveTo: bad}, time.Second
		_, stop := b.start()
		b.put("slow.x", "refuse: half")
		b.put("bad.x", "refuse")
		time.Sleep(10 * time.Second)
		wantTree(t, b.in, "bad.x=refuse", "slow.x=refuse: half")
		b.put("slow.x", "whole")
		time.Sleep(60 * time.Second)
		stop()
		wantTree(t, b.in, "slow.x=whole")
		wantTree(t, bad, "bad.x=refuse", "bad.x.reason.txt=not to my taste\n")
		b.wantOut("slow.x=done: whole")
	})
}

// The reason is there for the longest names, too.
func TestPromise10ReasonBesideLongNames(t *testing.T) {
	b := newBench(t, fastDir(t))
	bad := filepath.Join(filepath.Dir(b.in), "bad")
	b.o.OnFailure = Policy{MoveTo: bad}
	// 254 bytes, with letters of two bytes where it is cut
	name := strings.Repeat("n", 100) + strings.Repeat("é", 76) + ".x"
	b.put(name, "refuse")
	b.once()
	reason := strings.Repeat("n", 100) + strings.Repeat("é", 67) + "-" + idOf(Sum(sha("refuse")), "").String()[:8] +
		".reason.txt"
	wantTree(t, bad, name+"=refuse", reason+"=not to my taste\n")
}

func TestPromise15FoldersInOneAnother(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	must(t, os.MkdirAll(filepath.Join(in, "sub"), 0o777))
	must(t, os.Symlink(in, filepath.Join(dir, "link")))
	must(t, os.Symlink(filepath.Join(in, "not-yet"), filepath.Join(dir, "dangling")))
	other := filepath.Join(dir, "other")
	n := 0
	for _, o := range []Options{
		{In: in, Out: in}, {In: in, Out: filepath.Join(in, "sub")}, {In: in, Out: filepath.Join(in, "new", "deep")},
		{In: filepath.Join(in, "sub"), Out: in}, {In: in, Out: filepath.Join(dir, "link")},
		{In: in, Out: filepath.Join(dir, "link", "sub")}, {In: in, Out: filepath.Join(dir, "dangling")},
		{In: filepath.Join(dir, "link", "sub"), Out: in}, {In: in, Out: filepath.Join(in, "..", "in", "x")},
		{In: in, Out: other, OnSuccess: Policy{MoveTo: filepath.Join(in, "done")}},
		{In: in, Out: other, OnFailure: Policy{MoveTo: filepath.Join(dir, "link", "bad")}},
	} {
		o.Runner = local{stubWork}
		d, err := New(o)
		named := 2 // folders in the message
		if o.In == o.Out {
			named = 1
		}
		if !errors.Is(err, ErrFolders) || strings.Count(err.Error(), dir) != named {
			t.Errorf("%s and %s: %v", o.In, o.Out, err)
		}
		if d != nil {
			d.Close()
		}
		n++
	}
	row(t, "F15 folders in one another", n, 0, 0)
}

// A path that cannot be followed may lead into the input folder, so it is refused. A scan that finds folders in one
// another ends the daemon.
func TestPromise15FoldersThatCannotBeCompared(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.put("a.x", "a file, and no folder")
	b.o.OnSuccess.MoveTo = filepath.Join(b.in, "a.x", "done")
	if _, err := New(b.o); !errors.Is(err, syscall.ENOTDIR) {
		t.Error(err)
	}
	b.o.OnSuccess.MoveTo = ""
	d, err := New(b.o)
	must(t, err)
	defer d.Close()
	if err := d.endScan(scanEnd{err: failf(ErrFolders, "in one another")}); !errors.Is(err, ErrFolders) {
		t.Error(err)
	}
}

// Options that make no sense are refused.
func TestBadOptions(t *testing.T) {
	b := newBench(t, t.TempDir())
	for name, change := range map[string]func(o *Options){
		"settle":   func(o *Options) { o.Settle = -1 },
		"interval": func(o *Options) { o.Interval = -1 },
		"grace":    func(o *Options) { o.Grace = -1 },
		"tries":    func(o *Options) { o.Tries = -1 },
		"restarts": func(o *Options) { o.Restarts = -1 },
		"runner":   func(o *Options) { o.Runner = nil },
		"in":       func(o *Options) { o.In = "" },
		"failed":   func(o *Options) { o.OnFailure.Delete = true },
		"both":     func(o *Options) { o.OnSuccess = Policy{Delete: true, MoveTo: t.TempDir()} },
	} {
		o := b.o
		change(&o)
		if _, err := New(o); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Daemons that feed one another are fine in a row, and refused in a circle, of any length.
func TestPromise15Circles(t *testing.T) {
	for length := 2; length <= 4; length++ {
		dir := t.TempDir()
		folder := func(i int) string { return filepath.Join(dir, fmt.Sprint(i%length)) }
		for i := range length {
			must(t, os.MkdirAll(folder(i), 0o777))
		}
		for i := range length {
			d, err := New(Options{In: folder(i), Out: folder(i + 1), Runner: local{stubWork}})
			if last := i == length-1; last != errors.Is(err, ErrFolders) || !last && err != nil {
				t.Errorf("%d of %d: %v", i+1, length, err)
			}
			if d != nil {
				defer d.Close()
			}
		}
	}
}

// Output folders that come into the input folder later, by a mount or a link, are not looked into.
func TestPromise15OutputFolderMountedLater(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, dir)
	b.o.OnSuccess, b.o.OnFailure = policies(dir)["move"], Policy{MoveTo: filepath.Join(dir, "bad")}
	d, err := New(b.o)
	must(t, err)
	defer d.Close()
	for _, folder := range []string{b.in, b.out, b.o.OnSuccess.MoveTo, b.o.OnFailure.MoveTo} {
		must(t, os.MkdirAll(folder, 0o777))
		info, err := os.Stat(folder)
		must(t, err)
		if err := d.guard(info); errors.Is(err, ErrFolders) != (folder != b.in) {
			t.Errorf("%s: %v", folder, err)
		}
	}
}

// A walk ends with the daemon, and where folders overlap. What it has not looked at counts as unseen, not as gone.
func TestPromise15WalkEnds(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.x", "b/b.x", "c.x"} {
		write(t, filepath.Join(dir, name), "")
	}
	for _, want := range []error{context.Canceled, ErrFolders} {
		ctx, cancel := context.WithCancel(t.Context())
		var found []string
		w := &walker{root: dir, match: func(string) bool { return true }, enter: func(string) {}}
		w.found = func(s sighting) {
			if found = append(found, s.name); want == context.Canceled {
				cancel()
			}
		}
		w.guard = func(fs.FileInfo) error {
			if len(found) > 0 {
				return failf(ErrFolders, "b is the output folder")
			}
			return nil
		}
		err := w.walk(ctx, "")
		cancel()
		if !errors.Is(err, want) || !slices.Equal(found, []string{"a.x"}) {
			t.Errorf("%v, want %v; found %q", err, want, found)
		}
		if want == context.Canceled && !w.unseen.has("c.x") {
			t.Errorf("unseen: %q", w.unseen)
		}
	}
}

func TestPromise17TheInputFolderComesAndGoes(t *testing.T) {
	for _, polling := range []bool{true, false} {
		b := newBench(t, fastDir(t))
		b.o.Settle, b.o.Interval, b.o.Polling = 5*time.Millisecond, 20*time.Millisecond, polling
		_, stop := b.start()
		n := count(10, 100)
		for i := range n {
			b.put(fmt.Sprintf("d/%d.x", i), fmt.Sprint(i))
			eventually(t, "the output", func() bool { return b.stub.of(fmt.Sprint(i)) == 1 })
			must(t, os.RemoveAll(b.in))
			if i%3 == 0 {
				time.Sleep(30 * time.Millisecond)
			}
		}
		stop()
		row(t, "F13 input folder deleted and made again", n, n-len(tree(t, b.out)), 0)
	}
}

func TestPromise19OnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, dir)
	write(t, filepath.Join(dir, "outside", "a.x"), "outside")
	must(t, os.MkdirAll(filepath.Join(b.in, "folder.x"), 0o777))
	must(t, os.Symlink(filepath.Join(dir, "outside", "a.x"), filepath.Join(b.in, "link.x")))
	must(t, os.Symlink(filepath.Join(dir, "outside"), filepath.Join(b.in, "outside")))
	must(t, os.Symlink(".", filepath.Join(b.in, "loop")))
	must(t, os.Symlink("nowhere", filepath.Join(b.in, "dangling.x")))
	if err := syscall.Mkfifo(filepath.Join(b.in, "fifo.x"), 0o666); err != nil {
		t.Log("no FIFO:", err)
	}
	if l, err := net.Listen("unix", filepath.Join(b.in, "socket.x")); err != nil {
		t.Log("no socket:", err)
	} else {
		defer l.Close()
	}
	b.put("good.x", "good")
	b.once()
	b.wantOut("good.x=done: good")
}

// A folder that is full before the daemon starts, as after a migration: all is done, in memory that grows with the
// names.
func TestPromise20ManyFilesAtTheStart(t *testing.T) {
	n := count(2000, 100000)
	b := newBench(t, fastDir(t))
	for i := range n {
		b.put(fmt.Sprintf("%d/%06d.x", i%100, i), fmt.Sprint(i))
	}
	before := resourcesNow()
	b.stub, b.o.Log = nil, nil
	b.o.Runner = local{stubWork}
	start, last := time.Now(), resources{}
	b.o.Settle, b.o.Interval = 5*time.Millisecond, time.Hour
	d, stop := b.start()
	eventually(t, "all", func() bool {
		time.Sleep(10 * time.Millisecond)
		s, err := d.Snapshot(context.Background())
		return err == nil && s.Done == n && s.Pending == 0
	})
	took := time.Since(start)
	last = resourcesNow()
	stop()
	t.Logf("after %6d: %s, before: %s", n, last, before)
	if grown := last.heap - before.heap; grown > 2<<10+n*600/1024 {
		t.Errorf("the heap has grown by %d kB", grown)
	}
	row(t, "F41 many files at the start", n, n-len(tree(t, b.out)), took)
}

func TestPromise20NothingGrows(t *testing.T) {
	n := count(2000, 100000)
	b := newBench(t, fastDir(t))
	b.o.Settle, b.o.Interval, b.o.OnSuccess = 5*time.Millisecond, 50*time.Millisecond, Policy{Delete: true}
	b.stub = nil
	b.o.Log = nil
	b.o.Runner = local{stubWork}
	d, stop := b.start()
	put, batch := 0, n/10
	var first, last resources
	for round := range 10 {
		for range batch {
			b.put(fmt.Sprintf("%d.x", put), fmt.Sprint(put))
			put++
		}
		eventually(t, "all of a round", func() bool {
			s, _ := d.Snapshot(context.Background())
			return s.Done == put && s.Pending == 0
		})
		last = resourcesNow()
		if round == 0 {
			first = last
		}
		if round == 0 || round == 9 {
			t.Logf("after %6d: %s", put, last)
		}
		must(t, os.RemoveAll(filepath.Join(b.out, "x")))
	}
	info, err := os.Stat(filepath.Join(b.out, stateFolder, "ledger"))
	must(t, err)
	t.Logf("ledger %d bytes a job", info.Size()/int64(n))
	if last.goroutines > first.goroutines+3 || last.descriptors > first.descriptors+3 {
		t.Errorf("%v, then %v", first, last)
	}
	// a map that has just doubled takes twice 50 bytes a content
	if grown := last.heap - first.heap; grown > 2<<10+n*100/1024 {
		t.Errorf("the heap has grown by %d kB", grown)
	}
	s := stop()
	if s.Done != n || info.Size() > int64(n)*1200+2000*600 {
		t.Errorf("%+v, ledger %d bytes", s, info.Size())
	}
	row(t, "F30 nothing grows", n, n-s.Done, 0)
}
