//go:build linux

package faults

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

var (
	_ = fault("F36", "input changes during the work", changingInput)
	_ = fault("F37", "disk full in a batch", batchDiskFull)
)

// changingInput rewrites the input while it is worked on: there is no output of a version that is gone, and an output
// that was there before stays.
func changingInput(c *cases) {
	flags := c.model()
	c.picture("a.png", 500, 500)
	c.picture("b.png", 501, 501)
	a, _ := os.ReadFile(c.path("a.png"))
	b, _ := os.ReadFile(c.path("b.png"))
	if o := c.tool(append(flags, "b.png", "-o", "want.png")...); o.code != 0 {
		c.Fatal(o.stderr)
	}
	want, _ := os.ReadFile(c.path("want.png"))
	for i := range c.count(6, 100) {
		existed, half := i%2 == 1, i/2%2 == 1
		c.check(fmt.Sprintf("%d, an output before: %v, half of it first: %v", i, existed, half), func() error {
			os.Remove(c.path("out.png"))
			if existed {
				os.WriteFile(c.path("out.png"), []byte("good"), 0o666)
			}
			os.WriteFile(c.path("in.png"), a, 0o666)
			cmd := c.command(append(flags, "in.png", "-o", "out.png", "--overwrite", "always")...)
			ended := make(chan outcome)
			go func() { ended <- c.finish(cmd) }()
			await("the reading", func() bool {
				return cmd.Process != nil && readsPast(cmd.Process.Pid, int64(len(a))) || exists(c.path("out.png")) &&
					!existed
			})
			next := b
			if half {
				next = b[:len(b)/2]
			}
			os.WriteFile(c.path("in.png"), next, 0o666)
			o := <-ended
			got, err := os.ReadFile(c.path("out.png"))
			switch {
			case o.code == 0 && !half && string(got) == string(want):
			case o.code == 0 && c.olderThan("out.png", "in.png"): // it was through before the change
			case o.code != 0 && existed && string(got) == "good", o.code != 0 && !existed && os.IsNotExist(err):
			default:
				return fmt.Errorf("exit code %d, output of %d bytes, %s", o.code, len(got), o.stderr)
			}
			return nil
		})
	}
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

func (c *cases) olderThan(a, b string) bool {
	x, err1 := os.Stat(c.path(a))
	y, err2 := os.Stat(c.path(b))
	return err1 == nil && err2 == nil && !x.ModTime().After(y.ModTime())
}

// readsPast says whether a process has read so many bytes, which comes with reading its input.
func readsPast(pid int, bytes int64) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return true // it has ended
	}
	var n int64
	fmt.Sscanf(string(text), "rchar: %d", &n)
	return n > bytes
}

// batchDiskFull: a full disk ends a batch at once, with one message and the number of files left. When there is room
// again, the same call does what is left.
func batchDiskFull(c *cases) {
	flags := c.model()
	os.Mkdir(c.path("out"), 0o777)
	if err := syscall.Mount("tmpfs", c.path("out"), "tmpfs", 0, "size=512k"); err != nil {
		c.Skip("no right to mount: ", err)
	}
	c.Cleanup(func() { syscall.Unmount(c.path("out"), syscall.MNT_DETACH) })
	const n = 12
	for i := range n {
		c.picture(fmt.Sprintf("in/%02d.png", i), 300, 300)
	}
	want := undisturbed(c, "in", flags)
	for _, more := range [][]string{{}, {"--json"}, {"--jobs=1"}, {"-j", "4"}} {
		c.check(fmt.Sprint(more), func() error {
			for name := range c.files("out") {
				os.Remove(c.path("out/" + name))
			}
			os.WriteFile(c.path("out/.ballast"), make([]byte, 200<<10), 0o666)
			args := append(append(flags, "-r", "in", "-o", "out", "-q"), more...)
			o := c.tool(args...)
			os.Remove(c.path("out/.ballast"))
			got := c.files("out")
			left := fmt.Sprintf("%d of %d files are left", n-len(got), n)
			if o.code != 1 && o.code != 6 || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, left) ||
				!strings.Contains(o.stderr, "no space left") {
				return fmt.Errorf("exit code %d, %d outputs: %s", o.code, len(got), o.stderr)
			}
			if _, err := within(got, want); err != nil {
				return err
			}
			return nil
		})
	}
}
