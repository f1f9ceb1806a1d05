package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
)

type benchFlags struct {
	megapixels float64
	models     []string
	sigma      float64
	runs       int
}

func newBench(u *ui) *cobra.Command {
	f := benchFlags{}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure the speed of this machine",
		Long: `Measure the time for each megapixel on this machine, without reading and writing files, for models, qualities and
numbers of workers: for a gray picture, and with the default models also for a picture in colour and for one with camera
noise, whose level the program estimates. The fastest of several runs counts.
BLORC_KERNEL=go, avx2, avx512 or neon selects the implementation of the solver's loops.`,
		Example: "  blorc-denoise bench\n  blorc-denoise bench --model nonlocal\n" +
			"  BLORC_KERNEL=avx2 blorc-denoise bench --megapixels 4",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), u) },
	}
	flags := c.Flags()
	flags.Float64Var(&f.megapixels, "megapixels", 1, "`SIZE` of the picture")
	flags.StringArrayVarP(&f.models, "model", "m", []string{models.Default, models.Local, "paper"},
		"`NAME` of a shipped model, or a model file; may be repeated")
	flags.Float64VarP(&f.sigma, "sigma", "s", 25.5, "noise, in gray `LEVELS`, that determines the models")
	flags.IntVar(&f.runs, "runs", 3, "`NUMBER` of runs; the fastest counts")
	return c
}

func (f *benchFlags) run(ctx context.Context, u *ui) error {
	if !(f.megapixels > 0 && f.megapixels <= 1000) || f.runs < 1 || !(f.sigma > 0) {
		return usage("--megapixels, --runs or --sigma is out of range")
	}
	fmt.Fprintf(u.out, "kernel %s, %d processors\n", solve.Kernel(), runtime.GOMAXPROCS(0))
	if err := f.planes(ctx, u); err != nil {
		return err
	}
	fmt.Fprintf(u.out, "\nmemory taken from the system: %d MB\n", systemMemory()>>20)
	return nil
}

// planes measures whole planes.
func (f *benchFlags) planes(ctx context.Context, u *ui) error {
	w := tabwriter.NewWriter(u.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nmodel\tpicture\tstride or quality\tworkers\ts/megapixel\t")
	defer w.Flush() // also of what was measured before an error
	defer u.clearLive()
	var all []benchRun
	for _, name := range f.models {
		runs, err := f.runsOf(name)
		if err != nil {
			return err
		}
		all = append(all, runs...)
	}
	for _, r := range all {
		if err := f.measure(ctx, u, w, r); err != nil {
			return err
		}
	}
	return nil
}

// runsOf returns the ways to run a model, on all of its pictures.
func (f *benchFlags) runsOf(name string) (runs []benchRun, err error) {
	m, err := loadModel(name, f.sigma)
	if err != nil {
		return nil, err
	}
	set, err := setOf(name, m)
	for _, picture := range benchPictures(name) {
		for _, r := range benchRuns(m) {
			r.model, r.picture, r.o.Models = name, picture, set
			runs = append(runs, r)
		}
	}
	return runs, err
}

// measure adds a row for one worker and one for all processors.
func (f *benchFlags) measure(ctx context.Context, u *ui, w io.Writer, r benchRun) error {
	side := benchSide(f.megapixels)
	planes, o := r.picture.draw(side, f.sigma), r.o
	if o.Noise = r.picture.noise; o.Noise == denoise.Auto {
		o.Sigma = f.sigma
	}
	for o.Workers = 1; ; o.Workers = runtime.GOMAXPROCS(0) {
		u.show("%s, %s, %s, %d workers", oneLine(r.model), r.picture.name, r.name, o.Workers)
		var err error
		seconds := f.best(func() { _, err = denoise.Planes(ctx, clonePlanes(planes), side, side, o) })
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%.3f\t\n", oneLine(r.model), r.picture.name, r.name, o.Workers,
			seconds/float64(side*side)*1e6)
		if o.Workers == runtime.GOMAXPROCS(0) {
			return nil
		}
	}
}

// setOf returns the shipped models of a name, with what refines their result, or the model of a file.
func setOf(name string, m *model.Model) (denoise.ModelSet, error) {
	if isModelFile(name) {
		return denoise.UseModel(m)
	}
	return denoise.ShippedModels(name)
}

// benchRun is one way to run a model on a picture.
type benchRun struct {
	model   string
	picture benchPicture
	name    string // of the stride or quality
	o       denoise.Options
}

// benchRuns returns the strides for models of local stages, and the qualities for those that have passes or follow
// them.
func benchRuns(m *model.Model) (runs []benchRun) {
	if _, passes := m.Stages.Split(); len(passes) > 0 || m.Noise == model.CameraNoise {
		for _, q := range []denoise.Quality{denoise.Fast, denoise.Balanced, denoise.Best} {
			runs = append(runs, benchRun{name: q.String(), o: denoise.Options{Quality: q}})
		}
		return runs
	}
	for stride := 1; stride <= 4; stride++ {
		runs = append(runs, benchRun{name: fmt.Sprint(stride), o: denoise.Options{Stride: stride}})
	}
	return runs
}

// best is the least time of several runs, in seconds.
func (f *benchFlags) best(work func()) float64 {
	best := 0.0
	for i := range f.runs {
		start := time.Now()
		work()
		if s := time.Since(start).Seconds(); i == 0 || s < best {
			best = s
		}
	}
	return best
}

// benchPicture is a kind of picture.
type benchPicture struct {
	name   string
	planes int
	noise  denoise.Noise // Auto = white noise of a given level
}

// benchPictures returns what a model is measured on. Those for white noise know gray alone.
func benchPictures(model string) []benchPicture {
	gray := benchPicture{"gray", 1, denoise.Auto}
	if model != models.Default {
		return []benchPicture{gray}
	}
	return []benchPicture{gray, {"colour", 3, denoise.Auto}, {"camera", 3, denoise.Camera}}
}

// benchSide returns the side of a square picture.
func benchSide(megapixels float64) int { return max(8, int(math.Ceil(math.Sqrt(megapixels*1e6)))) }

// draw draws the planes. They have edges, ramps and noise, so that all clusters occur; their content hardly changes the
// time. The noise of cameras is the mean of neighbours.
func (b benchPicture) draw(side int, sigma float64) (planes [][]float32) {
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range b.planes {
		p, before := make([]float32, side*side), 0.0
		for i := range p {
			x, y := i%side, i/side
			v := 0.3 + 0.3*float64((x/23+y/31)%2) + 0.1*float64((x*y/97+k)%3)
			noise := rng.NormFloat64()
			if b.noise == denoise.Camera {
				noise, before = (noise+before)/2, noise
			}
			p[i] = float32(v + sigma/255*noise)
		}
		planes = append(planes, p)
	}
	return planes
}

// systemMemory is what the Go runtime has taken from the system so far, at most.
func systemMemory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
