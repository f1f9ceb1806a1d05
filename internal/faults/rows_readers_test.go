//go:build linux

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

var (
	_ = fault("F39", "no events from the system, watch", eventless)
	_ = idleFault("F40", "a reader of --json stops reading", stoppedReader)
)

// eventless lets the calls fail that ask for events, as they do when a limit is reached: the daemon says so, and polls.
func eventless(c *cases) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		c.Skip("there is no strace")
	}
	flags := c.model()
	for call, say := range map[string]string{"inotify_add_watch:error=ENOSPC": "max_user_watches",
		"inotify_init1:error=EMFILE": "max_user_instances"} {
		c.check(call, func() error {
			os.RemoveAll(c.path("w"))
			os.MkdirAll(c.path("w/in"), 0o777)
			cmd := c.command()
			cmd.Path = strace
			cmd.Args = append([]string{"strace", "-f", "-qq", "-o", c.path("log"), "-e",
				"trace=inotify_add_watch,inotify_init1", "-e", "inject=" + call, program},
				watchArgs(flags, "w/in", "w/out")...)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			d := c.launch(cmd)
			defer syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL) // strace alone would leave the daemon behind
			if err := await("the message", func() bool { return strings.Contains(d.log.String(), say) }); err != nil {
				return err
			}
			c.picture("w/in/a.png", 16, 16)
			if err := await("the output", func() bool { return exists(c.path("w/out/a.png")) }); err != nil {
				return err
			}
			if log := d.log.String(); !strings.Contains(log, "polling") {
				return fmt.Errorf("not told: %s", log)
			}
			return nil
		})
	}
}

// stoppedReader: the program waits for a reader that stops, as every program does, but can be ended.
func stoppedReader(c *cases) {
	flags := c.model()
	for i := range 150 { // together more than a pipe holds
		c.picture(fmt.Sprintf("in/%s%03d.png", strings.Repeat("x", 240), i), 8, 8)
	}
	heard := make(chan os.Signal, 1) // so that the program does not inherit that a signal is ignored, as below nohup
	signal.Notify(heard, syscall.SIGHUP, syscall.SIGINT)
	defer signal.Stop(heard)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		c.check(sig.String(), func() error {
			os.RemoveAll(c.path("out"))
			r, w, err := os.Pipe()
			if err != nil {
				return err
			}
			defer r.Close()
			cmd := c.command(append(flags, "in", "-o", "out", "--json", "-q")...)
			cmd.Stdout = w
			if err := cmd.Start(); err != nil {
				return err
			}
			w.Close()
			still, last := time.Now(), 0
			await("the standstill", func() bool {
				entries, _ := os.ReadDir(c.path("out"))
				if n := len(entries); n != last {
					still, last = time.Now(), n
				}
				return last > 0 && time.Since(still) > time.Second
			})
			if last == 150 {
				return fmt.Errorf("nothing stood still")
			}
			cmd.Process.Signal(sig)
			cmd.Wait()
			c.measure(cmd)
			if code := cmd.ProcessState.ExitCode(); code != 130 {
				return fmt.Errorf("exit code %d", code)
			}
			return nil
		})
	}
}
