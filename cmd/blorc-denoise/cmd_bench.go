package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/patchify"
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
		Long: `Measure the time for each megapixel of a gray plane on this machine, without reading and writing files, for models, qualities
and numbers of workers. The best of several runs counts. BLORC_KERNEL=go, avx2, avx512 or neon selects the implementation of the
solver's loops.`,
		Example: "  blorc-denoise bench\n  BLORC_KERNEL=avx2 blorc-denoise bench --megapixels 4",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), u) },
	}
	flags := c.Flags()
	flags.Float64Var(&f.megapixels, "megapixels", 1, "`SIZE` of the plane")
	flags.StringArrayVarP(&f.models, "model", "m", []string{models.Default, models.Local, "paper"},
		"`NAME` of a shipped model, or a model file; may be repeated")
	flags.Float64VarP(&f.sigma, "sigma", "s", 25.5, "noise, in grey `LEVELS`, to choose the models for")
	flags.IntVar(&f.runs, "runs", 5, "`NUMBER` of runs; the fastest counts")
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
	p := noisyPlane(int(f.megapixels * 1e6))
	w := tabwriter.NewWriter(u.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nmodel\tstride or quality\tworkers\ts/megapixel\t")
	workers := []int{1}
	if n := runtime.GOMAXPROCS(0); n > 1 {
		workers = append(workers, n)
	}
	defer w.Flush() // also of what was measured before an error
	defer u.clearLive()
	var loaded []*model.Model
	var sets []denoise.ModelSet
	for _, name := range f.models {
		m, err := loadModel(name, f.sigma)
		if err != nil {
			return err
		}
		set, err := setOf(name, m)
		if err != nil {
			return err
		}
		loaded, sets = append(loaded, m), append(sets, set)
	}
	for i, name := range f.models {
		m := loaded[i]
		for _, r := range benchRuns(m) {
			for _, n := range workers {
				u.show("%s, %s, %d workers", name, r.name, n)
				o := r.o
				o.Models, o.Sigma, o.Workers = sets[i], f.sigma, n
				var err error
				seconds := f.best(func() {
					_, err = denoise.Planes(ctx, [][]float32{slices.Clone(p.Pix)}, p.Width, p.Height, o)
				})
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%s\t%s\t%d\t%.3f\t\n", oneLine(name), r.name, n, seconds/float64(len(p.Pix))*1e6)
			}
		}
	}
	return nil
}

// setOf returns the shipped models of a name, with what refines their result, or the model of a file.
func setOf(name string, m *model.Model) (denoise.ModelSet, error) {
	if isModelFile(name) {
		return denoise.UseModel(m)
	}
	return denoise.ShippedModels(name)
}

// benchRun is one way to run a model.
type benchRun struct {
	name string
	o    denoise.Options
}

// benchRuns returns the strides for models of local stages, and the qualities for those that have passes or follow
// them.
func benchRuns(m *model.Model) (runs []benchRun) {
	if _, passes := m.Stages.Split(); len(passes) > 0 || m.Noise == model.CameraNoise {
		for _, q := range []denoise.Quality{denoise.Fast, denoise.Balanced, denoise.Best} {
			runs = append(runs, benchRun{q.String(), denoise.Options{Quality: q}})
		}
		return runs
	}
	for stride := 1; stride <= 4; stride++ {
		runs = append(runs, benchRun{fmt.Sprint(stride), denoise.Options{Stride: stride}})
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

// noisyPlane has edges, ramps and noise, so that all clusters occur; its content does not change the solver's time.
func noisyPlane(pixels int) patchify.Plane {
	width := 8
	for width*width < pixels {
		width++
	}
	p := patchify.NewPlane(width, width)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range p.Pix {
		x, y := i%width, i/width
		v := 0.3 + 0.3*float64((x/23+y/31)%2) + 0.1*float64((x*y/97)%3)
		p.Pix[i] = float32(v + 0.1*rng.NormFloat64())
	}
	return p
}

// systemMemory is what the Go runtime has taken from the system so far, at most.
func systemMemory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
