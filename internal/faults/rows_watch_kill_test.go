//go:build linux

package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"time"
)

var (
	_ = fault("F20", "kill -9, watch, inputs kept", func(c *cases) { watchKills(c, "keep") })
	_ = fault("F20", "kill -9, watch, inputs deleted", func(c *cases) { watchKills(c, "delete") })
	_ = fault("F20", "kill -9, watch, inputs moved", func(c *cases) { watchKills(c, "move:moved") })
	_ = fault("F20", "kill -9, watch, the worker", workerKills)
)

// watchKills: between kills there are whole outputs only; in the end all is as after an undisturbed run, each content
// was done once, and what killed workers have left is cleared away.
func watchKills(c *cases, policy string) {
	flags := c.model()
	kills := c.count(4, 50)
	c.pictures("in", 4*kills, 32)
	inputs, want := c.files("in"), undisturbed(c, "in", append(flags, "--quality", "fast"))
	args := watchArgs(flags, "in", "out", "--on-success", policy, "-q")
	r := rand.New(rand.NewPCG(20, uint64(len(policy))))
	temps, working := 0, 0
	for i := range kills {
		c.check(fmt.Sprint("kill ", i), func() error {
			before, lines := len(c.ledger("out")), r.IntN(9)
			d := c.launch(c.command(args...))
			// By what it has done, and not by time alone: it is to be hit at work on any machine.
			await("progress", func() bool {
				l := c.ledger("out")
				return len(l) >= before+lines || strings.Count(strings.Join(l, ""), `"done"`) == len(want) || !d.alive()
			})
			time.Sleep(time.Duration(r.IntN(12)) * time.Millisecond)
			c.end(d, syscall.SIGKILL)
			if l := c.ledger("out"); strings.Contains(l[len(l)-1], `"try"`) {
				working++
			}
			n, err := within(c.outputs("out"), want)
			temps = max(temps, n)
			return err
		})
	}
	c.check("the rest", func() error {
		if err := c.drain(args...); err != nil {
			return err
		}
		c.age("out")
		if err := c.drain(args...); err != nil {
			return err
		}
		if err := c.doneOnce("out", len(want)); err != nil {
			return err
		}
		return same(c.outputs("out"), want)
	})
	c.check("the inputs", func() error {
		switch policy {
		case "delete":
			inputs = map[string][]byte{}
		case "move:moved":
			if err := same(c.files("moved"), inputs); err != nil {
				return err
			}
			inputs = map[string][]byte{}
		}
		return same(c.files("in"), inputs)
	})
	c.note = fmt.Sprintf("%d kills hit a job, up to %d temporary files between", working, temps)
}

// workerKills: the daemon lives on, and does with another worker what the first could not.
func workerKills(c *cases) {
	flags := c.model()
	kills := c.count(4, 50)
	c.pictures("later", 3*kills, 32)
	want := undisturbed(c, "later", append(flags, "--quality", "fast"))
	os.Mkdir(c.path("in"), 0o777)
	d := c.launch(c.command(watchArgs(flags, "in", "out", "--tries", "1000")...))
	await("the start", func() bool { return strings.Contains(d.log.String(), "watching") })
	os.Rename(c.path("later"), c.path("in/later"))
	r := rand.New(rand.NewPCG(20, 7))
	for i := range kills {
		c.check(fmt.Sprint("kill ", i), func() error {
			time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
			if err := await("a worker", func() bool { return len(children(d)) > 0 }); err != nil {
				return err
			}
			for _, pid := range children(d) {
				syscall.Kill(pid, syscall.SIGKILL)
			}
			if !d.alive() {
				return fmt.Errorf("the daemon is gone: %s", d.log.String())
			}
			return nil
		})
	}
	c.check("the rest", func() error {
		if err := await("all outputs", func() bool {
			return strings.Count(d.log.String(),
				"msg=done") >= len(want)
		}); err != nil {
			return err
		}
		if err := c.end(d, syscall.SIGTERM); err != nil {
			return err
		}
		c.age("out")
		if err := c.drain(watchArgs(flags, "in", "out")...); err != nil {
			return err
		}
		got := map[string][]byte{}
		for name, data := range c.outputs("out") {
			got[strings.TrimPrefix(name, "later/")] = data
		}
		if err := same(got, want); err != nil {
			return err
		}
		return c.doneOnce("out", len(want))
	})
	c.note = fmt.Sprintf("%d tries crashed", strings.Count(d.log.String(), "msg=retry"))
}

// children are the processes that a daemon has started.
func children(d *daemon) (pids []int) {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", d.cmd.Process.Pid))
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", d.cmd.Process.Pid))
	for _, t := range tasks { // a child belongs to the thread that made it
		more, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", d.cmd.Process.Pid, t.Name()))
		data = append(append(data, ' '), more...)
	}
	for _, f := range strings.Fields(string(data)) {
		var pid int
		if _, err := fmt.Sscan(f, &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
