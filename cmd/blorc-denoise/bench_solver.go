package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/blorc-denoise/blorc-denoise/model"
)

// solver measures the panel solver, alone and within planes. The processor's peak is measured before and after each run:
// it changes with what else the machine does.
func (f *benchFlags) solver(ctx context.Context, u *ui) error {
	w := tabwriter.NewWriter(u.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "transform\twhere\tGFLOP/s\tof peak\tmedian\t")
	p := noisyPlane(int(f.megapixels * 1e6))
	for _, k := range []int{63, 64, 128, 192} {
		t := benchTransform(k)
		work := map[string]func() (float64, error){"alone": func() (float64, error) { return solverAlone(t), nil }}
		where := []string{"alone"}
		for stride := 1; stride <= 3; stride++ {
			name := fmt.Sprint("stride ", stride)
			stage, err := model.NewLocal(benchPatch, model.DefaultSchedule(), []model.Transform{t}, nil)
			if err != nil {
				return err
			}
			m := model.Model{Stages: []model.Stage{stage}}
			where = append(where, name)
			work[name] = func() (float64, error) {
				meter := new(model.Meter)
				_, err := m.Denoise(ctx, p, f.sigma/255, model.Options{Stride: stride, Workers: 1, Meter: meter})
				return meter.GFLOPS(), err
			}
		}
		for _, name := range where {
			u.show("%d x %d, %s", k, t.N, name)
			rate, shares, err := f.shares(work[name])
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%d x %d\t%s\t%.1f\t%.0f %%\t%.0f %%\t\n", k, t.N, name, rate, shares[len(shares)-1], shares[len(shares)/2])
		}
	}
	u.clearLive()
	return w.Flush()
}

// shares runs work, which returns GFLOP/s, several times: the highest rate, and what percentages of the peak they were,
// in order.
func (f *benchFlags) shares(work func() (float64, error)) (highest float64, shares []float64, err error) {
	before, err := model.KernelPeak(model.Kernel())
	if err != nil {
		return 0, nil, err
	}
	for range f.runs {
		rate, err := work()
		if err != nil {
			return 0, nil, err
		}
		after, err := model.KernelPeak(model.Kernel())
		if err != nil {
			return 0, nil, err
		}
		highest = max(highest, rate)
		shares = append(shares, 100*rate/max(before, after))
		before = after
	}
	slices.Sort(shares)
	return highest, shares, nil
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
func solverAlone(t model.Transform) float64 {
	s := model.DefaultSchedule()
	solver := model.NewPanelSolver(t, s)
	scratch, y, x := solver.NewScratch(), make([]float32, t.N*model.Lanes), make([]float32, t.N*model.Lanes)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range y {
		y[i] = float32(rng.NormFloat64())
	}
	const repeat = 200
	start := time.Now()
	for range repeat { // solving its own output again and again would end in denormal numbers, which are slow
		copy(x, y)
		solver.Solve(x, scratch)
	}
	flops := float64(repeat * model.Lanes * 2 * t.N * (2*t.K*s.Iterations + 2*t.N))
	return flops / float64(time.Since(start).Nanoseconds())
}
