//go:build linux

package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

var (
	_ = fault("F20", "kill -9", kills)
	_ = fault("F20", "kill -9, in place", killsInPlace)
	_ = fault("F22", "signals", signals)
	_ = fault("F25", "inputs replaced meanwhile", swaps)
)

// undisturbed denoises a folder into another, and returns what an undisturbed run makes of it.
func undisturbed(c *cases, in string, flags []string) map[string][]byte {
	c.Helper()
	if o := c.tool(append(flags, "-r", in, "-o", "reference", "-q")...); o.code != 0 {
		c.Fatal(o.stderr)
	}
	return c.files("reference")
}

// strike starts the program and hits it with a signal after a while. It says whether the program was still running.
func strike(c *cases, s syscall.Signal, after time.Duration, args ...string) (hit bool, code int) {
	cmd := c.command(args...)
	must(c, cmd.Start())
	time.Sleep(after)
	cmd.Process.Signal(s)
	cmd.Wait()
	c.measure(cmd)
	return !cmd.ProcessState.Exited() || cmd.ProcessState.ExitCode() == 130, cmd.ProcessState.ExitCode()
}

// typical is the time that a run takes here and now.
func typical(c *cases, in string, flags []string) time.Duration {
	start := time.Now()
	c.tool(append(flags, "-r", in, "-o", "timing", "-q")...)
	return time.Since(start)
}

// kills: at no instant is there a part of an output; running again does the rest, and clears away what is left.
func kills(c *cases) {
	flags := c.model()
	c.pictures("in", c.count(40, 500), 48)
	inputs, want := c.files("in"), undisturbed(c, "in", flags)
	whole := typical(c, "in", flags)
	args := append(flags, "-r", "in", "-o", "out", "-q", "--sweep-age", "1h")
	r := rand.New(rand.NewPCG(20, 1))
	hits, temps := 0, 0
	for i := range c.count(10, 200) {
		c.check(fmt.Sprint("kill ", i), func() error {
			hit, _ := strike(c, syscall.SIGKILL, time.Duration(r.Float64()*float64(whole)/8), args...)
			got := c.files("out")
			n, err := within(got, want)
			temps = max(temps, n)
			if hit {
				hits++
			}
			if len(got)-n == len(want) { // all is done: from the beginning
				os.RemoveAll(c.path("out"))
			}
			return err
		})
	}
	c.check("the rest", func() error {
		o := c.tool(append(args, "--sweep-age", "0s")...)
		if o.code != 0 {
			return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
		}
		return same(c.files("out"), want)
	})
	c.check("the inputs", func() error { return same(c.files("in"), inputs) })
	c.note = fmt.Sprintf("%d kills hit, up to %d temporary files between", hits, temps)
}

// killsInPlace: at any instant the input or its backup has the input's bytes.
func killsInPlace(c *cases) {
	flags := c.model()
	c.pictures("in", c.count(20, 100), 48)
	inputs, want := c.files("in"), undisturbed(c, "in", flags)
	whole := typical(c, "in", flags)
	args := append(flags, "-r", "in", "--in-place", "-q")
	r := rand.New(rand.NewPCG(20, 2))
	safe := func() error {
		got := c.files("in")
		for name, before := range inputs {
			now, backup := string(got[name]), string(got[name+".orig"])
			if now != string(before) && (now != string(want[name]) || backup != string(before)) {
				return fmt.Errorf("%s has %d bytes, its backup %d", name, len(now), len(backup))
			}
		}
		return nil
	}
	hits := 0
	for i := range c.count(10, 100) {
		c.check(fmt.Sprint("kill ", i), func() error {
			hit, _ := strike(c, syscall.SIGKILL, time.Duration(r.Float64()*float64(whole)/2), args...)
			if hit {
				hits++
				return safe()
			}
			err := safe()
			for name, data := range inputs { // all is done: from the beginning
				os.Remove(c.path("in/" + name + ".orig"))
				os.WriteFile(c.path("in/"+name), data, 0o644)
			}
			return err
		})
	}
	c.check("the rest", func() error {
		if o := c.tool(append(args, "--sweep-age", "0s")...); o.code != 0 {
			return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
		}
		got := c.files("in")
		for name := range inputs {
			if string(got[name]) != string(want[name]) || string(got[name+".orig"]) != string(inputs[name]) {
				return fmt.Errorf("%s is not done, or its backup is not the input", name)
			}
		}
		return nil
	})
	c.note = fmt.Sprintf("%d kills hit", hits)
}

// endings are the signals that end the program. A hangup that is ignored here, as after nohup, is ignored there, too.
func endings() []syscall.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
	}
	return []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
}

// signals: the program ends within 10 seconds, with 130, and leaves whole files only.
func signals(c *cases) {
	flags := c.model()
	c.pictures("in", 40, 48)
	want := undisturbed(c, "in", flags)
	whole := typical(c, "in", flags)
	r := rand.New(rand.NewPCG(22, 1))
	hits := 0
	for i := range c.count(6, 50) {
		s := endings()[i%len(endings())]
		c.check(fmt.Sprint(s, i), func() error {
			os.RemoveAll(c.path("out"))
			// Before the program has asked for signals, they end it as any other program.
			after := whole/10 + time.Duration(r.Float64()*float64(whole))
			start := time.Now()
			_, code := strike(c, s, after, append(flags, "-r", "in", "-o", "out", "-q")...)
			if code == 130 {
				hits++
			}
			if took := time.Since(start) - after; took > 10*time.Second {
				return fmt.Errorf("%v after the signal", took)
			}
			if code != 130 && code != 0 {
				return fmt.Errorf("exit code %d", code)
			}
			temps, err := within(c.files("out"), want)
			if temps > 0 {
				return fmt.Errorf("%d temporary files are left", temps)
			}
			return err
		})
	}
	c.note = fmt.Sprintf("%d interrupted", hits)
}

// swaps: whatever comes in between, an output is that of one version of its input.
func swaps(c *cases) {
	flags := c.model()
	for _, name := range []string{"a.png", "b.png", "in/x.png"} {
		c.picture(name, 64, 64)
	}
	versions := [2][]byte{}
	results := map[string]bool{}
	for i, name := range []string{"a.png", "b.png"} {
		if o := c.tool(append(flags, name, "-o", fmt.Sprint("want", i, ".png"))...); o.code != 0 {
			c.Fatal(o.stderr)
		}
		versions[i], _ = os.ReadFile(c.path(name))
		want, _ := os.ReadFile(c.path(fmt.Sprint("want", i, ".png")))
		results[string(want)] = true
	}
	r := rand.New(rand.NewPCG(25, 1))
	stop, stopped := make(chan bool), make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				stopped <- n
				return
			case <-time.After(time.Duration(r.IntN(100)) * time.Millisecond):
				os.WriteFile(c.path("next"), versions[n%2], 0o644)
				os.Rename(c.path("next"), c.path("in/x.png"))
			}
		}
	}()
	restless := 0
	os.WriteFile(c.path("in/x.png"), versions[0], 0o644)
	for i := range c.count(5, 200) {
		c.check(fmt.Sprint("swap ", i), func() error {
			os.RemoveAll(c.path("out"))
			o := c.tool(append(flags, "in", "-o", "out", "-q")...)
			got := c.files("out")
			if o.code == 6 && len(got) == 0 && strings.Contains(o.stderr, "changes while it is read") {
				restless++
				return nil
			}
			if o.code != 0 || !results[string(got["x.png"])] {
				return fmt.Errorf("exit code %d, %d bytes: %s", o.code, len(got["x.png"]), o.stderr)
			}
			return nil
		})
	}
	close(stop)
	c.note = fmt.Sprintf("%d swaps, %d runs gave the file up", <-stopped, restless)
}
