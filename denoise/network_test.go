package denoise

import (
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// whitened returns copies of planes with white noise.
func whitened(planes [][]float32, sigma float64) [][]float32 {
	out := clone(planes)
	for i, p := range out {
		noise.AddGaussian(p, p, sigma, noise.Source(uint64(i), "plane"))
	}
	return out
}

func TestNetworkPlanes(t *testing.T) {
	local := must.Get(ShippedModels("local"))(t)
	white := func(level float64) evenNoise { return evenNoise{sigma: level / 255, unit: 1} }
	broad, uneven, narrow := white(25), white(25), white(2)
	broad.correlated, uneven.chroma, narrow.unit = true, 0.1, 1./16
	for name, c := range map[string]struct {
		n      evenNoise
		planes int
		o      Options
		want   int
	}{
		"gray":                {white(25), 1, Options{}, 1},
		"colour":              {white(25), 3, Options{Quality: Best}, 3},
		"weak":                {white(2), 3, Options{}, 0},
		"of a narrow range":   {narrow, 1, Options{}, 1},
		"fast gray":           {white(25), 1, Options{Quality: Fast}, 1},
		"fast gray, weak":     {white(2), 1, Options{Quality: Fast}, 0},
		"fast colour":         {white(25), 3, Options{Quality: Fast}, 3},
		"fast colour, weak":   {white(10), 3, Options{Quality: Fast}, 1},
		"broad":               {broad, 3, Options{}, 0},
		"chroma of its own":   {uneven, 3, Options{}, 1},
		"fast colour, weaker": {white(2), 3, Options{Quality: Fast}, 0},
		"models of a family":  {white(25), 1, Options{Models: local}, 0},
		"a model of a file":   {white(25), 1, Options{Models: union(t)}, 0},
	} {
		if got := c.n.networkPlanes(c.planes, c.o); got != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// The passes gain from the pilots of the network, and the result is better than that of the network.
func TestPilotsOfNetworkHelp(t *testing.T) {
	const w, h, sigma = 192, 160, 25.0 / 255
	drawn := scenetest.Draw(w, h)
	for _, planes := range []int{1, 3} {
		psnr := func(remove func(evenNoise, image, Options) error, q Quality) float64 {
			p := whitened(drawn[:planes], sigma)
			must.Do(t, remove(evenNoise{sigma: sigma, unit: 1}, image{p, w, h}, Options{Quality: q}))
			return metric.PSNRPlanes(drawn[:planes], p)
		}
		both, stages := psnr(removeEven, Balanced), psnr(removeByStages, Balanced)
		t.Logf("%d planes: %.2f dB, %.2f without the network", planes, both, stages)
		least := stages + 0.1
		if planes == 3 { // the picture has other colours than those that the network knows
			least = stages - 0.05
		}
		if both < least {
			t.Errorf("%d planes: %.2f dB, %.2f without the network", planes, both, stages)
		}
		if planes == 3 {
			if alone := psnr(removeEven, Fast); both < alone+0.3 {
				t.Errorf("%.2f dB, %.2f of the network alone", both, alone)
			}
		}
	}
}

// Noise and samples that are scaled together give a scaled result: all parts of the program are homogeneous.
func TestNetworkDoesNotDependOnTheScale(t *testing.T) {
	const w, h = 64, 48
	drawn := scenetest.Draw(w, h)
	p := whitened(drawn[:], 0.1)
	q := clone(p)
	for _, c := range q {
		for i := range c {
			c[i] /= 16
		}
	}
	must.Do(t, removeEven(evenNoise{sigma: 0.1, unit: 1}, image{p, w, h}, Options{}))
	must.Do(t, removeEven(evenNoise{sigma: 0.1 / 16, unit: 1. / 16}, image{q, w, h}, Options{}))
	for c := range p {
		for i, v := range p[c] {
			if d := v - 16*q[c][i]; d > 1e-3 || d < -1e-3 {
				t.Fatalf("sample %d of plane %d: %g, but %g", i, c, v, 16*q[c][i])
			}
		}
	}
}

// Nor does it matter where black is.
func TestNetworkDoesNotDependOnBlack(t *testing.T) {
	const w, h = 96, 80
	drawn := scenetest.Draw(w, h)
	for _, planes := range []int{1, 3} {
		psnr := func(black float32) float64 {
			p := whitened(drawn[:planes], 0.1)
			lift(p, black)
			must.Do(t, removeEven(evenNoise{sigma: 0.1, unit: 1}, image{p, w, h}, Options{}))
			lift(p, -black)
			return metric.PSNRPlanes(drawn[:planes], p)
		}
		at0 := psnr(0)
		for _, black := range []float32{-3, -0.9, -0.5, 3, 10, 50} {
			if at := psnr(black); at < at0-0.1 {
				t.Errorf("%d planes: %.2f dB with black at %g, %.2f with black at 0", planes, at, black, at0)
			}
		}
	}
}

// A sample far outside of the range of all others, such as a star or a broken one, leaves the picture around it as it
// is. Nor does it vanish.
func TestNetworkTakesSamplesFarOutside(t *testing.T) {
	const w, h, at = 96, 80, 40*96 + 50
	drawn := scenetest.Draw(w, h)
	for _, planes := range []int{1, 3} {
		for _, q := range []Quality{Fast, Balanced} {
			run := func(outside float32) (psnr float64, sample float32) {
				p := whitened(drawn[:planes], 0.1)
				p[0][at] = outside
				must.Do(t, removeEven(evenNoise{sigma: 0.1, unit: 1}, image{p, w, h}, Options{Quality: q}))
				sample = p[0][at]
				for i := range p {
					for j := range p[i] {
						if x, y := j%w-at%w, j/w-at/w; max(x, -x, y, -y) < 16 {
							p[i][j] = drawn[i][j]
						}
					}
				}
				return metric.PSNRPlanes(drawn[:planes], p), sample
			}
			usual, _ := run(drawn[0][at])
			for _, outside := range []float32{-1000, 1000, 10000} {
				psnr, sample := run(outside)
				if psnr < usual-0.2 {
					t.Errorf("%d planes, %v: %.2f dB around a sample of %g, %.2f without it", planes, q, psnr, outside,
						usual)
				}
				if r := sample / outside; r < 0.99 || r > 1.01 {
					t.Errorf("%d planes, %v: %g has become %g", planes, q, outside, sample)
				}
			}
		}
	}
}

// Samples near the ends of the range of float32 do not overflow.
func TestNetworkTakesHugeSamples(t *testing.T) {
	const w, h = 64, 48
	drawn := scenetest.Draw(w, h)
	for _, scale := range []float32{1, 0x1p123} {
		p := clone(drawn[:1])
		noise.AddGaussian(p[0], p[0], 0.1, noise.Source(0, "plane"))
		before := metric.PSNRPlanes(drawn[:1], p)
		for i := range p[0] {
			p[0][i] *= scale
		}
		n := evenNoise{sigma: 0.1 * float64(scale), unit: float64(scale)}
		must.Do(t, removeEven(n, image{p, w, h}, Options{}))
		for i := range p[0] {
			p[0][i] /= scale
		}
		if after := metric.PSNRPlanes(drawn[:1], p); !(after > before+3) {
			t.Errorf("scale %g: %.2f dB, %.2f before", scale, after, before)
		}
	}
}

// Progress goes up to the end, whether stages follow the network or not.
func TestProgressWithNetwork(t *testing.T) {
	const w, h = 96, 80
	drawn := scenetest.Draw(w, h)
	for _, q := range []Quality{Fast, Balanced} {
		p := clone(drawn[:])
		last, calls := 0.0, 0
		o := Options{Sigma: 25, Quality: q, Progress: func(share float64) {
			if share < last || share > 1 {
				t.Errorf("%v: %g after %g", q, share, last)
			}
			last = share
			calls++
		}}
		mustPlanes(t, p, w, h, o)
		if last < 0.9 || calls < 20 || calls > 101 {
			t.Errorf("%v: the last of %d shares is %g", q, calls, last)
		}
	}
}

// Where the colours have a level of their own, the network that sees the luma makes the luma better.
func TestNetworkOfLumaHelps(t *testing.T) {
	const w, h, luma, chroma = 128, 96, 25.0 / 255, 10.0 / 255
	for _, q := range []Quality{Fast, Balanced} {
		psnr := func(remove func(evenNoise, image, Options) error) float64 {
			drawn := scenetest.Draw(w, h)
			clean := clone(drawn[:])
			decorrelate(clean, pool{})
			noisy := clone(clean)
			for i, sigma := range []float64{luma, chroma, chroma} {
				noise.AddGaussian(noisy[i], noisy[i], sigma, noise.Source(uint64(i), "plane"))
			}
			correlate(noisy, pool{})
			n := evenNoise{sigma: luma, chroma: chroma, unit: 1}
			must.Do(t, remove(n, image{noisy, w, h}, Options{Quality: q}))
			mean := func(planes [][]float32) [][]float32 {
				return [][]float32{image{planes, w, h}.mean(pool{})}
			}
			return metric.PSNRPlanes(mean(drawn[:]), mean(noisy))
		}
		with, without := psnr(removeEven), psnr(removeByStages)
		t.Logf("%v: %.2f dB, %.2f without the network", q, with, without)
		if with < without+0.1 {
			t.Errorf("%v: %.2f dB, %.2f without the network", q, with, without)
		}
	}
}
