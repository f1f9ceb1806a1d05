//go:build unix

package batch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// again writes the bytes of the input and a plus sign, as a denoiser that does not notice that a file was denoised.
func again(to Task) error {
	text, err := os.ReadFile(to.In)
	if err != nil {
		return err
	}
	return write(string(text) + "+")(to)
}

// replacing is how a run replaces files without backups. Each has a history of its own in the memory, as a process has.
func replacing(cache string) Output {
	return Output{InPlace: true, Overwrite: Never, History: OpenHistory(cache), Options: "1"}
}

// Runs that overlap replace each file once, whenever they look at it, and all of them end well.
func TestOverlappingRunsReplaceOnce(t *testing.T) {
	const files, runs = 60, 6
	dir, cache := t.TempDir(), t.TempDir()
	for i := range files {
		writeText(t, filepath.Join(dir, fmt.Sprint(i)), fmt.Sprint("file ", i))
	}
	made := make([]int, runs)
	var all sync.WaitGroup
	for run := range runs {
		o, rng := replacing(cache), rand.New(rand.NewPCG(1, uint64(run)))
		items := make([]Item, files)
		for i := range items {
			path := filepath.Join(dir, fmt.Sprint(i))
			items[i] = item(t, path, path)
		}
		all.Go(func() {
			for _, it := range items {
				if due, _ := o.Due(it); !due {
					continue
				}
				m, err := o.Make(it, imageio.WriteOptions{}, func(to Task) error {
					time.Sleep(time.Duration(rng.IntN(300)) * time.Microsecond)
					return again(to)
				})
				if err == nil {
					made[run]++
					time.Sleep(time.Duration(rng.IntN(300)) * time.Microsecond)
					err = o.Remember(it, m)
				}
				if err != nil && !errors.Is(err, ErrTaken) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	sum := 0
	for i := range files {
		if got, want := content(t, filepath.Join(dir, fmt.Sprint(i))), fmt.Sprint("file ", i, "+"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, n := range made {
		sum += n
	}
	if t.Logf("files made by each run: %v", made); sum != files {
		t.Errorf("%d files were made, want %d", sum, files)
	}
}

// While a run has a file, another one leaves it alone, and says why. After it, too, though the first has told nobody
// that it is through.
func TestAnotherRunHasTheFile(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "a.png")
	writeText(t, path, "a")
	it := item(t, path, path)
	other := func(want string) {
		t.Helper()
		_, err := replacing(cache).Make(it, imageio.WriteOptions{}, again)
		if !errors.Is(err, ErrTaken) || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	second := replacing(cache)
	second.Due(it) // as it was at the beginning of that run
	if _, err := replacing(cache).Make(it, imageio.WriteOptions{}, func(to Task) error {
		other("another run is denoising it")
		return again(to)
	}); err != nil {
		t.Fatal(err)
	}
	other("another run has denoised it")
	if _, err := second.Make(it, imageio.WriteOptions{}, again); !errors.Is(err, ErrTaken) {
		t.Error(err)
	}
	if due, why := replacing(cache).Due(item(t, path, path)); due {
		t.Errorf("due again: %q", why)
	}
	if got := content(t, path); got != "a+" {
		t.Errorf("%q", got)
	}
	only(t, dir, "a.png")
}

// What a run was about to write, and did not, keeps no other from it. Who asks for it gets it done again.
func TestClaimsEnd(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "a.png")
	writeText(t, path, "a")
	it := item(t, path, path)
	stop := disk.Intercept(func(step disk.Step, at string) error {
		if step == disk.ToRename && at == path {
			return &os.PathError{Op: "rename", Path: at, Err: syscall.EIO}
		}
		return nil
	})
	if _, err := replacing(cache).Make(it, imageio.WriteOptions{}, again); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	stop()
	if _, err := replacing(cache).Make(it, imageio.WriteOptions{}, again); err != nil || content(t, path) != "a+" {
		t.Errorf("%v, %q", err, content(t, path))
	}
	o := replacing(cache)
	o.Overwrite = Always
	if _, err := o.Make(item(t, path, path), imageio.WriteOptions{}, again); err != nil || content(t, path) != "a++" {
		t.Errorf("%v, %q", err, content(t, path))
	}
}

// Processes that add to one history at a time are all heard, also while one of them writes the file again.
func TestHistoryOfSeveralProcesses(t *testing.T) {
	const processes, each = 4, 300
	cache := t.TempDir()
	var all sync.WaitGroup
	for p := range processes {
		h := OpenHistory(cache)
		all.Go(func() {
			for i := range each {
				own := fmt.Sprintf("/out/%d-%d.png", p, i%20)
				if err := h.Add(own, Entry{Options: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	h := OpenHistory(cache)
	for p := range processes {
		for i := range 20 {
			e, ok := h.Find(fmt.Sprintf("/out/%d-%d.png", p, i))
			if want := fmt.Sprint(each - 20 + i); !ok || e.Options != want {
				t.Errorf("%d-%d: %q, %v, want %q", p, i, e.Options, ok, want)
			}
		}
	}
}

// The second name of an input is on the disk before the output takes the first.
func TestBackupOrder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.png")
	writeText(t, path, "a")
	var got []string
	stop := disk.Intercept(func(step disk.Step, at string) error {
		switch step {
		case disk.ToLink, disk.ToRename, disk.ToSyncFolder:
			got = append(got, fmt.Sprint(step, " ", filepath.Base(at)))
		}
		return nil
	})
	_, err := Output{InPlace: true, Backup: true}.Make(item(t, path, path), imageio.WriteOptions{}, again)
	stop()
	folder := "sync folder " + filepath.Base(dir)
	if want := fmt.Sprint([]string{"link a.png.orig", folder, "rename a.png", folder}); err != nil ||
		fmt.Sprint(got) != want {
		t.Errorf("%v, %v, want %v", err, got, want)
	}
}

// A file that comes back is on the disk under its name before the backup counts as restored, whatever became of what
// had the name.
func TestRestoreOrder(t *testing.T) {
	for what, change := range map[string]func(){
		"gone":              func() { os.Remove("a.png") },
		"changed":           func() { writeText(t, "a.png", "retouched") },
		"the result":        func() {},
		"back, by somebody": func() { writeText(t, "a.png", "a.png") },
	} {
		t.Chdir(tree(t, "a.png"))
		o := RestoreOptions{History: replaced(t, "a.png")}
		change()
		last := ""
		stop := disk.Intercept(func(step disk.Step, at string) error {
			last = fmt.Sprint(step, " ", filepath.Base(at))
			return nil
		})
		_, err := o.Restore(Input{Path: "a.png"})
		stop()
		if err != nil || !strings.HasPrefix(last, "sync folder") || content(t, "a.png") != "a.png" {
			t.Errorf("%s: %v, the last step is %q", what, err, last)
		}
	}
}

// A history names the files of its user, and nobody else reads it.
func TestHistoryIsPrivate(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	if err := OpenHistory(cache).Add("/out/a.png", Entry{Options: "1"}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{cache, historyFile(t, cache)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// Who adds to a history waits while another process writes it again, and then adds to the new file.
func TestHistoryWaitsForOthers(t *testing.T) {
	cache := t.TempDir()
	if err := OpenHistory(cache).Add("/out/a.png", Entry{Options: "1"}); err != nil {
		t.Fatal(err)
	}
	file := historyFile(t, cache)
	old, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := disk.TryLock(old); !ok || err != nil {
		t.Fatal(ok, err)
	}
	added := make(chan error, 1)
	go func() { added <- OpenHistory(cache).Add("/out/b.png", Entry{Options: "2"}) }()
	select {
	case err := <-added:
		t.Errorf("it did not wait (%v)", err)
	case <-time.After(100 * time.Millisecond):
	}
	text := content(t, file)
	if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	old.Close()
	if err := <-added; err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"/out/a.png": "1", "/out/b.png": "2"} {
		if e, ok := OpenHistory(cache).Find(name); !ok || e.Options != want {
			t.Errorf("%s: %+v, %v", name, e, ok)
		}
	}
}
