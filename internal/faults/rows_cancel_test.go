//go:build linux

package faults

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

var _ = fault("F44", "cancelled at any moment", cancels)

const (
	// maxToEnd is how long the program may go on after a signal.
	maxToEnd = 500 * time.Millisecond
	// lastCancel is the last moment of a signal. What comes later is like what came before.
	lastCancel = 20 * time.Second
)

// cancels sends signals at random moments of the work on files of all kinds. The program ends within half a second, and
// leaves nothing. On a machine that does other things, too, that is half a second of work.
func cancels(c *cases) {
	r := rand.New(rand.NewPCG(44, 1))
	sizes := []float64{0.25, 1, 6, 24}[:c.count(1, 4)]
	var paces [3]float64 // seconds for a megapixel of three planes, by quality
	var worst time.Duration
	hits := 0
	for i := range c.count(3, 100) {
		q, mp := i%3, sizes[i/3%len(sizes)]
		planes, format := 1+2*r.IntN(2), []imageio.Format{imageio.JPEG, imageio.PNG, imageio.TIFF}[r.IntN(3)]
		quality, name := []string{"fast", "balanced", "best"}[q], c.large(mp, planes, format)
		if paces[q] == 0 {
			start := time.Now()
			c.tool(c.large(0.25, 3, format), "-o", "pace/", "-q", "--overwrite", "always", "--quality", quality)
			paces[q] = 4 * time.Since(start).Seconds()
		}
		args := []string{name, "-o", "out/", "-q", "--quality", quality}
		if r.IntN(2) == 0 {
			args = append(args, "--sigma", "15")
		}
		s := endings()[r.IntN(len(endings()))]
		after := min(time.Duration(r.Float64()*paces[q]*mp*float64(time.Second)),
			time.Duration(r.Float64()*float64(lastCancel)))
		c.check(fmt.Sprintf("%v after %.1f s: %s", s, after.Seconds(), strings.Join(args, " ")), func() error {
			os.RemoveAll(c.path("out"))
			took, work, code := c.cancel(s, after, args)
			switch {
			case code == 0: // it was through before
				return nil
			case code == 130:
				hits++
			case code != -1: // until the program has asked for signals, they end it as any other
				return fmt.Errorf("exit code %d", code)
			}
			worst = max(worst, min(took, work))
			if min(took, work) > maxToEnd {
				return fmt.Errorf("it ended after %.2f s and %.2f s of work", took.Seconds(), work.Seconds())
			}
			if left := c.files("out"); len(left) > 0 {
				return fmt.Errorf("%d files are left", len(left))
			}
			return nil
		})
	}
	c.note = fmt.Sprintf("%d interrupted, the last was gone after %.2f s", hits, worst.Seconds())
}

// cancel starts the program, and sends it a signal after a while. It returns how long it took to end then, and how much
// work that was.
func (c *cases) cancel(s syscall.Signal, after time.Duration, args []string) (took, work time.Duration, code int) {
	cmd := c.command(args...)
	must(c, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
		return 0, 0, cmd.ProcessState.ExitCode()
	case <-time.After(after):
	}
	before, start := workOf(cmd.Process.Pid), time.Now()
	cmd.Process.Signal(s)
	<-ended
	took = time.Since(start)
	c.measure(cmd)
	return took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - before, cmd.ProcessState.ExitCode()
}

// workOf returns the time of processors that a process has taken, to a hundredth of a second.
func workOf(pid int) time.Duration {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	var user, system int64
	fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// large makes a noisy picture of so many megapixels, unless it is there already: a drawing that repeats.
func (c *cases) large(megapixels float64, planes int, format imageio.Format) (name string) {
	name = fmt.Sprintf("%g-%d.%v", megapixels, planes, format)
	if _, err := os.Stat(c.path(name)); err == nil {
		return name
	}
	const side = 500
	tile := scene.Draw(side, side)
	width := int(math.Sqrt(1.5e6 * megapixels))
	img := &imageio.Image{Width: width, Height: width * 2 / 3, Depth: imageio.Depth8, Format: format}
	for i := range planes {
		p := make([]float32, img.Width*img.Height)
		for at := range p {
			p[at] = tile[i][at/img.Width%side*side+at%img.Width%side]
		}
		noise.AddGaussian(p, p, 15.0/255, noise.Source(1, fmt.Sprint(i)))
		img.Planes = append(img.Planes, p)
	}
	must(c, imageio.Write(c.path(name), img, imageio.WriteOptions{}))
	return name
}
