//go:build linux

package faults

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

var _ = fault("F3", "bombs", explosions)

// explosions: a file that declares more than it may is refused by its header, by a process of its own that stays small.
func explosions(c *cases) {
	const most = 64 << 20
	all := bombs()
	if !*full { // each kind of trick, but not at every size
		all = sample(all, 4)
	}
	var slowest string
	var worst time.Duration
	for i, b := range all {
		c.check(b.name, func() error {
			path := c.path(fmt.Sprint("bomb", i, "."+strings.ToLower(strings.Fields(b.name)[0])))
			if err := b.write(path); err != nil {
				return err
			}
			defer os.Remove(path)
			cmd := c.command(path, "-o", "out.png")
			cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -v 2097152; exec "$0" "$@"`},
				cmd.Args...)
			start := time.Now()
			o := c.measured(cmd)
			if took := time.Since(start); took > worst {
				worst, slowest = took, b.name
			}
			_, err := os.Stat(c.path("out.png"))
			switch {
			case o.code < 3 || o.code > 5 || strings.Count(o.stderr, "\n") != 1:
				return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
			case err == nil:
				return fmt.Errorf("there is an output")
			case o.peak > most:
				return fmt.Errorf("%d MB at its peak", o.peak>>20)
			}
			return nil
		})
	}
	c.note = fmt.Sprintf("processes %.0f ms at most, by %s", 1000*worst.Seconds(), slowest)
}

func (b bomb) write(path string) error {
	if err := os.WriteFile(path, b.file, 0o644); err != nil || b.tail == 0 {
		return err
	}
	return os.Truncate(path, int64(len(b.file))+b.tail)
}

// sample takes every n-th.
func sample[T any](all []T, n int) (some []T) {
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

var _ = fault("F4", "peak memory", peaks)

// peaks: a process that denoises a large image takes no more than is told beforehand (denoise.Memory), besides what the
// program takes for an image of one pixel.
func peaks(c *cases) {
	type size struct {
		megapixels, depth, planes int
		quality                   string
	}
	sizes := []size{{3, 8, 1, "fast"}}
	if *full {
		sizes = []size{{33, 8, 1, "fast"}, {33, 16, 3, "fast"}, {60, 16, 3, "fast"}, {99, 8, 1, "fast"},
			{100, 16, 1, "fast"}}
	}
	c.patience = time.Hour
	c.picture("one.png", 1, 1)
	program := c.measured(c.command("one.png", "-o", "one-done.png", "--sigma", "20")).peak
	for _, s := range sizes {
		name := fmt.Sprintf("%d MP, %d bits, %d planes, %s", s.megapixels, s.depth, s.planes, s.quality)
		c.check(name, func() error {
			defer os.Remove(c.path("large.tif"))
			defer os.Remove(c.path("done.tif"))
			if err := largeTIFF(c.path("large.tif"), 10_000, 100*s.megapixels, s.depth, s.planes); err != nil {
				return err
			}
			path := c.path("large.tif")
			info, err := imageio.ReadInfo(path, imageio.ReadOptions{})
			if err != nil {
				return err
			}
			file, err := os.Stat(path)
			if err != nil {
				return err
			}
			o := c.measured(c.command("large.tif", "-o", "done.tif", "--quality", s.quality))
			if o.code != 0 {
				return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
			}
			samples := int64(s.megapixels) * 4e6 * int64(s.planes) // of float32
			told := denoise.Memory(info, file.Size(), denoise.Options{}) + program
			c.Logf("%s: %d MB at the peak, %d MB told, decoded image %d MB", name, o.peak>>20, told>>20, samples>>20)
			if o.peak > told {
				return fmt.Errorf("%d MB at the peak, %d MB told beforehand", o.peak>>20, told>>20)
			}
			if most := samples + 600<<20; o.peak > most {
				return fmt.Errorf("%d MB at the peak, the decoded image and 600 MB are %d MB", o.peak>>20, most>>20)
			}
			return nil
		})
	}
}

// largeTIFF writes noise row by row.
func largeTIFF(path string, width, height, depth, planes int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	p := page(uint32(width), uint32(height))
	row := width * planes * depth / 8
	p[2], p[4], p[6], p[8] = [3]uint32{258, 3 | uint32(planes)<<8, uint32(depth)},
		[3]uint32{262, 4, uint32(min(planes, 2))},
		[3]uint32{277, 4, uint32(planes)}, [3]uint32{279, 4, uint32(row * height)}
	if planes == 3 { // three values are behind the directory
		p[2][2] = 8 + 2 + 12*uint32(len(p)) + 4
	}
	p[5][2] = 256
	head := tiff(false, 1, p)
	for range planes {
		head = append(head, byte(depth), 0)
	}
	w.Write(head)
	w.Write(make([]byte, 256-len(head)))
	r := rand.New(rand.NewPCG(4, 1))
	noise := make([]byte, row+256)
	for i := range noise {
		noise[i] = byte(128 + 20*r.NormFloat64())
	}
	for range height { // a gray that is shaken in steps of samples
		w.Write(noise[16*r.IntN(16):][:row])
	}
	return w.Flush()
}
