//go:build linux

package faults

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

var _ = fault("F30", "nothing grows, watch", soak)

// usage is what the processes of a daemon hold.
type usage struct {
	memory, descriptors, threads int // memory in kB
}

func (d *daemon) usage() (u usage) {
	for _, pid := range append(children(d), d.cmd.Process.Pid) {
		files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		u.descriptors += len(files)
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		for line := range strings.Lines(string(data)) {
			name, value, _ := strings.Cut(line, ":")
			n := 0
			fmt.Sscan(value, &n)
			switch name {
			case "VmRSS":
				u.memory += n
			case "Threads":
				u.threads += n
			}
		}
	}
	return u
}

// soak has pictures come in ten rounds and be deleted when they are done: daemon and worker hold no more after the last
// round than after the third, when all that is kept for later has been made.
func soak(c *cases) {
	flags := c.model()
	n := c.count(50, 2000)
	c.pictures("pictures", n, 32)
	want := undisturbed(c, "pictures", append(flags, "--quality", "fast"))
	os.Mkdir(c.path("in"), 0o777)
	d := c.launch(c.command(watchArgs(flags, "in", "out", "--on-success", "delete")...))
	var third, last usage
	for i := range 10 {
		c.check(fmt.Sprint("round ", i+1), func() error {
			for k := i * n / 10; k < (i+1)*n/10; k++ {
				name := fmt.Sprintf("%d/%03d.png", k%7, k)
				os.Mkdir(c.path(fmt.Sprintf("in/%d", k%7)), 0o777)
				if err := os.Rename(c.path("pictures/"+name), c.path("in/"+name)); err != nil {
					return err
				}
			}
			if err := await("a round", func() bool {
				return strings.Count(d.log.String(),
					"msg=deleted") >= (i+1)*n/10 || !d.alive()
			}); err != nil {
				return err
			}
			if last = d.usage(); i == 2 {
				third = last
			}
			return nil
		})
	}
	c.check("what it holds", func() error {
		if last.descriptors > third.descriptors+2 || last.threads > third.threads+8 ||
			last.memory > third.memory+third.memory/4+8<<10 {
			return fmt.Errorf("%+v after the third round, %+v after the last", third, last)
		}
		return nil
	})
	c.check("the end", func() error {
		if err := c.end(d, syscall.SIGTERM); err != nil {
			return fmt.Errorf("%w: %s", err, d.log.String())
		}
		if err := same(c.outputs("out"), want); err != nil {
			return err
		}
		return c.doneOnce("out", n)
	})
	c.total = max(c.total, n) // a case is a picture
	c.note = fmt.Sprintf("%d files; after the third round %+v, after the last %+v", n, third, last)
}
