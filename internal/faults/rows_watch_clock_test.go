//go:build linux

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

var (
	_ = fault("F24", "the clock is set while it runs, watch", clockSet)
	_ = fault("F24", "odd times of files, watch", oddTimes)
)

// clockSet moves the wall clock of a running daemon by years, forwards and backwards, while a file waits to become
// still. The file is neither taken early nor left.
//
// A Go program asks the kernel for the time without the C library, where nothing can come in between; but qemu, which
// runs it here, asks the C library, where libfaketime answers. The worker is started by qemu as it is, and has the true
// time.
func clockSet(c *cases) {
	qemu, err := exec.LookPath("qemu-x86_64")
	libs, _ := filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
	if err != nil || len(libs) == 0 {
		c.Skip("there is no qemu-x86_64 or no libfaketime")
	}
	flags := c.model()
	os.Mkdir(c.path("in"), 0o777)
	clock := c.path("clock")
	set := func(to string) { os.WriteFile(clock+".new", []byte(to+"\n"), 0o666); os.Rename(clock+".new", clock) }
	set("+0")
	const settle = 3 * time.Second
	cmd := c.command()
	cmd.Path = qemu
	cmd.Args = append([]string{qemu, program}, watchArgs(flags, "in", "out", "--settle", settle.String())...)
	cmd.Env = append(cmd.Env, "LD_PRELOAD="+libs[0], "FAKETIME_TIMESTAMP_FILE="+clock, "FAKETIME_NO_CACHE=1",
		"DONT_FAKE_MONOTONIC=1",
		"NO_FAKE_STAT=1")
	d := c.launch(cmd)
	if err := await("the start", func() bool {
		return strings.Contains(d.log.String(), "watching") || !d.alive()
	}); err != nil || !d.alive() {
		c.Fatalf("%v %s", err, d.log.String())
	}
	want := 0
	years := map[string]bool{}
	for i := range c.count(4, 20) {
		to := []string{"+1y", "-1y", "+10y", "+0", "-20y", "+1h"}[i%6]
		c.check(to, func() error {
			name := fmt.Sprintf("%d.png", i)
			c.picture("new/"+name, 40, 40)
			start := time.Now()
			os.Rename(c.path("new/"+name), c.path("in/"+name))
			want++
			time.Sleep(500 * time.Millisecond) // it has been seen
			set(to)
			if err := await(name, func() bool {
				return strings.Count(d.log.String(),
					"msg=done") >= want
			}); err != nil {
				return fmt.Errorf("%w\n%s", err, d.log.String())
			}
			if took := time.Since(start); took < settle {
				return fmt.Errorf("taken after %v", took)
			}
			lines := c.ledger("out")
			_, at, _ := strings.Cut(lines[len(lines)-1], `"At":"`)
			if len(at) < 4 {
				return fmt.Errorf("no time in the ledger")
			}
			years[at[:4]] = true
			return nil
		})
	}
	c.check("the end", func() error {
		if len(years) < 3 {
			return fmt.Errorf("the clock was not moved: %v", years)
		}
		if err := c.end(d, syscall.SIGTERM); err != nil {
			return fmt.Errorf("%w: %s", err, d.log.String())
		}
		return c.doneOnce("out", want)
	})
	c.note = fmt.Sprintf("%d different years by the daemon's clock", len(years))
}

// oddTimes: what a file says about its age does not matter, neither the first time nor the second.
func oddTimes(c *cases) {
	flags := c.model()
	n := c.count(6, 50)
	c.pictures("in", n, 24)
	want := undisturbed(c, "in", append(flags, "--quality", "fast"))
	i := 0
	for name := range want {
		at := time.Date([]int{1902, 1970, 1999, 2027, 2106, 2400}[i%6], 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(c.path("in/"+name), at, at); err != nil {
			c.Log(err)
		}
		i++
	}
	args := watchArgs(flags, "in", "out")
	c.total += n - 2
	for _, round := range []string{"first", "second"} {
		c.check(round, func() error {
			if err := c.drain(args...); err != nil {
				return err
			}
			if err := same(c.outputs("out"), want); err != nil {
				return err
			}
			return c.doneOnce("out", n)
		})
	}
}
