//go:build unix

package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// steps collects what is done to files and folders below a folder while do runs. Temporary files are called temp. What
// is only opened or read is left out.
func steps(t *testing.T, dir string, do func()) (list []string) {
	t.Helper()
	defer disk.Intercept(func(step disk.Step, path string) error {
		rel, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(rel) || step == disk.ToOpen || step == disk.HasRead {
			return nil
		}
		if disk.IsTemp(rel) {
			rel = filepath.Join(filepath.Dir(rel), "temp")
		}
		list = append(list, fmt.Sprint(step, " ", filepath.ToSlash(rel)))
		return nil
	})()
	do()
	return list
}

// at calls f once, before a step that is done to a path.
func at(step disk.Step, path string, f func() error) (stop func()) {
	done := false
	return disk.Intercept(func(s disk.Step, p string) error {
		if done || s != step || p != path {
			return nil
		}
		done = true
		return f()
	})
}

// failing makes each step that fails says so fail.
func failing(fails func(step disk.Step, path string) bool, err error) (stop func()) {
	return disk.Intercept(func(step disk.Step, path string) error {
		if fails(step, path) {
			return &fs.PathError{Op: string(step), Path: path, Err: err}
		}
		return nil
	})
}

const ledgerPath = "out/" + stateFolder + "/" + ledgerName

// A try is in the ledger before the job, the output is on the disk before the ledger says so, and the ledger is on the
// disk before the input is touched.
func TestPromise06Order(t *testing.T) {
	for name, end := range map[string][]string{
		"delete": {"remove in/" + asidePrefix + "a.x", "sync folder in"},
		"move": {"sync folder .", "link moved/a.x", "sync folder moved", "remove in/" + asidePrefix + "a.x",
			"sync folder in"},
	} {
		dir := fastDir(t)
		b := newBench(t, dir)
		b.o.OnSuccess = policies(dir)[name]
		b.put("a.x", "a")
		got := steps(t, dir, func() { b.once() })
		want := append([]string{
			"sync folder .", "sync folder out", "sync folder out", // the output and the state folder
			"sync folder out/" + stateFolder, // the name of the ledger
			"sync file " + ledgerPath,        // the start
			"sync file " + ledgerPath,        // the try
			"sync file out/temp", "link out/a.x", "sync folder out",
			"sync file " + ledgerPath, // done
			"rename in/" + asidePrefix + "a.x",
		}, end...)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A new ledger is on the disk before it takes the name of the old one, and the name is on the disk at the end.
func TestPromise13CompactionOrder(t *testing.T) {
	dir := fastDir(t)
	l := filled(t, filepath.Join(dir, ledgerName), 30)
	defer l.shut()
	got := steps(t, dir, func() { must(t, l.compact()) })
	if want := []string{"remove ledger.new", "sync file ledger.new", "rename ledger",
		"sync folder ."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A ledger that cannot be written anew stays the old one, whole.
func TestPromise13CompactionThatFails(t *testing.T) {
	for _, bad := range []disk.Step{disk.ToSyncFile, disk.ToRename} {
		dir := fastDir(t)
		path := filepath.Join(dir, ledgerName)
		l := filled(t, path, 30)
		before, err := os.ReadFile(path)
		must(t, err)
		stop := failing(func(step disk.Step, _ string) bool { return step == bad }, syscall.ENOSPC)
		if err := l.compact(); !disk.IsFull(err) {
			t.Errorf("%s fails: %v", bad, err)
		}
		stop()
		after, err := os.ReadFile(path)
		if err != nil || string(after) != string(before) || len(l.jobs) != 30 {
			t.Errorf("%s fails: %d bytes were %d, %v", bad, len(after), len(before), err)
		}
		must(t, l.add(record{Kind: kindDone, ID: ID{1}}))
		l.shut()
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("%s fails: %v", bad, entries)
		}
	}
}

// What could not be flushed counts as not written, and is not in the file.
func TestPromise13LineThatIsNotFlushed(t *testing.T) {
	path := filepath.Join(fastDir(t), ledgerName)
	l := filled(t, path, 3)
	defer l.shut()
	before, err := os.ReadFile(path)
	must(t, err)
	stop := failing(func(step disk.Step, _ string) bool { return step == disk.ToSyncFile }, syscall.EIO)
	if err := l.add(record{Kind: kindDone, ID: ID{1}}); !errors.Is(err, syscall.EIO) || l.jobs[ID{1}].state == done {
		t.Errorf("it counts as written: %v", err)
	}
	stop()
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("%d bytes were %d, %v", len(after), len(before), err)
	}
}

// If the ledger cannot say that a job is done, its input stays.
func TestPromise06InputStaysWithoutLedger(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.o.OnSuccess = Policy{Delete: true}
	b.put("a.x", "a")
	ledger := filepath.Join(b.out, stateFolder, ledgerName)
	stop := failing(func(step disk.Step, path string) bool {
		return step == disk.ToSyncFile && path == ledger && exists(filepath.Join(b.out, "a.x"))
	}, syscall.EIO)
	if s := b.once(); s.Left != 1 {
		t.Errorf("%+v", s)
	}
	stop()
	wantTree(t, b.in, "a.x=a")
	if s := b.once(); s.Done != 1 || s.Left != 0 {
		t.Errorf("%+v", s)
	}
	wantTree(t, b.in)
}

// A file that changes after it was read, and before the last look at it, is not used.
func TestPromise02SecondLook(t *testing.T) {
	path := filepath.Join(fastDir(t), "a.x")
	for name, change := range map[string]func() error{
		"rewritten": func() error { return os.WriteFile(path, []byte("other"), 0o666) },
		"grown":     func() error { appendTo(t, path, "x"); return nil },
		"touched":   func() error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
	} {
		write(t, path, "first")
		stamp, err := look(filepath.Dir(path), filepath.Base(path))
		must(t, err)
		stop := at(disk.HasRead, path, change)
		if _, _, err := readStill(Source{filepath.Dir(path), filepath.Base(path), stamp}, 100); !errors.Is(err,
			ErrChanging) {
			t.Errorf("%s: %v", name, err)
		}
		stop()
	}
}

// In an instant before its input is set aside, somebody writes a new version: it stays.
func TestPromise08SecondStamp(t *testing.T) {
	for name, policy := range policies(t.TempDir()) {
		for kind, change := range map[string]func(path string) error{
			"rewritten": func(path string) error { return os.WriteFile(path, []byte("newer"), 0o666) },
			"replaced": func(path string) error {
				return errors.Join(os.WriteFile(path+"2", []byte("newer"), 0o666), os.Rename(path+"2", path))
			},
		} {
			if name == "keep" {
				continue
			}
			in := fastDir(t)
			path := filepath.Join(in, "a.x")
			write(t, path, "first")
			stamp, err := look(in, "a.x")
			must(t, err)
			stop := at(disk.ToRename, filepath.Join(in, asidePrefix+"a.x"), func() error { return change(path) })
			if _, err := dispose(policy, in, "a.x", stamp); !errors.Is(err, ErrChanging) {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
			stop()
			wantTree(t, in, "a.x=newer")
		}
	}
}

// A file that was written to and got its old time back is another version: the system's own time of the change tells.
func TestPromise08OldTimeIsNoOldVersion(t *testing.T) {
	in := fastDir(t)
	path := filepath.Join(in, "a.x")
	write(t, path, "first")
	must(t, os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)))
	stamp, err := look(in, "a.x")
	must(t, err)
	for now, end := stamp, time.Now().Add(10*time.Second); now.Change == stamp.Change; { // that clock is coarse
		if time.Now().After(end) {
			t.Fatal("the system does not tell of the change")
		}
		write(t, path, "other")
		must(t, os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)))
		now, err = look(in, "a.x")
		must(t, err)
	}
	if _, err := dispose(Policy{Delete: true}, in, "a.x", stamp); !errors.Is(err, ErrChanging) {
		t.Error(err)
	}
	wantTree(t, in, "a.x=other")
}

// What an earlier daemon had set aside is not replaced by a newer file of that name.
func TestPromise08SetAsideBefore(t *testing.T) {
	in := fastDir(t)
	write(t, filepath.Join(in, "a.x"), "newer")
	write(t, filepath.Join(in, asidePrefix+"a.x"), "older")
	stamp, err := look(in, "a.x")
	must(t, err)
	if _, err := dispose(Policy{Delete: true}, in, "a.x", stamp); !errors.Is(err, ErrChanging) {
		t.Error(err)
	}
	wantTree(t, in, "a.x=newer", asidePrefix+"a.x=older")
}

// In an instant before its file is set aside, a folder is renamed out of the input folder: its file stays in it, under
// its name.
func TestPromise21FolderRenamedAwayBeforeDelete(t *testing.T) {
	for name, policy := range policies(t.TempDir()) {
		if name == "keep" {
			continue
		}
		dir := fastDir(t)
		in, away := filepath.Join(dir, "in"), filepath.Join(dir, "away")
		for _, replaced := range []bool{false, true} {
			must(t, os.RemoveAll(away))
			write(t, filepath.Join(in, "d", "a.x"), "a")
			stamp, err := look(in, "d/a.x")
			must(t, err)
			stop := at(disk.ToRename, filepath.Join(in, "d", asidePrefix+"a.x"), func() error {
				err := os.Rename(filepath.Join(in, "d"), away)
				if replaced {
					err = errors.Join(err, os.Mkdir(filepath.Join(in, "d"), 0o777))
				}
				return err
			})
			if _, err := dispose(policy, in, "d/a.x", stamp); !errors.Is(err, ErrChanging) {
				t.Errorf("%s, replaced %v: %v", name, replaced, err)
			}
			stop()
			wantTree(t, away, "a.x=a")
			wantTree(t, in)
		}
	}
}

// An input is deleted or moved only while its output is the one that was made, on all ways to its end: just after the
// job, known by its stamp, and known by its content.
func TestPromise08OutputIsTheOneThatWasMade(t *testing.T) {
	for kind, meddle := range map[string]func(out string) error{
		"empty":     func(out string) error { return os.Truncate(out, 0) },
		"rewritten": func(out string) error { return os.WriteFile(out, []byte("done: two"), 0o666) },
		"replaced": func(out string) error {
			return errors.Join(os.WriteFile(out+"2", []byte("done: two"), 0o666), os.Rename(out+"2", out))
		},
		"link":   func(out string) error { return errors.Join(os.Remove(out), os.Symlink("nowhere", out)) },
		"folder": func(out string) error { return errors.Join(os.Remove(out), os.Mkdir(out, 0o777)) },
		"gone":   os.Remove,
	} {
		for _, policy := range []string{"delete", "move"} {
			for _, way := range []string{"job", "stamp", "content"} {
				dir := fastDir(t)
				b := newBench(t, dir)
				b.put("a.x", "one")
				out, left := filepath.Join(b.out, "a.x"), "a.x=one"
				stop := func() {}
				switch way {
				case "job": // between the ledger's flush and the look at the output
					b.o.OnSuccess = policies(dir)[policy]
					ledger := filepath.Join(b.out, stateFolder, ledgerName)
					done := false
					stop = disk.Intercept(func(step disk.Step, path string) error {
						if done || step != disk.ToSyncFile || path != ledger || !exists(out) {
							return nil
						}
						done = true
						return meddle(out)
					})
				case "stamp":
					b.once()
					must(t, meddle(out))
				case "content":
					b.once()
					must(t, meddle(out))
					must(t, os.Remove(filepath.Join(b.in, "a.x")))
					b.put("b.x", "one")
					left = "b.x=one"
				}
				b.o.OnSuccess = policies(dir)[policy]
				b.once()
				stop()
				if got := tree(t, b.in); !slices.Equal(got, []string{left}) || b.log.count("msg=kept") != 1 {
					t.Errorf("%s, %s, %s: %q, told %d times", kind, policy, way, got, b.log.count("msg=kept"))
				}
			}
		}
	}
}

// Files of the user's under the name of an output stay, empty or not, also if the job fails and is tried again.
func TestPromise07ForeignFilesStay(t *testing.T) {
	for _, mine := range []string{"", "mine"} {
		for _, early := range []bool{true, false} { // before the first try, or between two
			b := newBench(t, fastDir(t))
			b.put("a.x", "one")
			out := filepath.Join(b.out, "a.x")
			if early {
				write(t, out, mine)
			}
			failed := false
			b.stub.work = func(ctx context.Context, in string, data []byte, to Output) (string, error) {
				if !failed {
					if failed = true; !early {
						write(t, out, mine)
					}
					return "", errors.New("not now")
				}
				return stubWork(ctx, in, data, to)
			}
			if b.once(); !early && mine == "" { // as a killed job leaves it on a file system without hard links
				b.wantOut("a.x=done: one")
				continue
			}
			b.wantOut("a.x="+mine, long("a.x", "one")+"=done: one")
		}
	}
}

// What only changes owner, permissions or name is the same output.
func TestPromise08OutputMayBeRenamedOrChmodded(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.put("a.x", "one")
	b.once()
	must(t, os.Chmod(filepath.Join(b.out, "a.x"), 0o600))
	b.put("a.x", "two") // which gives the first output another name
	b.once()
	b.put("b.x", "one")
	b.o.OnSuccess = Policy{Delete: true}
	b.once()
	wantTree(t, b.in)
	b.wantOut("a.x=done: two", long("a.x", "one")+"=done: one", "b.x=done: one")
}

// Where two names cannot be exchanged, and where there are no hard links, the newer output keeps the longer name, and
// nothing is lost.
func TestPromise24FileSystemsWithoutExchange(t *testing.T) {
	for name, lacks := range map[string][]disk.Step{"exchange": {disk.ToExchange}, "links": {disk.ToLink},
		"both": {disk.ToExchange, disk.ToLink}} {
		b := newBench(t, fastDir(t))
		stop := failing(func(step disk.Step, _ string) bool { return slices.Contains(lacks, step) }, syscall.EPERM)
		b.put("a.x", "one")
		b.once()
		b.put("a.x", "two")
		if s := b.once(); s.Done != 1 || s.Left != 0 {
			t.Errorf("without %s: %+v", name, s)
		}
		b.wantOut("a.x=done: one", long("a.x", "two")+"=done: two")
		b.o.OnSuccess = Policy{Delete: true}
		b.once()
		stop()
		wantTree(t, b.in)
		if s, err := ReadStatus(t.Context(), b.out, nil); err != nil || len(s.Renamed) != 0 || len(s.Pending) != 0 {
			t.Errorf("without %s: %+v, %v", name, s, err)
		}
	}
}

// In an instant before the exchange of two outputs, the user puts a file of his own in the place of the older one: it
// keeps its name.
func TestPromise24ReplacedBeforeExchange(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.put("a.x", "one")
	b.once()
	out := filepath.Join(b.out, "a.x")
	stop := at(disk.ToExchange, out, func() error {
		return errors.Join(os.WriteFile(out+"2", []byte("mine"), 0o666), os.Rename(out+"2", out))
	})
	b.put("a.x", "two")
	b.once()
	stop()
	b.wantOut("a.x=mine", long("a.x", "two")+"=done: two")
}

// The second name of the older output is on the disk before the names are exchanged.
func TestPromise24Order(t *testing.T) {
	dir := fastDir(t)
	b := newBench(t, dir)
	b.put("a.x", "one")
	b.once()
	b.put("a.x", "two")
	got := steps(t, b.out, func() { b.once() })
	from := slices.Index(got, "link "+long("a.x", "one"))
	want := []string{"link " + long("a.x", "one"), "sync folder .", "exchange a.x", "sync folder .",
		"remove " + long("a.x", "two"), "sync folder ."}
	if from < 0 || len(got) < from+len(want) || !slices.Equal(got[from:from+len(want)], want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The clock of the machine steps back an hour, between two runs and in the middle of one: all is done once, and the
// status is right.
func TestPromise18ClockStepsBack(t *testing.T) {
	defer func() { wallClock = time.Now }()
	var back atomic.Int64
	wallClock = func() time.Time { return time.Now().Add(-time.Duration(back.Load())) }
	b := newBench(t, fastDir(t))
	put := func(name, content string) { // as the system would date it
		b.put(name, content)
		must(t, os.Chtimes(filepath.Join(b.in, name), time.Time{}, wallClock()))
	}
	put("a.x", "one")
	put("bad.x", "refuse")
	b.once()
	back.Store(int64(time.Hour))
	put("a.x", "two")
	put("bad.x", "good now")
	put("worse.x", "refuse this")
	b.once()
	b.o.Settle, b.o.Interval = 5*time.Millisecond, 5*time.Millisecond
	_, stop := b.start()
	put("c.x", "three")
	eventually(t, "the job before the step", func() bool { return b.stub.of("three") == 1 })
	back.Store(int64(2 * time.Hour))
	put("c.x", "four")
	put("d.x", "five")
	eventually(t, "the jobs after the step", func() bool { return b.stub.of("four") == 1 && b.stub.of("five") == 1 })
	stop()
	b.wantOut("a.x=done: two", long("a.x", "one")+"=done: one", "bad.x=done: good now", "c.x=done: four",
		long("c.x", "three")+"=done: three", "d.x=done: five")
	if s := b.once(); s.Done != 0 || s.FailedBefore != 1 {
		t.Errorf("done again: %+v", s)
	}
	s, err := ReadStatus(t.Context(), b.out, nil)
	if err != nil || len(s.Failed) != 1 || s.Failed[0].Name != "worse.x" || len(s.Past) != 1 ||
		s.Past[0].Name != "bad.x" || len(s.Pending) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Two inputs whose names differ only in case come into an output folder where case does not matter: both have an
// output, and neither is replaced.
func TestPromise07NamesThatDifferInCase(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.put("a.x", "one")
	b.put("A.X", "two")
	stop := disk.Intercept(func(step disk.Step, path string) error { // as such a folder says
		if step != disk.ToLink && step != disk.ToRename || filepath.Dir(path) != b.out {
			return nil
		}
		entries, err := os.ReadDir(b.out)
		must(t, err)
		for _, e := range entries {
			if e.Name() != filepath.Base(path) && strings.EqualFold(e.Name(), filepath.Base(path)) {
				return &fs.PathError{Op: string(step), Path: path, Err: fs.ErrExist}
			}
		}
		return nil
	})
	defer stop()
	if s := b.once(); s.Done != 2 || s.Left != 0 {
		t.Errorf("%+v", s)
	}
	b.wantOut("A.X=done: two", long("a.x", "one")+"=done: one")
	b.o.OnSuccess = Policy{Delete: true}
	b.once()
	wantTree(t, b.in)
}
