//go:build unix

package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// policies are what a daemon may do with inputs.
func policies(dir string) map[string]Policy {
	return map[string]Policy{"keep": {}, "delete": {Delete: true}, "move": {MoveTo: filepath.Join(dir, "moved")}}
}

// A folder below the input folder is swapped for a link to a folder outside, at any instant after it was seen. The
// folder outside has a file of the same name: another file, or the same one under a second name.
func TestPromise21FoldersSwappedForLinks(t *testing.T) {
	t.Parallel()
	settles := []time.Duration{2 * time.Millisecond, 10 * time.Millisecond, 40 * time.Millisecond}
	n := count(20, 1000)
	for name, policy := range policies("") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, settle := range settles {
				dir := fastDir(t)
				b := newBench(t, dir)
				b.o.Settle, b.o.Interval, b.o.Polling = settle, 5*time.Millisecond, false
				if b.o.OnSuccess = policy; policy.MoveTo != "" {
					b.o.OnSuccess.MoveTo = filepath.Join(dir, "moved")
				}
				_, stop := b.start()
				rng, failures := rand.New(rand.NewPCG(1, uint64(settle))), 0
				outside := filepath.Join(dir, "outside")
				write(t, filepath.Join(dir, "same", "x.x"), "same")
				for i := range n {
					name := fmt.Sprintf("d%d", i)
					in, secret := filepath.Join(b.in, name), filepath.Join(outside, name, "x.x")
					write(t, filepath.Join(in, "x.x"), fmt.Sprint("inside ", i))
					if i%2 == 0 {
						write(t, secret, fmt.Sprint("outside ", i))
					} else {
						must(t, os.MkdirAll(filepath.Dir(secret), 0o777))
						if os.Link(filepath.Join(in, "x.x"), secret) != nil { // it is done already
							write(t, secret, fmt.Sprint("inside ", i))
						}
					}
					time.Sleep(time.Duration(rng.Int64N(int64(2 * settle))))
					must(t, os.Rename(in, filepath.Join(dir, "gone"+name)))
					must(t, os.Symlink(filepath.Dir(secret), in))
				}
				b.put("last.x", "last")
				eventually(t, "the last file", func() bool { return b.stub.of("last") == 1 })
				stop()
				for i := range n {
					if _, err := os.Lstat(filepath.Join(outside, fmt.Sprintf("d%d", i), "x.x")); err != nil ||
						b.stub.of(fmt.Sprint("outside ", i)) > 0 {
						failures++
					}
				}
				for _, folder := range []string{outside, filepath.Join(dir, "moved")} {
					if _, err := os.Stat(folder); err != nil {
						continue
					}
					for _, f := range tree(t, folder) {
						if strings.Contains(f, asidePrefix) || folder != outside && strings.Contains(f, "=outside") {
							failures++
						}
					}
				}
				row(t, fmt.Sprintf("F33 folder swapped for a link, %s, settle %v", name, settle), n, failures, 0)
			}
		})
	}
}

// Links from one place of the input folder to another give no file a second or a wrong name.
func TestPromise21LinksInsideTheInputFolder(t *testing.T) {
	n, failures := count(20, 200), 0
	for i := range n {
		b := newBench(t, fastDir(t))
		b.o.OnSuccess = Policy{Delete: true}
		b.put("a/x.x", "a")
		b.put("b/x.x", "b")
		b.stub.work = func(ctx context.Context, in string, data []byte, out Output) (string, error) {
			if string(data) == "a" { // and a becomes b while it is done
				must(t, os.Rename(filepath.Join(b.in, "a"), filepath.Join(b.in, ".a")))
				must(t, os.Symlink([]string{"b", filepath.Join(b.in, "b")}[i%2], filepath.Join(b.in, "a")))
			}
			return stubWork(ctx, in, data, out)
		}
		b.once()
		b.wantOut("a/x.x=done: a", "b/x.x=done: b")
		left, err := os.ReadFile(filepath.Join(b.in, ".a", "x.x"))
		if string(left) != "a" || err != nil || b.stub.of("a") != 1 || b.stub.of("b") != 1 {
			failures++
		}
	}
	row(t, "F33 link inside the input folder", n, failures, 0)
}

// A folder that is renamed out of the input folder takes its files along, whole and under their names, unless they were
// done and taken away before.
func TestPromise21FoldersRenamedOut(t *testing.T) {
	t.Parallel()
	n, failures := count(60, 1000), 0
	dir := fastDir(t)
	b := newBench(t, dir)
	b.o.Settle, b.o.Interval, b.o.Polling, b.o.OnSuccess = 2*time.Millisecond, 5*time.Millisecond, false,
		Policy{Delete: true}
	_, stop := b.start()
	rng := rand.New(rand.NewPCG(3, 4))
	must(t, os.MkdirAll(filepath.Join(dir, "elsewhere"), 0o777))
	for i := range n {
		name := fmt.Sprint("d", i)
		write(t, filepath.Join(b.in, name, "x.x"), fmt.Sprint(i))
		time.Sleep(time.Duration(rng.IntN(6000)) * time.Microsecond)
		must(t, os.Rename(filepath.Join(b.in, name), filepath.Join(dir, "elsewhere", name)))
	}
	stop()
	taken := 0
	for i := range n {
		entries, err := os.ReadDir(filepath.Join(dir, "elsewhere", fmt.Sprint("d", i)))
		must(t, err)
		switch {
		case len(entries) == 1 && entries[0].Name() == "x.x":
		case len(entries) == 0 && b.stub.of(fmt.Sprint(i)) == 1:
			taken++
		default:
			failures++
			t.Errorf("%d: %v", i, entries)
		}
	}
	t.Logf("%d were done before", taken)
	row(t, "F33 folder renamed out", n, failures, 0)
}

// A file that is reached through a link is neither read nor taken away, though it lies in the input folder.
func TestPromise21NoLinkIsFollowed(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.put("b/x.x", "b")
	must(t, os.Symlink("b", filepath.Join(b.in, "a")))
	stamp, err := look(b.in, "b/x.x")
	must(t, err)
	if _, _, err := readStill(Source{b.in, "a/x.x", stamp}, 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read: %v", err)
	}
	if _, err := dispose(Policy{Delete: true}, b.in, "a/x.x", stamp); err == nil {
		t.Error("deleted")
	}
	wantTree(t, filepath.Join(b.in, "b"), "x.x=b")
}

// No name leads out of the input folder, whoever makes it up.
func TestPromise21NamesThatLeadOut(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, dir)
	write(t, filepath.Join(dir, "x.x"), "outside")
	info, err := os.Lstat(filepath.Join(dir, "x.x"))
	must(t, err)
	stamp := stampOf(info)
	for _, name := range []string{"../x.x", "a/../../x.x", "./../x.x", filepath.Join(dir, "x.x")} {
		b.put("a/b.x", "inside")
		if _, _, err := readStill(Source{b.in, name, stamp}, 100); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is read: %v", name, err)
		}
		if _, err := dispose(Policy{Delete: true}, b.in, name, stamp); err == nil {
			t.Errorf("%s is deleted", name)
		}
	}
	// Files that look like those of a killed daemon, with names that are none.
	for _, name := range []string{asidePrefix, asidePrefix + ".", asidePrefix + ".."} {
		b.put(name, "bait")
	}
	b.once()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if !strings.Contains("in out x.x", e.Name()) {
			t.Errorf("%s was made outside", e.Name())
		}
	}
}

// A folder below the output folder is swapped for a link while a job has its bytes: the output comes into the output
// folder when the folder is back, and nothing goes where the link leads.
func TestPromise22OutputFoldersSwappedForLinks(t *testing.T) {
	n, failures := count(20, 1000), 0
	for i := range n {
		synctest.Test(t, func(t *testing.T) {
			dir := fastDir(t)
			b := newBench(t, dir)
			d, outside := filepath.Join(b.out, "d"), filepath.Join(dir, "outside")
			must(t, os.MkdirAll(outside, 0o777))
			first := true
			b.stub.work = func(ctx context.Context, in string, data []byte, out Output) (string, error) {
				if first {
					first = false
					must(t, os.Rename(d, filepath.Join(dir, "away")))
					must(t, os.Symlink([]string{outside, "../outside"}[i%2], d))
				}
				return stubWork(ctx, in, data, out)
			}
			b.put("d/x.x", "x")
			b.o.Interval = time.Second
			_, stop := b.start()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			must(t, os.Remove(d))
			time.Sleep(30 * time.Second)
			stop()
			b.wantOut("d/x.x=done: x")
			if len(tree(t, outside)) > 0 {
				failures++
			}
		})
	}
	row(t, "F34 output folder swapped for a link", n, failures, 0)
}

// Each file of the daemon's own, and its folder, may be a link that somebody has put there.
func TestPromise23OwnFilesAreNoLinks(t *testing.T) {
	n, failures := 0, 0
	for _, name := range []string{"", lockName, ledgerName, ledgerName + ".new"} {
		for kind, to := range map[string]string{"file": "victim", "folder": "folder", "nothing": "nowhere",
			"file inside": "out/user.x", "folder inside": "out/own"} {
			for _, absolute := range []bool{false, true} {
				dir := t.TempDir()
				b := newBench(t, dir)
				write(t, filepath.Join(dir, "victim"), "untouched")
				write(t, filepath.Join(b.out, "user.x"), "untouched")
				must(t, os.MkdirAll(filepath.Join(dir, "folder"), 0o777))
				must(t, os.MkdirAll(filepath.Join(b.out, "own"), 0o777))
				path := filepath.Join(b.out, stateFolder, name)
				must(t, os.MkdirAll(filepath.Dir(path), 0o777))
				to := filepath.Join(dir, to)
				if !absolute {
					var err error
					to, err = filepath.Rel(filepath.Dir(path), to)
					must(t, err)
				}
				must(t, os.Symlink(to, path))
				b.put("a.x", "a")
				b.o.Once, b.o.Settle = true, time.Millisecond
				d, err := New(b.o)
				if err == nil {
					_, err = d.Run(context.Background())
					must(t, err)
					must(t, d.ledger.compact())
					must(t, d.Close())
				}
				if temporary := strings.HasSuffix(name, ".new"); (err == nil) != temporary || err != nil &&
					!strings.Contains(err.Error(), stateFolder) {
					t.Errorf("%q, link to a %s: %v", name, kind, err)
				}
				ReadStatus(context.Background(), b.out, func(string) bool { return true })
				victim, _ := os.ReadFile(filepath.Join(dir, "victim"))
				user, _ := os.ReadFile(filepath.Join(b.out, "user.x"))
				entries, _ := os.ReadDir(filepath.Join(dir, "folder"))
				own, _ := os.ReadDir(filepath.Join(b.out, "own"))
				entries = append(entries, own...)
				if _, err := os.Lstat(filepath.Join(dir, "nowhere")); string(victim) != "untouched" ||
					string(user) != "untouched" || len(entries) > 0 || err == nil {
					failures++
					t.Errorf("%q, link to a %s, was followed", name, kind)
				}
				n++
			}
		}
	}
	row(t, "F35 link in the place of an own file", n, failures, 0)
}
