package noisecurve

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Each point is the variance of the noise at its level.
func TestCurveFollowsNoise(t *testing.T) {
	clean := drawn()
	noisy := make([]float32, len(clean))
	rng := random(1)
	sigma := func(level float64) float64 { return 0.06 + 0.3*(level-0.4)*(level-0.4) }
	for i, v := range clean {
		noisy[i] = v + float32(sigma(float64(v))*rng.NormFloat64())
	}
	c := measure(noisy, width, height)
	if len(c.Points) < 10 {
		t.Fatalf("%d points", len(c.Points))
	}
	settled := 0
	for _, p := range c.Points {
		want := sigma(p.Level) * sigma(p.Level)
		if p.Settled() {
			settled++
			if math.Abs(p.Variance/want-1) > 0.1+3*p.Error/want {
				t.Errorf("at %.2f: variance %.3g, want %.3g", p.Level, p.Variance, want)
			}
		}
	}
	if settled < len(c.Points)/2 {
		t.Errorf("%d points of %d are settled", settled, len(c.Points))
	}
}

func TestBroadNoise(t *testing.T) {
	noise := white(make([]float32, width*height), 0.1, random(1))
	smooth := make([]float32, len(noise))
	for y := 1; y < height; y++ {
		for x := 1; x < width; x++ {
			i := y*width + x
			smooth[i] = (noise[i] + noise[i-1] + noise[i-width] + noise[i-width-1]) / 4
		}
	}
	c := measure(noise, width, height)
	if b := c.Broad(); b < 0.7 || b > 1 || c.Settled() < 0.9 {
		t.Errorf("white noise: broad %.2f, settled %.2f", b, c.Settled())
	}
	c = measure(smooth, width, height)
	if b := c.Broad(); b < 3 || c.Settled() > 0.1 {
		t.Errorf("smoothed noise: broad %.2f, settled %.2f", b, c.Settled())
	}
	if b := (Curve{}).Broad(); b != 0 {
		t.Errorf("no noise: broad %g", b)
	}
}

func TestSplitKeepsBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := make([]block, rapid.IntRange(1, 3000).Draw(t, "blocks"))
		rng := random(rapid.Uint64().Draw(t, "seed"))
		power := rapid.Float64Range(0, 9).Draw(t, "power")
		for i := range blocks {
			blocks[i] = block{mean: math.Pow(rng.Float64(), power), order: int32(i)}
		}
		bins := split(blocks)
		seen := 0
		last := math.Inf(-1)
		for i, b := range bins {
			if len(b) < minBin && len(bins) > 1 {
				t.Fatalf("bin %d of %d has %d blocks", i, len(bins), len(b))
			}
			least, most := math.Inf(1), math.Inf(-1)
			for j, at := range b {
				if j > 0 && at <= b[j-1] {
					t.Fatal("the places do not rise")
				}
				least, most = min(least, blocks[at].mean), max(most, blocks[at].mean)
				seen++
			}
			if least < last {
				t.Fatal("the means do not rise")
			}
			last = most
		}
		if seen != len(blocks) || len(bins) > maxBins+1 {
			t.Fatalf("%d bins have %d blocks of %d", len(bins), seen, len(blocks))
		}
	})
}

func TestMeasureRefusesWrongShape(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for a plane that is too short")
		}
	}()
	Measure([][]float32{make([]float32, 100), make([]float32, 99)}, 10, 10, 1)
}

func TestMeasureKeepsSamples(t *testing.T) {
	noisy := white(drawn(), 0.1, random(1))
	noisy[1000] = float32(math.NaN())
	before := make([]uint32, len(noisy))
	for i, v := range noisy {
		before[i] = math.Float32bits(v)
	}
	f := measure(noisy, width, height).Fit()
	if f.Kind != White || math.Abs(f.Sigma-0.1) > 0.005 {
		t.Errorf("got %+v", f)
	}
	for i, v := range noisy {
		if math.Float32bits(v) != before[i] {
			t.Fatal("the samples were changed")
		}
	}
}

// Slopes on white paper are drawn.
func TestSlopesOnPaperHaveNoNoise(t *testing.T) {
	slope := make([]float32, width*height)
	for i := range slope {
		x, y := float64(i%width), float64(i/width)
		if slope[i] = 1; x > 60 && x < 200 && y > 30 && y < 150 {
			slope[i] = float32(0.1 + 0.002*x)
		}
	}
	if c := measure(eightBit(slope), width, height); c.Fit().Kind != None || c.Constant < 0.3 {
		t.Errorf("a slope on white paper: %+v, %.2f constant", c.Fit(), c.Constant)
	}
}
