package model

import (
	"context"
	"testing"
)

func TestMeter(t *testing.T) {
	meter := new(Meter)
	if mean, median := meter.GFLOPS(); mean != 0 || median != 0 {
		t.Errorf("%g and %g before any work", mean, median)
	}
	m, y := testModel(t), noisy(squares(64, 64), 0.1, 1)
	want := denoised(t, m, y, 0.1, Options{Stride: 2, Workers: 2})
	got, err := m.Denoise(context.Background(), y, 0.1, Options{Stride: 2, Workers: 2, Meter: meter})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range want.Pix {
		if got.Pix[i] != v {
			t.Fatal("the meter changes the result")
		}
	}
	panels := 0.0
	for _, s := range m.Stages {
		l := s.(*Local)
		l.prepareSolvers(1)
		patches := 29 * 29 // of which panels of other clusters are not full
		panels += float64(patches) / Lanes * float64(l.solvers[0].flops())
	}
	if meter.flops < panels {
		t.Errorf("%g multiplications and additions, less than %g", meter.flops, panels)
	}
	if mean, median := meter.GFLOPS(); !(mean > 0 && median > 0) {
		t.Errorf("%g and %g GFLOP/s", mean, median)
	}
}
