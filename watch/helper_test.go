package watch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// The tests that start processes or wait run beside one another.
//
// The test binary also serves as the daemon, and as the worker of that daemon, see process_test.go.
func TestMain(m *testing.M) {
	firstPause, pollEvery = 20*time.Millisecond, 200*time.Millisecond
	switch os.Getenv("BLORC_WATCH_ROLE") {
	case "worker":
		if LimitMemory(4<<30) != nil {
			os.Exit(1)
		}
		if err := Serve(os.Stdin, os.Stdout, stubWork, 0); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	case "daemon":
		os.Exit(daemonMain(os.Args[1:]))
	}
	flag.Parse()
	flag.Set("test.parallel", "6") // the tests that run beside one another wait for most of their time
	goleak.VerifyTestMain(m)
}

// full says whether the long runs are asked for, with BLORC_WATCH_FULL=1.
func full() bool { return os.Getenv("BLORC_WATCH_FULL") != "" }

func count(small, large int) int {
	if full() {
		return large
	}
	return small
}

// row prints a line of the table of faults.
func row(t *testing.T, fault string, cases, failures int, worst time.Duration) {
	t.Helper()
	t.Logf("| %s | %d cases | %d failures | worst %v |", fault, cases, failures, worst.Round(time.Millisecond))
	if failures > 0 {
		t.Fail()
	}
}

// stubWork makes "done: " and the input out of an input. What the input says decides what happens.
func stubWork(_ context.Context, _ string, data []byte, out Output) (string, error) {
	text := string(data)
	switch {
	case strings.HasPrefix(text, "refuse"):
		return "", Refuse(errors.New("not to my taste"))
	case strings.HasPrefix(text, "panic"):
		panic("poison")
	case strings.HasPrefix(text, "hang"):
		time.Sleep(time.Hour)
	case strings.HasPrefix(text, "eat"):
		var all [][]byte
		for range 100 {
			all = append(all, make([]byte, 1<<30))
		}
		return fmt.Sprint(len(all)), nil
	case strings.HasPrefix(text, "slow"):
		time.Sleep(20 * time.Millisecond)
	}
	return "", writeStub(out, append([]byte("done: "), data...))
}

// writeStub keeps the promises of Work.
func writeStub(out Output, data []byte) error {
	folder, err := disk.FromRoot(out.Root).Below(filepath.Dir(out.Name))
	if err != nil {
		return err
	}
	defer folder.Close()
	err = folder.Write(filepath.Base(out.Name), disk.WriteOptions{}, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		if old, e := out.Root.ReadFile(out.Name); e == nil && bytes.Equal(old, data) {
			return nil
		}
	}
	return err
}

// openLedgerAt opens the ledger in the folder of a path.
func openLedgerAt(t testing.TB, path, params string) (*ledger, error) {
	t.Helper()
	folder, err := disk.Open(filepath.Dir(path))
	must(t, err)
	t.Cleanup(func() { folder.Close() })
	return openLedger(folder, params)
}

// counter is a Work that counts what it is given.
type counter struct {
	mu    sync.Mutex
	calls map[string]int // by content
	order []string
	work  Work // default stubWork
}

func (c *counter) Work(ctx context.Context, in string, data []byte, out Output) (string, error) {
	c.mu.Lock()
	if c.calls == nil {
		c.calls = map[string]int{}
	}
	c.calls[string(data)]++
	c.order = append(c.order, string(data))
	work := c.work
	c.mu.Unlock()
	if work == nil {
		work = stubWork
	}
	return work(ctx, in, data, out)
}

func (c *counter) of(content string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[content]
}

func (c *counter) total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.order)
}

// journal collects log lines.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) count(part string) int { return strings.Count(j.String(), part) }

// local is a Runner in this process.
type local struct{ work Work }

func (l local) Run(ctx context.Context, in Source, begin Begin) (text string, err error) {
	data, sum, err := readStill(in, DefaultMaxBytes)
	if err != nil {
		return "", err
	}
	to := begin(sum)
	if to == (Target{}) {
		return "", nil
	}
	out, err := to.open()
	if err != nil {
		return "", err
	}
	defer out.Root.Close()
	return l.work(ctx, in.Path(), data, out)
}

func (local) Close() error { return nil }

// bench is a pair of folders with a stub job.
type bench struct {
	t       testing.TB
	in, out string
	stub    *counter
	log     *journal
	o       Options
}

func newBench(t testing.TB, dir string) *bench {
	b := &bench{t: t, in: filepath.Join(dir, "in"), out: filepath.Join(dir, "out"), stub: &counter{}, log: &journal{}}
	must(t, os.MkdirAll(b.in, 0o777))
	b.o = Options{In: b.in, Out: b.out, Runner: local{b.stub.Work}, Polling: true,
		Log: slog.New(slog.NewTextHandler(b.log, nil))}
	t.Cleanup(func() {
		if t.Failed() {
			text := b.log.String()
			t.Logf("log:\n%s", text[:min(len(text), 5000)])
		}
	})
	return b
}

// once drains the folder.
func (b *bench) once() Summary {
	b.t.Helper()
	o := b.o
	o.Once = true
	if o.Settle == 0 {
		o.Settle = 5 * time.Millisecond
	}
	d, err := New(o)
	must(b.t, err)
	defer d.Close()
	s, err := d.Run(context.Background())
	must(b.t, err)
	return s
}

// start runs a daemon until the test or stop ends it.
func (b *bench) start() (d *Daemon, stop func() Summary) {
	b.t.Helper()
	d, err := New(b.o)
	must(b.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan Summary, 1)
	go func() {
		s, err := d.Run(ctx)
		if err != nil {
			b.t.Error(err)
		}
		ended <- s
	}()
	stop = sync.OnceValue(func() Summary {
		cancel()
		s := <-ended
		d.Close()
		return s
	})
	b.t.Cleanup(func() { stop() })
	return d, stop
}

func (b *bench) put(name, content string) {
	b.t.Helper()
	write(b.t, filepath.Join(b.in, name), content)
}

func write(t testing.TB, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must(t, os.WriteFile(path, []byte(content), 0o666))
}

// tree lists what is in a folder, without the daemon's state: "name=content".
func tree(t testing.TB, root string) []string {
	t.Helper()
	var files []string
	must(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.Name() == stateFolder {
			return filepath.SkipDir
		}
		if e.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // an unfinished output got its name just now
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		files = append(files, filepath.ToSlash(rel)+"="+string(data))
		return err
	}))
	slices.Sort(files)
	return files
}

func (b *bench) wantOut(want ...string) {
	b.t.Helper()
	wantTree(b.t, b.out, want...)
}

func wantTree(t testing.TB, root string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := tree(t, root); !slices.Equal(got, want) {
		t.Errorf("%s holds\n%q, want\n%q", filepath.Base(root), got, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// patience is far more than anything here takes, on a machine that has other things to do.
func patience() time.Duration { return time.Duration(count(3, 60)) * time.Minute }

// eventually waits for what another process or the kernel is to do.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience()); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never came: %s", what)
		}
	}
}

// fastDir is a folder in memory where there is one: these tests are about order, not about disks.
func fastDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "watch")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func self(role string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "BLORC_WATCH_ROLE="+role)
	return cmd
}

func sha(text string) [32]byte { return sha256.Sum256([]byte(text)) }

// resources are what this process has in use.
type resources struct{ goroutines, descriptors, heap, resident int } // memory in kB

func resourcesNow() (r resources) {
	fds, _ := os.ReadDir("/proc/self/fd")
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			fmt.Sscan(text, &r.resident)
		}
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	r.goroutines, r.descriptors, r.heap = runtime.NumGoroutine(), len(fds), int(m.HeapAlloc>>10)
	return r
}

func (r resources) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, heap %d kB, VmRSS: %d kB", r.goroutines, r.descriptors, r.heap,
		r.resident)
}
