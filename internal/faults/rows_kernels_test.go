//go:build linux

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

var _ = fault("F31", "implementations of the loops", implementations)

// implementations: whatever the processor can do, a file of 8 bits comes out the same but for one level in a few
// samples, at which a value lies between two levels; and each implementation writes the same bytes with any number of
// workers.
func implementations(c *cases) {
	const rare = 1000 // one in so many
	noasm := c.path("noasm")
	if out, err := exec.Command("go", "build", "-tags", "noasm", "-o", noasm,
		"../../cmd/blorc-denoise").CombinedOutput(); err != nil {
		c.Fatalf("%v\n%s", err, out)
	}
	c.picture("in/gray.png", 48, 40)
	planes := scenetest.Draw(40, 32)
	c.noisy("in/colour.png", 40, 32, planes[:])
	workers, qualities := []string{"1", "3"}, []string{"fast"}
	if *full {
		workers, qualities = []string{"1", "2", "4", "8"}, []string{"fast", "balanced"}
		c.picture("in/large.png", 151, 109)
	}
	run := func(path, kernel, quality, workers string) (map[string][]byte, outcome) {
		os.RemoveAll(c.path("out"))
		cmd := c.command("in", "-o", "out", "--sigma", "20", "--quality", quality, "-j", workers, "--jobs", "1")
		cmd.Path, cmd.Env = path, append(cmd.Env, "BLORC_KERNEL="+kernel)
		start := time.Now()
		o := c.finish(cmd)
		c.worst = max(c.worst, time.Since(start))
		return c.files("out"), o
	}
	differ, all := 0, 0
	for _, quality := range qualities {
		plain, o := run(program, "go", quality, "1")
		if o.code != 0 {
			c.Fatal(o.stderr)
		}
		for _, l := range [][2]string{{program, "go"}, {program, "avx2"}, {program, "avx512"}, {program, "neon"},
			{noasm, ""}} {
			var first map[string][]byte
			for _, w := range workers {
				got, o := plain, o
				if l != [2]string{program, "go"} || w != "1" {
					got, o = run(l[0], l[1], quality, w)
				}
				if o.code == 2 && strings.Contains(o.stderr, "unsupported kernel") {
					break // not on this computer
				}
				if first == nil {
					first = got
				}
				c.check(fmt.Sprintf("%s of %s, %s, %s workers", l[1], l[0], quality, w), func() error {
					if o.code != 0 {
						return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
					}
					if err := same(got, first); err != nil {
						return fmt.Errorf("workers: %w", err)
					}
					d, n, err := levels(got, plain)
					differ, all = differ+d, all+n
					if err == nil && d*rare > n {
						err = fmt.Errorf("%d of %d samples differ from those of plain Go", d, n)
					}
					return err
				})
			}
		}
	}
	c.note = fmt.Sprintf("%d of %d samples differ, by one level", differ, all)
}

// levels counts the samples of 8 bits that differ, and fails if one does by more than a level.
func levels(got, want map[string][]byte) (differ, all int, err error) {
	for name := range want {
		a, err := imageio.Decode(got[name], imageio.ReadOptions{})
		if err != nil {
			return differ, all, fmt.Errorf("%s: %w", name, err)
		}
		b, err := imageio.Decode(want[name], imageio.ReadOptions{})
		if err != nil {
			return differ, all, fmt.Errorf("%s: %w", name, err)
		}
		for p := range b.Planes {
			for i, v := range b.Planes[p] {
				d := 255 * (a.Planes[p][i] - v)
				all++
				if d != 0 {
					differ++
				}
				if d < -1.5 || d > 1.5 {
					return differ, all, fmt.Errorf("%s: sample %d of plane %d differs by %v levels", name, i, p, d)
				}
			}
		}
	}
	return differ, all, nil
}
