package denoise

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// panned draws a picture with edges and texture, as if a camera had moved to (x, y).
func panned(width, height int, x, y float64) []float32 {
	p := make([]float32, width*height)
	for i := range p {
		u, v := float64(i%width)+x, float64(i/width)+y
		s := 0.45 + 0.12*math.Sin(u/9)*math.Cos(v/13) + 0.1*math.Sin((u+2*v)/3.1)
		if math.Mod(u, 37) < 15 != (math.Mod(v+400, 29) < 12) {
			s += 0.2
		}
		p[i] = float32(s)
	}
	return p
}

// panSeries draws pages of a pan with noise, and returns them without noise, too.
func panSeries(pages, width, height int, sigma float64, at func(i int) (x, y float64)) (clean, noisy [][]float32) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range pages {
		x, y := at(i)
		p := panned(width, height, x, y)
		q := slices.Clone(p)
		for j := range q {
			q[j] += float32(sigma / 255 * rng.NormFloat64())
		}
		clean, noisy = append(clean, p), append(noisy, q)
	}
	return clean, noisy
}

func pan(i int) (x, y float64) { return 1.5 * float64(i), 0.7 * float64(i) }

// denoisedPages returns pages that were denoised as one series, or each alone.
func denoisedPages(t *testing.T, pages [][]float32, width, height int, o Options, together bool) [][]float32 {
	t.Helper()
	out := make([][]float32, len(pages))
	each := func(ctx context.Context, i int) {
		out[i] = slices.Clone(pages[i])
		if _, err := Planes(ctx, [][]float32{out[i]}, width, height, o); err != nil {
			t.Errorf("page %d: %v", i, err)
		}
	}
	if !together {
		for i := range pages {
			each(t.Context(), i)
		}
		return out
	}
	FileOptions{Options: o}.Series(t.Context(), nil, func(i int) func(ctx context.Context) {
		if i == len(pages) {
			return nil
		}
		return func(ctx context.Context) { each(ctx, i) }
	})
	return out
}

func decibels(a, b []float32) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64(v-b[i]) * float64(v-b[i])
	}
	return -10 * math.Log10(sum/float64(len(a)))
}

func TestSeriesOfOneIsThePage(t *testing.T) {
	_, noisy := panSeries(1, 72, 56, 25, pan)
	o := Options{Noise: Gaussian, Sigma: 25}
	if alone, one := denoisedPages(t, noisy, 72, 56, o, false),
		denoisedPages(t, noisy, 72, 56, o, true); !slices.Equal(alone[0], one[0]) {
		t.Error("a series of one page differs from the page")
	}
}

func TestSeriesGains(t *testing.T) {
	const w, h = 96, 80
	clean, noisy := panSeries(7, w, h, 25, pan)
	o := Options{Noise: Gaussian, Sigma: 25, Workers: 1}
	alone, both := denoisedPages(t, noisy, w, h, o, false), denoisedPages(t, noisy, w, h, o, true)
	for i := range clean {
		if gain := decibels(both[i], clean[i]) - decibels(alone[i], clean[i]); gain < 1 {
			t.Errorf("page %d of a pan gains %.2f dB", i, gain)
		}
	}
}

func TestSeriesSameBytesForAnyWorkers(t *testing.T) {
	const w, h = 96, 80
	_, noisy := flickering(panSeries(4, w, h, 25, pan))
	o := Options{Noise: Gaussian, Sigma: 25, Workers: 1}
	one := denoisedPages(t, noisy, w, h, o, true)
	o.Workers = 3
	for i, p := range denoisedPages(t, noisy, w, h, o, true) {
		if !slices.Equal(p, one[i]) {
			t.Errorf("page %d differs with three workers", i)
		}
	}
}

// lamp is how bright a flickering lamp is on a page.
func lamp(i int) float32 { return []float32{1, 0.9, 1.1, 0.8, 1.15, 0.95, 1}[i%7] }

// flickering returns pages under that lamp, with noise that does not depend on it.
func flickering(clean, noisy [][]float32) (dimmed, with [][]float32) {
	for i, p := range clean {
		dimmed, with = append(dimmed, slices.Clone(p)), append(with, slices.Clone(noisy[i]))
		for j, v := range p {
			dimmed[i][j] = v * lamp(i)
			with[i][j] += dimmed[i][j] - v
		}
	}
	return dimmed, with
}

// Pages gain where the light flickers, too, and it is the same afterwards.
func TestFlickeringSeriesGains(t *testing.T) {
	const w, h = 120, 96
	clean, noisy := flickering(panSeries(5, w, h, 25, pan))
	o := Options{Noise: Gaussian, Sigma: 25}
	alone, both := denoisedPages(t, noisy, w, h, o, false), denoisedPages(t, noisy, w, h, o, true)
	for i, p := range both {
		if gain := decibels(p, clean[i]) - decibels(alone[i], clean[i]); gain < 0.9 {
			t.Errorf("page %d gains %.2f dB where the lamp flickers", i, gain)
		}
		sum := 0.0
		for j, v := range p {
			sum += float64(v - clean[i][j])
		}
		if mean := 255 * sum / (w * h); math.Abs(mean) > 1 {
			t.Errorf("page %d is brighter by %.2f levels", i, mean)
		}
	}
}

func TestUnrelatedPagesStayAlone(t *testing.T) {
	const w, h = 80, 64
	_, noisy := panSeries(4, w, h, 25, pan)
	for i, p := range noisy { // each shows something else
		for j := range p {
			switch x, y := j%w, j/w; {
			case i%2 == 1 && (x/11+y/17*i)%2 == 0:
				p[j] = 1 - p[j]
			case i > 1:
				p[j] = p[j]/2 + float32(x*(3-i)+y*(i-2))/200
			}
		}
	}
	o := Options{Noise: Gaussian, Sigma: 25}
	alone, both := denoisedPages(t, noisy, w, h, o, false), denoisedPages(t, noisy, w, h, o, true)
	for i := range alone {
		if d := -decibels(alone[i], both[i]); d > -30 {
			t.Errorf("page %d changes by %.1f dB beside unrelated pages", i, d)
		}
	}
}

func TestFramesShownTwiceLoseNothing(t *testing.T) {
	const w, h = 88, 72
	clean, noisy := panSeries(8, w, h, 25, func(i int) (x, y float64) { return pan(i / 2) })
	for i := 1; i < len(noisy); i += 2 {
		noisy[i] = noisy[i-1]
	}
	o := Options{Noise: Gaussian, Sigma: 25}
	alone, both := denoisedPages(t, noisy, w, h, o, false), denoisedPages(t, noisy, w, h, o, true)
	for i := range clean {
		if gain := decibels(both[i], clean[i]) - decibels(alone[i], clean[i]); gain < -0.1 {
			t.Errorf("page %d loses %.2f dB", i, -gain)
		}
	}
}

// What a page depends on does not change where a series is cut.
func TestPartOfASeries(t *testing.T) {
	const w, h, pages, reach = 48, 40, 31, 24
	_, noisy := flickering(panSeries(pages, w, h, 25, pan))
	o := Options{Noise: Gaussian, Sigma: 25}
	whole := denoisedPages(t, noisy, w, h, o, true)
	part := denoisedPages(t, noisy[1:], w, h, o, true)
	for i := 1 + reach; i < pages; i++ {
		if !slices.Equal(whole[i], part[i-1]) {
			t.Errorf("page %d differs in a part of the series", i)
		}
	}
}

func TestSeriesReach(t *testing.T) {
	for q, want := range map[Quality]int{Balanced: 24, Best: 33} { // 6 for the mean, 9 for each of two or three passes
		if got := (Options{Quality: q}).SeriesReach(); got != want {
			t.Errorf("%v quality: %d images, want %d", q, got, want)
		}
	}
}

// A profile of three channels is refused for gray images of a series, as for a single one.
func TestSeriesOfAnotherProfile(t *testing.T) {
	p := &Profile{Version: profileVersion, Kind: Poisson, FullScale: 1}
	for _, gain := range []float64{0.002, 0.004, 0.003} {
		p.Channels = append(p.Channels, ChannelNoise{Gain: gain})
	}
	_, pages := panSeries(2, 72, 56, 25, pan)
	var images []*imageio.Image
	for _, page := range pages {
		images = append(images, &imageio.Image{Width: 72, Height: 56, Planes: [][]float32{page}, Depth: imageio.Depth8})
	}
	o := FileOptions{Options: Options{Profile: p}}
	if n := o.noiseOf(t.Context(), images); n != nil {
		t.Error("the series has a noise")
	}
}
