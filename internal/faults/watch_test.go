//go:build linux

package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// watchArgs are the arguments of a daemon that does the job of flags, from a folder into another of the row's folder.
func watchArgs(flags []string, in, out string, more ...string) []string {
	args := append([]string{"watch", in, out, "--quality", "fast", "--settle", "20ms", "--interval", "100ms",
		"--metrics", ""}, flags...)
	return append(args, more...)
}

// daemon is one that runs.
type daemon struct {
	cmd *exec.Cmd
	log *logText
}

// logText can be read while it is written.
type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// launch starts a prepared daemon.
func (c *cases) launch(cmd *exec.Cmd) *daemon {
	c.Helper()
	d := &daemon{cmd, &logText{}}
	cmd.Stderr = d.log
	cmd.WaitDelay = 5 * time.Second // a killed daemon's worker may live on for a moment
	must(c, cmd.Start())
	return d
}

// end sends a signal and waits.
func (c *cases) end(d *daemon, s os.Signal) error {
	d.cmd.Process.Signal(s)
	err := d.cmd.Wait()
	c.measure(d.cmd)
	return err
}

// await waits for something that a daemon is to do.
func await(what string, ok func() bool) error {
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("never came: %s", what)
		}
	}
	return nil
}

// outputs are the files of an output folder, without the daemon's state and what killed workers have left.
func (c *cases) outputs(out string) map[string][]byte {
	c.Helper()
	all := c.files(out)
	for name := range all {
		if strings.HasPrefix(name, ".blorc-watch") {
			delete(all, name)
		}
	}
	return all
}

// ledger returns the lines of a ledger.
func (c *cases) ledger(out string) []string {
	data, _ := os.ReadFile(c.path(out + "/.blorc-watch/ledger"))
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// doneOnce checks that the ledger says of n contents that they are done, and of each once.
func (c *cases) doneOnce(out string, n int) error {
	times := map[string]int{}
	for _, line := range c.ledger(out) {
		_, body, _ := strings.Cut(line, " ")
		var r struct{ Kind, ID string }
		if json.Unmarshal([]byte(body), &r) != nil || r.Kind != "done" {
			continue
		}
		if times[r.ID]++; times[r.ID] > 1 {
			return fmt.Errorf("%s is done %d times", r.ID, times[r.ID])
		}
	}
	if len(times) != n {
		return fmt.Errorf("%d of %d contents are done", len(times), n)
	}
	return nil
}

// age makes temporary files as old as those that a daemon takes for abandoned.
func (c *cases) age(out string) {
	old := time.Now().Add(-10 * time.Minute)
	for name := range c.outputs(out) {
		if strings.Contains(name, ".blorc-") {
			os.Chtimes(c.path(out+"/"+name), old, old)
		}
	}
}

// drain runs a daemon until nothing is left to do.
func (c *cases) drain(args ...string) error {
	if o := c.tool(append(args, "--once")...); o.code != 0 {
		return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	return nil
}

// alive says whether a daemon has not ended.
func (d *daemon) alive() bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", d.cmd.Process.Pid))
	return err == nil && !strings.Contains(string(data), ") Z ")
}
