//go:build linux

package faults

import (
	"fmt"
	"os/exec"
)

var _ = fault("F42", "few open files, little memory", few)

// few: all is done with 24 open files, in folders that are many more, and in 300 MB of memory.
func few(c *cases) {
	flags := append(c.model(), "--quality", "fast")
	const n = 40
	for i := range n {
		c.picture(fmt.Sprintf("in/%d/a.png", i), 24, 24)
	}
	want := undisturbed(c, "in", flags)
	limited := func(args ...string) outcome {
		cmd := c.command(args...)
		shell, err := exec.LookPath("sh")
		must(c, err)
		cmd.Path, cmd.Args = shell, append([]string{"sh", "-c", `ulimit -n 24; exec "$0" "$@"`}, cmd.Args...)
		return c.finish(cmd)
	}
	c.check("24 open files, batch", func() error {
		if o := limited(append(flags, "-r", "in", "-o", "out1", "-q")...); o.code != 0 {
			return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
		}
		return same(c.files("out1"), want)
	})
	c.check("24 open files, in place", func() error {
		if err := exec.Command("cp", "-r", c.path("in"), c.path("own")).Run(); err != nil {
			return err
		}
		if o := limited(append(flags, "-r", "own", "--in-place", "--no-backup", "-q")...); o.code != 0 {
			return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
		}
		return same(c.files("own"), want)
	})
	c.check("24 open files, watch", func() error {
		if o := limited(watchArgs(flags, "in", "out2", "--once")...); o.code != 0 {
			return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
		}
		return same(c.outputs("out2"), want)
	})
	c.check("300 MB", func() error {
		const most = 300 << 20
		for i := range 6 {
			c.picture(fmt.Sprintf("large/%d.png", i), 1400, 1000)
		}
		o := c.measured(c.command(append(flags, "large", "-o", "out3/", "-q", "--max-memory", "300Mi")...))
		if o.code != 0 || len(c.files("out3")) != 6 || o.peak > most {
			return fmt.Errorf("exit code %d, %d MB at its peak: %s", o.code, o.peak>>20, o.stderr)
		}
		return nil
	})
}
