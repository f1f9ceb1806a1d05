package stage

import (
	"context"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// correctedModel returns a model with three passes. The pilots of the last two are corrected at half the size.
func correctedModel(t testing.TB) Sequence {
	m, last := nonLocalModel(t), testNonLocal(t, 3, 12)
	m = append(m, &Correction{Smoothing: 2}, last, last)
	return m
}

// broad returns the mean squared error of the low frequencies: of means over 8 x 8 samples.
func broad(clean, p patchify.Plane) float64 {
	d := patchify.NewPlane(p.Width, p.Height)
	for i, v := range p.Pix {
		d.Pix[i] = v - clean.Pix[i]
	}
	for range 3 {
		d = patchify.Downsample2(d, 1)
	}
	return mse(patchify.NewPlane(d.Width, d.Height), d)
}

func TestCorrectionRemovesBroadNoise(t *testing.T) {
	clean := drawn(160, 160, func(x, _ int) float32 { return float32(x) / 320 })
	y := noisy(clean, 0.2, 1)
	m := correctedModel(t)
	with := broad(clean, denoised(t, m, y, 0.2, Options{}))
	m = slices.DeleteFunc(m, func(s Stage) bool { return s.Kind() == correctionKind })
	if without := broad(clean, denoised(t, m, y, 0.2, Options{})); !(with < 0.8*without) {
		t.Errorf("low frequencies of the mean squared error: %g with, %g without", with, without)
	}
}

func TestCorrectionAddsTheDifferenceAtHalfTheSize(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 5}, {31, 18}} {
		pilot := squares(size[0], size[1])
		half := patchify.Downsample2(pilot, 1)
		dst := patchify.NewPlane(pilot.Width, pilot.Height)
		for _, change := range []float32{0, 0.25} {
			for i := range half.Pix {
				half.Pix[i] += change
			}
			must.Do(t, (&Correction{Smoothing: 3}).Denoise(context.Background(), dst,
				Input{Noisy: pilot, Pilot: pilot, half: half}, Options{}))
			for i, v := range dst.Pix {
				if d := v - pilot.Pix[i] - change; d < -1e-6 || d > 1e-6 {
					t.Fatalf("%v: sample %d is %g off", size, i, d)
				}
			}
		}
	}
}

// A denoiser gives the same result after planes of other sizes.
func TestCorrectionTakesAnySize(t *testing.T) {
	m := correctedModel(t)
	d := m.Steps(Options{}).NewDenoiser()
	for _, size := range [][2]int{{60, 50}, {1, 1}, {1, 30}, {8, 8}, {17, 41}, {33, 9}, {60, 50}} {
		y := noisy(squares(size[0], size[1]), 0.1, 3)
		want := denoised(t, m, y, 0.1, Options{})
		must.Do(t, d.Denoise(context.Background(), y, 0.1, nil))
		for i, v := range y.Pix {
			if !(v > -1 && v < 2) || v != want.Pix[i] {
				t.Fatalf("%v: sample %d is %g, or %g", size, i, v, want.Pix[i])
			}
		}
	}
}

func TestCorrectionFileRoundTrip(t *testing.T) {
	m := correctedModel(t)
	_, again := reread(t, m)
	if c, ok := again[3].(*Correction); !ok || c.Smoothing != 2 {
		t.Errorf("stage 3 is %v", again[3])
	}
	for name, stages := range map[string]Sequence{
		"first":    {&Correction{Smoothing: 1}, m[0]},
		"twice":    {m[0], &Correction{Smoothing: 1}, m[0], &Correction{Smoothing: 1}},
		"smooth":   {m[0], &Correction{Smoothing: maxSmoothing + 1}},
		"negative": {m[0], &Correction{Smoothing: -1}},
	} {
		must.Fail(t, name, must.Err(fromFile(t, file(t, stages))), ErrFormat)
	}
}

// atHalf returns local stages that passes at half the size correct.
func atHalf(m Sequence, o Options) Steps {
	local, _ := m.Split()
	return append(local.Steps(o), Step{&Correction{Smoothing: 1, Half: m.Steps(o)}, o})
}

// ran returns what steps make of a plane.
func ran(t testing.TB, q Steps, p patchify.Plane, sigma float64) patchify.Plane {
	t.Helper()
	return must.Get(q.Denoise(t.Context(), p, sigma))(t)
}

func TestPassesAtHalfRemoveMoreNoise(t *testing.T) {
	clean := drawn(160, 160, func(x, _ int) float32 { return float32(x) / 320 })
	y, q := noisy(clean, 0.2, 1), atHalf(nonLocalModel(t), Options{})
	with, without := broad(clean, ran(t, q, y, 0.2)), broad(clean, denoised(t, testSequence(t), y, 0.2, Options{}))
	if !(with < 0.8*without) {
		t.Errorf("low frequencies of the mean squared error: %g with, %g without", with, without)
	}
	if n := q.Passes(); n != 0 {
		t.Errorf("%d passes at full size", n)
	}
}

// A part of a plane has the samples of the whole, but for the reach of the edges.
func TestPartsWithPasses(t *testing.T) {
	one := nonLocalModel(t)
	two := append(nonLocalModel(t), testNonLocal(t, 5, 12))
	for _, q := range []Steps{
		atHalf(one, Options{Stride: 2, GroupStride: 8}),
		atHalf(one, Options{Stride: 4, Workers: 3}),
		atHalf(two, Options{Stride: 3, GroupStride: 8, GroupRows: 6}),
		two.Steps(Options{Stride: 3, GroupStride: 8, GroupRows: 6}),
		two.Steps(Options{Stride: 4, GroupStride: 6, GroupRows: 8}),
	} {
		o, y := q[0].Options, noisy(squares(560, 540), 0.1, 3)
		whole := ran(t, q, y, 0.1)
		align, reach := q.Alignment(), q.Reach()
		part := ran(t, q, patchify.Crop(y, align, align, y.Width-align, y.Height-align), 0.1)
		for j := reach; j < part.Height; j++ {
			if !slices.Equal(part.Row(j)[reach:], whole.Row(align + j)[align+reach:]) {
				t.Fatalf("%+v: row %d of the part differs", o, j)
			}
		}
		if reach > part.Height/2 {
			t.Errorf("%+v: a reach of %d leaves little to compare", o, reach)
		}
	}
}

// Groups of a guide serve several planes.
func TestMatchesAtHalf(t *testing.T) {
	y, guide := noisy(squares(90, 70), 0.1, 1), squares(90, 70)
	run := func(d *Denoiser, m *Matches) []float32 {
		p := patchify.Plane{Width: y.Width, Height: y.Height, Pix: slices.Clone(y.Pix)}
		must.Do(t, d.Denoise(t.Context(), p, 0.1, m))
		return p.Pix
	}
	d := atHalf(nonLocalModel(t), Options{}).NewDenoiser()
	own := run(d, nil)
	m := must.Get(d.MatchesAtHalf(t.Context(), guide))(t)
	led := run(d, m)
	if slices.Equal(own, led) {
		t.Error("groups of the guide change nothing")
	}
	if !slices.Equal(led, run(d, m)) || !slices.Equal(led, run(atHalf(nonLocalModel(t), Options{}).NewDenoiser(), m)) {
		t.Error("the groups give other samples when they are used again")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	must.Fail(t, "cancelled", must.Err(d.MatchesAtHalf(cancelled, guide)), context.Canceled)
	if _, err := testSequence(t).Steps(Options{}).NewDenoiser().MatchesAtHalf(t.Context(), guide); err != nil {
		t.Errorf("without a Correction: %v", err)
	}
}
