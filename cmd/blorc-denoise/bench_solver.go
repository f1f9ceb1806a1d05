package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"github.com/blorc-denoise/blorc-denoise/model"
)

// solver measures the panel solver, alone and within planes. The processor's peak is measured before and after each run:
// it changes with what else the machine does.
func (f *benchFlags) solver(ctx context.Context, u *ui) error {
	w := tabwriter.NewWriter(u.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "transform\twhere\tGFLOP/s\tof peak\tmedian\tof panels\t")
	p := noisyPlane(int(f.megapixels * 1e6))
	for _, k := range []int{63, 64, 128, 192} {
		t := benchTransform(k)
		work := map[string]func() (mean, median float64, err error){"alone": func() (float64, float64, error) { return solverAlone(t) }}
		where := []string{"alone"}
		for stride := 1; stride <= 3; stride++ {
			name := fmt.Sprint("stride ", stride)
			stage, err := model.NewLocal(benchPatch, model.DefaultSchedule(), []model.Transform{t}, nil)
			if err != nil {
				return err
			}
			m := model.Model{Stages: []model.Stage{stage}}
			where = append(where, name)
			work[name] = func() (mean, median float64, err error) {
				meter := new(model.Meter)
				_, err = m.Denoise(ctx, p, f.sigma/255, model.Options{Stride: stride, Workers: 1, Meter: meter})
				mean, median = meter.GFLOPS()
				return mean, median, err
			}
		}
		for _, name := range where {
			u.show("%d x %d, %s", k, t.N, name)
			rate, shares, panels, err := f.shares(work[name])
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%d x %d\t%s\t%.1f\t%.0f %%\t%.0f %%\t%.0f %%\t\n", k, t.N, name, rate, shares[len(shares)-1], shares[(len(shares)-1)/2], panels[len(panels)-1])
		}
	}
	u.clearLive()
	return w.Flush()
}

// shares runs work, which returns GFLOP/s, several times: the highest rate, and in order what percentages of the peak the
// rates were, and those of the median panels.
func (f *benchFlags) shares(work func() (mean, median float64, err error)) (highest float64, shares, panels []float64, err error) {
	before, err := model.KernelPeak(model.Kernel())
	if err != nil {
		return 0, nil, nil, err
	}
	for range f.runs {
		mean, median, err := work()
		if err != nil {
			return 0, nil, nil, err
		}
		after, err := model.KernelPeak(model.Kernel())
		if err != nil {
			return 0, nil, nil, err
		}
		highest = max(highest, mean)
		peak := max(before, after)
		shares, panels = append(shares, 100*mean/peak), append(panels, 100*median/peak)
		before = after
	}
	slices.Sort(shares)
	slices.Sort(panels)
	return highest, shares, panels, nil
}

const benchPatch = 8

func benchTransform(k int) model.Transform {
	rng := rand.New(rand.NewPCG(1, 1))
	t := model.NewTransform(k, benchPatch*benchPatch)
	for i := range t.W {
		t.W[i] = 0.1 * rng.NormFloat64()
	}
	return t
}

// solverAlone solves the same panel again and again.
func solverAlone(t model.Transform) (mean, median float64, err error) {
	s := model.DefaultSchedule()
	solver := model.NewPanelSolver(t, s)
	scratch, y, x := solver.NewScratch(), make([]float32, t.N*model.Lanes), make([]float32, t.N*model.Lanes)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range y {
		y[i] = float32(rng.NormFloat64())
	}
	meter := new(model.Meter)
	for range 200 { // solving its own output again and again would end in denormal numbers, which are slow
		copy(x, y)
		solver.SolveMetered(x, scratch, meter)
	}
	mean, median = meter.GFLOPS()
	return mean, median, nil
}
