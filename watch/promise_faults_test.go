//go:build linux

package watch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every call of a kind fails once, the first, the second, and so on, until there is no such call any more. However the
// daemon ends, the next one, without faults, ends with all that an undisturbed one has.
func TestPromise06EveryCallFailsOnce(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not there")
	}
	calls := []string{"pwrite64=ENOSPC", "fsync=EIO", "linkat=EIO", "renameat=EIO", "getdents64=EIO", "unlinkat=EIO",
		"mkdirat=ENOSPC", "write=EIO", "openat=EACCES"}
	limit := count(2, 1000) // strace counts the calls of each thread
	for _, call := range calls[:count(3, len(calls))] {
		name, fault, _ := strings.Cut(call, "=")
		cases, failures, start := 0, 0, time.Now()
		for n := 1; n <= limit; n++ {
			dir := fastDir(t)
			in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
			want := inputs(t, in, 3)
			trace := filepath.Join(dir, "trace")
			cmd := self("daemon", "-local", "-once", "-delete", in, out)
			cmd.Path, cmd.Args = strace, append([]string{"strace", "-f", "-qq", "-o", trace, "-e", "trace=" + name,
				"-e", fmt.Sprintf("inject=%s:error=%s:when=%d", name, fault, n)}, cmd.Args...)
			var log bytes.Buffer
			cmd.Stderr = &log
			cmd.Run() // may end in any way
			text, err := os.ReadFile(trace)
			if err != nil {
				t.Skip("strace cannot trace here")
			}
			if !bytes.Contains(text, []byte("INJECTED")) {
				break
			}
			cases++
			again := self("daemon", "-once", "-delete", in, out)
			again.Stderr = &log
			if err := again.Run(); err != nil || !slices.Equal(visible(tree(t, out)), want) || len(tree(t, in)) > 0 {
				failures++
				t.Errorf("%s %d: %v, %q\n%s", name, n, err, tree(t, out), log.String())
			}
			os.RemoveAll(dir)
		}
		row(t, "F18 fails once: "+name, cases, failures, time.Since(start))
	}
}

// onSmallDisk returns a daemon to be, and its output folder, which has a disk of 256 KiB of its own.
func onSmallDisk(t *testing.T) (b *bench, out string) {
	t.Helper()
	dir := t.TempDir()
	out = filepath.Join(dir, "out")
	must(t, os.MkdirAll(out, 0o777))
	if err := syscall.Mount("tmpfs", out, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("no right to mount: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(out, syscall.MNT_DETACH) })
	b = newBench(t, dir)
	b.o.Settle, b.o.Interval = 5*time.Millisecond, 20*time.Millisecond
	return b, out
}

// fill leaves no room on a small disk. It returns the file that takes the room.
func fill(folder string) string {
	ballast := filepath.Join(folder, ".ballast")
	os.WriteFile(ballast, make([]byte, 300<<10), 0o666) // as much as goes
	return ballast
}

// The disk of the outputs is full, and has room again.
func TestPromise09DiskFull(t *testing.T) {
	t.Parallel()
	b, out := onSmallDisk(t)
	_, stop := b.start()
	ballast := fill(out)
	for i := range 5 {
		b.put(fmt.Sprintf("%d.x", i), strings.Repeat("x", 8000+i))
	}
	eventually(t, "trouble", func() bool { return b.log.count("msg=retry") > 2 })
	if got := visible(tree(t, out)); len(got) != 1 {
		t.Errorf("visible on a full disk: %d files", len(got))
	}
	must(t, os.Remove(ballast))
	eventually(t, "all outputs", func() bool { return len(visible(tree(t, out))) == 5 })
	if s := stop(); s.Done != 5 {
		t.Errorf("%+v", s)
	}
	row(t, "F18 disk full and freed", 1, 0, 0)
}

// On a full disk the ledger may lack the end of a try. The status says that the file waits, and not that it is worked
// on.
func TestStatusOnAFullDisk(t *testing.T) {
	t.Parallel()
	b, out := onSmallDisk(t)
	begun, end := make(chan struct{}), make(chan struct{})
	b.stub.work = func(ctx context.Context, in string, data []byte, out Output) (string, error) {
		close(begun)
		<-end
		return stubWork(ctx, in, data, out)
	}
	b.put("a.x", "a")
	_, stop := b.start()
	<-begun
	status := func() Status {
		s, err := ReadStatus(t.Context(), out, func(string) bool { return true })
		must(t, err)
		return s
	}
	if s := status(); s.Working != "a.x" || len(s.Pending) != 0 {
		t.Errorf("with room: %+v", s)
	}
	ballast := fill(out)
	if s := status(); s.Working != "" || len(s.Pending) != 1 ||
		s.Pending[0].Reason != "the disk of the output folder is full" {
		t.Errorf("without room: %+v", s)
	}
	must(t, os.Remove(ballast))
	close(end)
	eventually(t, "the output", func() bool { return len(visible(tree(t, out))) == 1 })
	stop()
}
