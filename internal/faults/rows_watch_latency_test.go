//go:build linux

package faults

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

var (
	_ = fault("time", "watch, 640 x 480 in gray", func(c *cases) { latency(c, 1) })
	_ = fault("time", "watch, 640 x 480 in colour", func(c *cases) { latency(c, 3) })
)

// latency measures, with the shipped models, the time from the end of writing a file to the name of its output, less
// the time that it has to be still, and the processor time of daemon and worker. Only outputs that do not come are
// failures: times depend on what else the machine does, so its load is told too.
func latency(c *cases, planes int) {
	const settle = 300 * time.Millisecond
	os.Mkdir(c.path("in"), 0o777)
	d := c.launch(c.command("watch", "in", "out", "--quality", "fast", "--settle", settle.String()))
	await("the start", func() bool { return strings.Contains(d.log.String(), "new files") && len(children(d)) > 0 })
	drawn := scenetest.Draw(640, 480)
	clean := drawn[:]
	if planes == 1 {
		clean = [][]float32{scenetest.Gray(drawn)}
	}
	for busy := time.Duration(-1); busy != d.processor(); time.Sleep(time.Second) { // until the models are ready
		busy = d.processor()
	}
	var times []time.Duration
	var before time.Duration
	n := c.count(3, 20)
	for i := range n + 1 {
		name := fmt.Sprintf("%d.png", i)
		img := &imageio.Image{Width: 640, Height: 480, Depth: imageio.Depth8, Format: imageio.PNG}
		for k, p := range clean {
			p = slices.Clone(p)
			noise.AddGaussian(p, p, 20.0/255, noise.Source(uint64(k), name))
			img.Planes = append(img.Planes, p)
		}
		must(c, imageio.Write(c.path(name), img, imageio.WriteOptions{}))
		data, err := os.ReadFile(c.path(name))
		must(c, err)
		if i == 1 {
			before = d.processor()
		}
		c.check(name, func() error {
			if err := os.WriteFile(c.path("in/"+name), data, 0o666); err != nil {
				return err
			}
			start := time.Now()
			for gone(c.path("out/" + name)) {
				if time.Since(start) > patience {
					return fmt.Errorf("no output: %s", d.log.String())
				}
				time.Sleep(time.Millisecond)
			}
			times = append(times, time.Since(start)-settle)
			return nil
		})
	}
	// The clock of processor time is coarse, and the daemon writes its ledger after the output has its name.
	time.Sleep(200 * time.Millisecond)
	used := (d.processor() - before) / time.Duration(n)
	c.end(d, syscall.SIGTERM)
	if len(times) <= n {
		return // failed
	}
	load, _ := os.ReadFile("/proc/loadavg")
	first := times[0]
	times = times[1:]
	slices.Sort(times)
	c.note = fmt.Sprintf("first %v, then median %v, %v to %v; %v of processor time a file; load %.14s", ms(first),
		ms(times[n/2]), ms(times[0]), ms(times[n-1]),
		ms(used), load)
}

func ms(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

func gone(path string) bool {
	_, err := os.Lstat(path)
	return err != nil
}

// processor is the processor time that a daemon and its worker have used.
func (d *daemon) processor() (all time.Duration) {
	for _, pid := range append(children(d), d.cmd.Process.Pid) {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(data), ") ")
		var user, system int64
		if f := strings.Fields(rest); len(f) > 12 {
			fmt.Sscan(f[11], &user)
			fmt.Sscan(f[12], &system)
		}
		all += time.Duration(user+system) * 10 * time.Millisecond // ticks of 1/100 s
	}
	return all
}
