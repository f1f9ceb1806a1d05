//go:build linux

package faults

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

// launcher is the variable that makes this test program a launcher: it names the file for the peak.
const launcher = "FAULTS_LAUNCHER"

func TestMain(m *testing.M) {
	if path := os.Getenv(launcher); path != "" {
		os.Exit(launch(path, os.Args[1:]))
	}
	flag.Parse()
	flag.Set("test.parallel", "6") // the rows that run side by side wait for most of their time
	os.Exit(m.Run())
}

// launch runs a program and writes its largest resident set, in bytes, to a file.
//
// Linux hands the largest resident set of a process on to those that it starts. A new copy of the test program is
// small; the one that runs the tests may be larger than what it measures.
func launch(path string, args []string) (code int) {
	os.Unsetenv(launcher)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	peak := int64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10
	if err := os.WriteFile(path, strconv.AppendInt(nil, peak, 10), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	return cmd.ProcessState.ExitCode()
}

// measured runs a command and gives the largest resident set of its process alone.
func (c *cases) measured(cmd *exec.Cmd) outcome {
	self, err := os.Executable()
	must(c, err)
	path := c.path("peak")
	defer os.Remove(path)
	cmd.Env = append(cmd.Env, launcher+"="+path)
	cmd.Path, cmd.Args = self, append([]string{self, cmd.Path}, cmd.Args[1:]...)
	o := c.run(cmd)
	text, err := os.ReadFile(path)
	if err != nil {
		c.Fatalf("%v: %s", err, o.stderr)
	}
	if o.peak, err = strconv.ParseInt(string(text), 10, 64); err != nil {
		c.Fatal(err)
	}
	c.peak = max(c.peak, o.peak)
	return o
}

// A tester that has grown does not count as the program.
func TestMeasuredIsSmall(t *testing.T) {
	ballast := make([]byte, 256<<20)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	c := &cases{T: t, dir: t.TempDir()}
	if o := c.measured(exec.Command("/bin/sh", "-c", "exit 3")); o.code != 3 || o.peak == 0 || o.peak > 64<<20 {
		t.Errorf("code %d and %d MB at the peak, of a shell", o.code, o.peak>>20)
	}
	if ballast[4096] != 1 {
		t.Error("the tester did not grow")
	}
}
