package noisemap

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// flat is a picture of one level with noise of a standard deviation in each plane, which is removed as a whole.
func flat(width, height, planes int, level, sigma float64) Picture {
	rng := rand.New(rand.NewPCG(1, 2))
	p := Picture{Width: width, Height: height}
	for range planes {
		result := slices.Repeat([]float32{float32(level)}, width*height)
		noisy := slices.Clone(result)
		for i := range noisy {
			noisy[i] += float32(sigma * rng.NormFloat64())
		}
		p.Noisy, p.Result = append(p.Noisy, noisy), append(p.Result, result)
	}
	return p
}

func near(got, want, share float64) bool { return math.Abs(got-want) <= share*want }

// White noise halves with each size. Of three planes with noise of their own, the brightness has a third of the
// squares.
func TestWhiteNoise(t *testing.T) {
	const sigma = 0.05
	parts := Measure(t.Context(), flat(256, 192, 3, 0.5, sigma), 0)
	for name, c := range map[string]struct {
		blocks []Block
		want   float64
	}{
		"plane":   {parts.Planes[1], sigma},
		"luma":    {parts.Luma, sigma / math.Sqrt(3)},
		"colours": {parts.Colours, sigma * math.Sqrt(2.0/3)},
	} {
		for i, got := range RMS(c.blocks) {
			if want := c.want / float64(int(1)<<i); !near(got, want, 0.03) {
				t.Errorf("%s at size %d: %g, want %g", name, i, got, want)
			}
		}
	}
	known := Known(t.Context(), flat(256, 192, 3, 0.5, sigma), func(int, float64) float64 { return sigma }, 0)
	for i, got := range RMS(known.Luma) {
		if want := RMS(parts.Luma)[i]; !near(got, want, 0.03) {
			t.Errorf("at size %d white noise that is known has %g, measured %g", i, got, want)
		}
	}
}

// The curve says the noise of each level, whatever else was removed with it in a few samples.
func TestCurveLeavesSpotsOut(t *testing.T) {
	const width, height = 256, 256
	dark, bright := flat(width, height, 1, 0.2, 0.02), flat(width, height, 1, 0.8, 0.06)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 400 { // more than one in each block
		at := rng.IntN(width * height)
		dark.Noisy[0][at] += 0.7
		bright.Noisy[0][at] += 0.7
	}
	c := CurveOf(MeasurePlanes(t.Context(), []Picture{dark, bright}, 0)[0])
	for level, want := range map[float64]float64{0: 0.02, 0.2: 0.02, 0.8: 0.06, 1: 0.06} {
		if got := c.At(level); !near(got, want, 0.15) {
			t.Errorf("noise of %g at %g, want %g", got, level, want)
		}
	}
	rms := RMS(Measure(t.Context(), dark, 0).Planes[0])[0]
	if rms < 0.05 {
		t.Errorf("the spots change the root mean square to %g only: the test shows nothing", rms)
	}
	if c := CurveOf(nil); len(c.Levels) > 0 {
		t.Errorf("a curve of nothing: %v", c)
	}
}

// Noise that is clipped at black reaches further up than down.
func TestClippedNoiseReachesUp(t *testing.T) {
	p := flat(256, 256, 1, 0, 0.1)
	mean := float32(0.1 / math.Sqrt(2*math.Pi))
	for i, v := range p.Noisy[0] {
		p.Noisy[0][i], p.Result[0][i] = max(v, 0), mean
	}
	blocks := Measure(t.Context(), p, 0).Planes[0]
	if wide, rms := CurveOf(blocks).At(0), RMS(blocks)[0]; wide < 1.2*rms {
		t.Errorf("noise of %g, but its root mean square is %g", wide, rms)
	}
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		width, height int
		want          Cells
	}{
		{1, 1, Cells{16, 1, 1}}, {16, 16, Cells{16, 1, 1}}, {31, 16, Cells{16, 1, 1}}, {32, 48, Cells{16, 2, 3}},
		{512, 512, Cells{16, 32, 32}}, {513, 100, Cells{32, 16, 3}}, {6000, 4000, Cells{192, 32, 21}},
	} {
		if got := CellsOf(c.width, c.height); got != c.want {
			t.Errorf("%d x %d: %+v, want %+v", c.width, c.height, got, c.want)
		}
	}
	p := flat(64, 32, 1, 0.5, 0.1)
	for i := range p.Noisy[0] { // the right half has twice the noise, and the last cell carries no picture
		if i%64 >= 32 {
			p.Noisy[0][i] = 2*p.Noisy[0][i] - p.Result[0][i]
		}
	}
	p.Left = func(i int) bool { return i%64 >= 48 && i/64 >= 16 }
	rms := CellsOf(64, 32).RMS(Measure(t.Context(), p, 0).Planes[0])
	for i, v := range rms {
		switch {
		case i == 7 && !math.IsNaN(v):
			t.Errorf("a cell without a picture has noise of %g", v)
		case i != 7 && !near(v, map[bool]float64{false: 0.1, true: 0.2}[i%4 >= 2], 0.2):
			t.Errorf("cell %d has noise of %g", i, v)
		}
	}
}

// Pictures of any size and masks give finite numbers, which do not depend on the number of workers.
func TestAnyPicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 70).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "height")
		p := flat(w, h, rapid.SampledFrom([]int{1, 3}).Draw(t, "planes"), 0.5, 0.1)
		left := rapid.SliceOfN(rapid.Bool(), w*h, w*h).Draw(t, "left")
		p.Left = func(i int) bool { return left[i] }
		one, many := Measure(t.Context(), p, 1), Measure(t.Context(), p, 3)
		if !reflect.DeepEqual(one, many) {
			t.Fatal("three workers find other noise than one")
		}
		for _, blocks := range append(slices.Clone(one.Planes), one.Luma, one.Colours) {
			c := CurveOf(blocks)
			if !slices.IsSorted(c.Levels) {
				t.Fatalf("levels %v", c.Levels)
			}
			for _, v := range slices.Concat(c.Levels, c.Sigmas) {
				if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
					t.Fatalf("%+v", c)
				}
			}
			if cells := CellsOf(w, h); len(cells.RMS(blocks)) != cells.Columns*cells.Rows {
				t.Fatal("not a value for each cell")
			}
		}
	})
}
