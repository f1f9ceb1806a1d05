//go:build linux

package faults

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

var _ = fault("F18", "the N-th system call fails, watch", watchSyscalls)

// watchSyscalls lets the N-th call of each kind fail, in each thread of daemon and worker, for N = 1, 2, ... until none
// does any more. However the daemon ends, there are whole outputs only, and the next one ends with all that an
// undisturbed run has.
func watchSyscalls(c *cases) {
	if _, err := exec.LookPath("strace"); err != nil {
		c.Skip("there is no strace")
	}
	flags := c.model()
	c.pictures("inputs", 2, 64)
	want := undisturbed(c, "inputs", append(flags, "--quality", "fast"))
	calls, most := []string{"fsync=EIO", "linkat=EIO"}, 2
	if *full {
		calls, most = []string{"fsync=EIO", "linkat=EIO", "renameat=EIO", "pwrite64=ENOSPC", "write=ENOSPC",
			"openat=EACCES", "getdents64=EIO",
			"unlinkat=EIO", "mkdirat=ENOSPC"}, 500
	}
	var counts []string
	for _, call := range calls {
		n := 0
		for n < most {
			injected := false
			c.check(fmt.Sprint(call, " ", n+1), func() (err error) {
				injected, err = c.injectWatch(call, n+1, want, flags)
				return err
			})
			if !injected {
				break
			}
			n++
		}
		name, _, _ := strings.Cut(call, "=")
		counts = append(counts, fmt.Sprint(name, " ", n))
	}
	c.note = strings.Join(counts, ", ")
}

func (c *cases) injectWatch(call string, n int, want map[string][]byte, flags []string) (injected bool, err error) {
	os.RemoveAll(c.path("w"))
	must(c, os.CopyFS(c.path("w/in"), os.DirFS(c.path("inputs"))))
	args := watchArgs(flags, "w/in", "w/out", "--on-success", "delete", "--once")
	name, fault, _ := strings.Cut(call, "=")
	cmd := c.command()
	cmd.Path, _ = exec.LookPath("strace")
	cmd.Args = append([]string{"strace", "-f", "-o", c.path("log"), "-e", "trace=" + name,
		"-e", fmt.Sprintf("inject=%s:error=%s:when=%d", name, fault, n), program}, args...)
	first := c.finish(cmd) // may end in any way
	log, _ := os.ReadFile(c.path("log"))
	injected = bytes.Contains(log, []byte("(INJECTED)"))
	if _, err := within(c.outputs("w/out"), want); err != nil {
		return injected, fmt.Errorf("after the first run, %w", err)
	}
	if !injected && first.code != 0 {
		return false, fmt.Errorf("exit code %d without a fault: %s", first.code, first.stderr)
	}
	c.age("w/out")
	if err := c.drain(args...); err != nil {
		return injected, fmt.Errorf("%w\nafter: %s", err, first.stderr)
	}
	if left := c.files("w/in"); len(left) > 0 {
		return injected, fmt.Errorf("%d inputs are left", len(left))
	}
	if err := same(c.outputs("w/out"), want); err != nil {
		return injected, fmt.Errorf("%w\nafter: %s", err, first.stderr)
	}
	return injected, c.doneOnce("w/out", len(want))
}
