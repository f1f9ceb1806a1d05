//go:build linux

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

var (
	_ = fault("F18", "disk full and freed, watch", watchDiskFull)
	_ = fault("F19", "permission denied, watch", watchDenied)
)

// watchDiskFull fills the output's disk of one megabyte, to the last byte or with room for the ledger only, has
// pictures come, and frees it again.
func watchDiskFull(c *cases) {
	flags := c.model()
	os.Mkdir(c.path("out"), 0o777)
	os.Mkdir(c.path("in"), 0o777)
	if err := syscall.Mount("tmpfs", c.path("out"), "tmpfs", 0, "size=1m"); err != nil {
		c.Skip("no right to mount: ", err)
	}
	c.Cleanup(func() { syscall.Unmount(c.path("out"), syscall.MNT_DETACH) })
	d := c.launch(c.command(watchArgs(flags, "in", "out", "--on-success", "delete")...))
	await("the start", func() bool { return strings.Contains(d.log.String(), "watching") })
	done := 0
	for i := range c.count(2, 10) {
		c.check(fmt.Sprint("round ", i), func() error {
			batch := fmt.Sprint("batch", i)
			for k := range 4 {
				c.picture(fmt.Sprintf("%s/%d-%d.png", batch, i, k), 300, 300)
			}
			want := undisturbed(c, batch, append(flags, "--quality", "fast", "--overwrite", "always"))
			for name := range want {
				if !strings.HasPrefix(name, fmt.Sprint(i, "-")) {
					delete(want, name) // of an earlier round
				}
			}
			os.WriteFile(c.path("out/.ballast"), make([]byte, 1<<20), 0o666) // as much as goes
			if i%2 == 1 {
				os.Truncate(c.path("out/.ballast"), c.size("out/.ballast")-24<<10)
			}
			retries := strings.Count(d.log.String(), "msg=retry")
			os.Rename(c.path(batch), c.path("in/"+batch))
			if err := await("trouble", func() bool {
				return strings.Count(d.log.String(),
					"msg=retry") >= retries+2
			}); err != nil {
				return err
			}
			if !d.alive() {
				return fmt.Errorf("the daemon is gone: %s", d.log.String())
			}
			if _, err := within(c.round(batch), want); err != nil {
				return fmt.Errorf("while it is full, %w", err)
			}
			os.Remove(c.path("out/.ballast"))
			done += 4
			if err := await("all outputs", func() bool {
				return strings.Count(d.log.String(),
					"msg=done") >= done
			}); err != nil {
				return fmt.Errorf("%w\n%s", err, d.log.String())
			}
			await("the inputs", func() bool { return len(c.files("in/"+batch)) == 0 })
			err := same(c.round(batch), want)
			os.RemoveAll(c.path("out/" + batch)) // room for the next round
			return err
		})
	}
	c.check("the end", func() error {
		if err := c.end(d, syscall.SIGTERM); err != nil {
			return err
		}
		return c.doneOnce("out", done)
	})
}

func (c *cases) size(name string) int64 {
	info, err := os.Stat(c.path(name))
	if err != nil {
		return 0
	}
	return info.Size()
}

func (c *cases) round(batch string) map[string][]byte { return c.files("out/" + batch) }

// watchDenied: what stands in the way of everything is told at the start; what concerns one file holds up no other, and
// is done when it is allowed.
func watchDenied(c *cases) {
	prefix := c.unprivileged()
	flags := c.model()
	n := 0
	// fresh makes folders that the other user may write to, and returns what is to come out.
	fresh := func() (in, out string, want map[string][]byte) {
		n++
		in, out = fmt.Sprintf("in%d", n), fmt.Sprintf("out%d", n)
		c.picture(in+"/a.png", 16, 16)
		c.picture(in+"/sub/b.png", 16, 16)
		c.picture(in+"/c.png", 16, 16)
		os.RemoveAll(c.path("reference"))
		want = undisturbed(c, in, append(flags, "--quality", "fast"))
		for _, folder := range []string{in, in + "/sub", out, out + "/sub"} {
			os.Mkdir(c.path(folder), 0o777)
			os.Chmod(c.path(folder), 0o777)
		}
		return in, out, want
	}
	run := func(in, out string, more ...string) outcome {
		cmd := c.command()
		all := append(append(prefix[:len(prefix):len(prefix)], program),
			watchArgs(flags, in, out, append(more, "--once")...)...)
		cmd.Path, cmd.Args = program, all
		if len(prefix) > 0 {
			cmd.Path, _ = exec.LookPath(prefix[0])
		}
		return c.finish(cmd)
	}
	// test takes a right away, wants so many outputs and an exit code, gives it back, and wants all.
	test := func(name, locked string, mode os.FileMode, code, outputs int, before bool, more ...string) {
		c.check(name, func() error {
			in, out, want := fresh()
			if before { // so that there is a ledger
				if o := run(in, out); o.code != 0 {
					return fmt.Errorf("before: exit code %d: %s", o.code, o.stderr)
				}
			}
			path := c.path(strings.NewReplacer("IN", in, "OUT", out).Replace(locked))
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			os.Chmod(path, mode)
			o := run(in, out, more...)
			got := c.outputs(out)
			os.Chmod(path, info.Mode().Perm())
			if o.code != code || len(got) != outputs || !strings.Contains(o.stderr, "ermission denied") {
				return fmt.Errorf("exit code %d, %d outputs: %s", o.code, len(got), o.stderr)
			}
			if o = run(in, out, more...); o.code != 0 {
				return fmt.Errorf("allowed again: exit code %d: %s", o.code, o.stderr)
			}
			if len(more) > 0 && len(c.files(in)) > 0 {
				return fmt.Errorf("inputs are left")
			}
			if err := same(c.outputs(out), want); err != nil {
				return err
			}
			return c.doneOnce(out, len(want))
		})
	}
	test("a file", "IN/a.png", 0, 1, 2, false)
	test("a folder in the input folder", "IN/sub", 0, 6, 2, false)
	test("the input folder", "IN", 0, 6, 0, false)
	test("the output folder", "OUT", 0o555, 6, 0, false)
	test("a folder in the output folder", "OUT/sub", 0o555, 1, 2, false)
	test("the ledger", "OUT/.blorc-watch/ledger", 0, 6, 3, true)
	test("the lock", "OUT/.blorc-watch/lock", 0, 6, 3, true)
	test("the state folder", "OUT/.blorc-watch", 0, 6, 3, true)
	test("to delete inputs", "IN", 0o555, 1, 3, false, "--on-success", "delete")
}
