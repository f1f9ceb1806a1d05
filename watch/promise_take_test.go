package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk/disktest"
)

// The writers of these tests write pieces with pauses shorter than the settling time, and note when they are through.
var writers = []struct {
	name  string
	write func(t testing.TB, path string, piece func(i int) (text string, pause func()))
}{
	{"chunks", func(t testing.TB, path string, piece func(int) (string, func())) {
		f, err := os.Create(path)
		must(t, err)
		defer f.Close()
		for i := range 5 {
			text, pause := piece(i)
			_, err := f.WriteString(text)
			must(t, err)
			pause()
		}
	}},
	{"reopen", func(t testing.TB, path string, piece func(int) (string, func())) {
		for i := range 5 {
			text, pause := piece(i)
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
			must(t, err)
			_, err = f.WriteString(text)
			must(t, err)
			must(t, f.Close())
			pause()
		}
	}},
	{"preallocate", func(t testing.TB, path string, piece func(int) (string, func())) {
		f, err := os.Create(path)
		must(t, err)
		defer f.Close()
		must(t, f.Truncate(15))
		for i := range 5 {
			text, pause := piece(i)
			_, err := f.WriteAt([]byte(text), int64(3*i))
			must(t, err)
			// The clock of files is coarse, and time in this test does not pass for it.
			must(t, os.Chtimes(path, time.Time{}, time.Unix(int64(i+1), 0)))
			pause()
		}
	}},
	{"replace", func(t testing.TB, path string, piece func(int) (string, func())) {
		all := ""
		for i := range 5 {
			text, pause := piece(i)
			all += text
			must(t, os.WriteFile(path+".part", []byte(all), 0o666))
			must(t, os.Rename(path+".part", path))
			pause()
		}
	}},
}

func TestPromise01NothingIsTakenBeforeItIsStill(t *testing.T) {
	n := count(10, 100)
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, fastDir(t))
				b.o.Settle, b.o.Interval = 2*time.Second, 700*time.Millisecond
				_, stop := b.start()
				defer stop()
				for i := range n {
					go w.write(t, filepath.Join(b.in, fmt.Sprintf("%d.x", i)), func(k int) (string, func()) {
						return fmt.Sprintf("%02d%d", i, k), func() { time.Sleep(1900 * time.Millisecond) }
					})
				}
				time.Sleep(60 * time.Second)
				synctest.Wait()
				early := 0
				for _, content := range b.stub.order {
					if len(content) != 15 || strings.Contains(content, "\x00") {
						early++
					}
				}
				if got := len(tree(t, b.out)); got != n || early > 0 {
					t.Errorf("%d outputs, %d of them early", got, early)
				}
				row(t, "F9 slow writer, "+w.name, n, early, 0)
			})
		})
	}
}

// A file that never becomes still is never taken, and never given up.
func TestPromise01ChangingFileWaitsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, t.TempDir())
		b.o.Interval = time.Second
		_, stop := b.start()
		for range 2000 {
			appendTo(t, filepath.Join(b.in, "log.x"), "x")
			time.Sleep(1500 * time.Millisecond)
		}
		if b.stub.total() != 0 {
			t.Error("taken while changing")
		}
		time.Sleep(5 * time.Second)
		if b.stub.of(strings.Repeat("x", 2000)) != 1 {
			t.Error("not taken after 50 minutes of changes")
		}
		stop()
	})
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err)
	must(t, f.Close())
}

// Where the system can tell, a writer may pause as long as it likes while it has the file open.
func TestPromise01OpenForWriting(t *testing.T) {
	b := newBench(t, fastDir(t))
	path := filepath.Join(b.in, "a.x")
	f, err := os.Create(path)
	must(t, err)
	_, err = f.WriteString("half")
	must(t, err)
	if r, err := os.Open(path); err != nil || !openForWriting(r) {
		disktest.Lacks(t, "the system does not tell who writes")
	} else {
		r.Close()
	}
	b.o.Settle, b.o.Interval = 5*time.Millisecond, 5*time.Millisecond
	d, stop := b.start()
	eventually(t, "some refusals to read", func() bool {
		s, err := d.Snapshot(context.Background())
		return err == nil && s.stats.waits > 3
	})
	if b.stub.total() != 0 {
		t.Error("read while open for writing")
	}
	_, err = f.WriteString(" and whole")
	must(t, err)
	must(t, f.Close())
	eventually(t, "the output", func() bool { return b.stub.of("half and whole") == 1 })
	stop()
	b.wantOut("a.x=done: half and whole")
}

func TestPromise02OneVersionOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.x")
	write(t, path, "first")
	stamp, err := look(filepath.Dir(path), filepath.Base(path))
	must(t, err)
	data, sum, err := readStill(Source{filepath.Dir(path), filepath.Base(path), stamp}, 100)
	if string(data) != "first" || sum == (Sum{}) || err != nil {
		t.Fatalf("%q, %v", data, err)
	}
	if data, again, err := readStill(Source{filepath.Dir(path), filepath.Base(path), stamp}, 4); data != nil ||
		again != sum || err != nil {
		t.Errorf("a file above the limit: %q, %v", data, err)
	}
	for name, change := range map[string]func(){
		"longer":   func() { appendTo(t, path, "x") },
		"replaced": func() { write(t, path+"2", "other"); must(t, os.Rename(path+"2", path)) },
		"touched":  func() { must(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0))) },
		"link":     func() { must(t, os.Remove(path)); must(t, os.Symlink("/etc/passwd", path)) },
	} {
		t.Run(name, func(t *testing.T) {
			os.Remove(path)
			write(t, path, "first")
			stamp, err := look(filepath.Dir(path), filepath.Base(path))
			must(t, err)
			change()
			if data, _, err := readStill(Source{filepath.Dir(path), filepath.Base(path), stamp}, 100); err == nil {
				t.Errorf("read %q", data)
			}
		})
	}
}

// A file that grows while it is read is read to the length that was seen.
func TestPromise02GrowingFile(t *testing.T) {
	for _, max := range []int64{4, 100} {
		f := strings.NewReader("first and more")
		if _, sum, err := readBytes(f, 5, max); sum != Sum(sha("first")) || err != nil || f.Len() != 9 {
			t.Errorf("limit %d: digest %v, %d bytes are left, %v", max, sum, f.Len(), err)
		}
	}
}

// What is no regular file counts as missing.
func TestPromise19LookTakesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o777))
	must(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
	for _, name := range []string{"folder", "link", "none"} {
		if _, err := look(dir, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An input that is replaced or deleted while the job has its bytes: the output is that of one version, and every
// version that stays has its own.
func TestPromise02SwapsWhileTheJobRuns(t *testing.T) {
	n, failures := count(20, 200), 0
	for i := range n {
		b := newBench(t, fastDir(t))
		b.put("a.x", "one")
		b.stub.work = func(ctx context.Context, in string, data []byte, out Output) (string, error) {
			if string(data) == "one" {
				must(t, os.Remove(in))
				if i%2 == 0 {
					write(t, in, "two")
				}
			}
			return stubWork(ctx, in, data, out)
		}
		b.o.OnSuccess = Policy{Delete: i%4 < 2}
		b.once()
		got := tree(t, b.out)
		want := 1
		if i%2 == 0 {
			want = 2
		}
		if len(got) != want {
			failures++
			t.Errorf("%q", got)
		}
	}
	row(t, "F25 swapped or deleted in work", n, failures, 0)
}

func TestPromise03UnfinishedNames(t *testing.T) {
	names := []string{".hidden.x", ".a.x.swp", "a.x.part", "a.x.PART", "a.x.filepart", "a.x.tmp", "a.x.crdownload",
		"a.x~", "~a.x", "#a.x#",
		"a.x.partial", "a.x.download", "a.x.swp", "a.x.aria2", "a.x.temp", "a.x.lock", "a.x.incomplete",
		".hidden/a.x", "upload.tmp/a.x", ".blorc-0123456789abcdef.tmp"}
	b := newBench(t, t.TempDir())
	for i, name := range names {
		b.put(name, fmt.Sprint(i))
	}
	b.once()
	b.wantOut()
	for i, name := range names {
		must(t, os.Rename(filepath.Join(b.in, name), filepath.Join(b.in, fmt.Sprintf("%d.x", i))))
	}
	if s := b.once(); s.Done != len(names) {
		t.Errorf("%d of %d done", s.Done, len(names))
	}
	row(t, "F11 unfinished names", len(names), len(names)-len(tree(t, b.out)), 0)
}

// The clock of the machine, and of files, may say anything.
func TestPromise18Clocks(t *testing.T) {
	b := newBench(t, fastDir(t))
	n := 50
	for i := range n {
		name := fmt.Sprintf("%d.x", i)
		b.put(name, name)
		year := []int{1970, 1999, 2025, 2027, 2106}[i%5]
		must(t, os.Chtimes(filepath.Join(b.in, name), time.Time{}, time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)))
	}
	b.once()
	if s := b.once(); s.Done != 0 {
		t.Error("done again")
	}
	row(t, "F24 odd times of files", n, n-len(tree(t, b.out)), 0)
}
