//go:build linux

package faults

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

var _ = fault("F18", "the N-th system call fails", syscalls)

// syscalls lets the N-th call of each kind fail, for N = 1, 2, ... until none does any more. The output is absent, the
// old file or the whole new one; the input is as it was, or has a backup. A process that says it succeeded did.
func syscalls(c *cases) {
	if _, err := exec.LookPath("strace"); err != nil {
		c.Skip("there is no strace")
	}
	flags := c.model()
	c.picture("in.png", 320, 320) // takes more than one write
	input, err := os.ReadFile(c.path("in.png"))
	must(c, err)
	if o := c.tool(append(flags, "in.png", "-o", "want.png")...); o.code != 0 {
		c.Fatal(o.stderr)
	}
	want, err := os.ReadFile(c.path("want.png"))
	must(c, err)
	calls := []string{"fsync", "renameat", "linkat"}
	if *full {
		calls = append(calls, "write", "openat", "fchmod", "ftruncate", "getdents64", "newfstatat")
	}
	for _, call := range calls {
		for _, mode := range []string{"new", "old", "in place"} {
			for n := 1; n < 500; n++ {
				injected := false
				c.check(fmt.Sprintf("%s %d, %s", call, n, mode), func() (err error) {
					injected, err = c.inject(call, n, mode, input, want, flags)
					return err
				})
				if !injected {
					break
				}
			}
		}
	}
}

func (c *cases) inject(call string, n int, mode string, input, want []byte, flags []string) (injected bool, err error) {
	os.RemoveAll(c.path("w"))
	os.Mkdir(c.path("w"), 0o755)
	os.WriteFile(c.path("w/in.png"), input, 0o644)
	args := append([]string{program}, flags...)
	out, allowed := "w/out.png", [][]byte{nil, want}
	switch mode {
	case "new":
		args = append(args, "w/in.png", "-o", out)
	case "old":
		old := []byte("old")
		os.WriteFile(c.path(out), old, 0o644)
		allowed = [][]byte{old, want}
		args = append(args, "w/in.png", "-o", out, "--overwrite", "always")
	case "in place":
		out, allowed = "w/in.png", [][]byte{input, want}
		args = append(args, "w/in.png", "--in-place")
	}
	cmd := c.command()
	cmd.Path, _ = exec.LookPath("strace")
	cmd.Args = append([]string{"strace", "-f", "-o", c.path("log"), "-e", "trace=" + call,
		"-e", fmt.Sprintf("inject=%s:error=ENOSPC:when=%d", call, n)}, args...)
	o := c.finish(cmd)
	log, _ := os.ReadFile(c.path("log"))
	injected = bytes.Contains(log, []byte("(INJECTED)"))
	got, _ := os.ReadFile(c.path(out))
	now, _ := os.ReadFile(c.path("w/in.png"))
	backup, _ := os.ReadFile(c.path("w/in.png.orig"))
	switch {
	case !bytes.Equal(got, allowed[0]) && !bytes.Equal(got, allowed[1]):
		return injected, fmt.Errorf("an output of %d bytes", len(got))
	case o.code == 0 && !bytes.Equal(got, want):
		return injected, fmt.Errorf("said to have succeeded")
	case !bytes.Equal(now, input) && !bytes.Equal(backup, input):
		return injected, fmt.Errorf("the input is lost")
	case !injected && o.code != 0:
		return injected, fmt.Errorf("exit code %d without a fault: %s", o.code, o.stderr)
	}
	// Only the runtime's own calls may end the process; then its temporary file stays for the next run.
	if !strings.Contains(o.stderr, "fatal error") && !strings.Contains(o.stderr, "runtime:") && o.code != -1 {
		for name := range c.files("w") {
			if strings.Contains(name, ".blorc-") {
				return injected, fmt.Errorf("%s is left", name)
			}
		}
	}
	return injected, nil
}
