package denoise

import (
	goimage "image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// blobs draws soft spots at random places, such as a stain shows them, from 0.1 to about 0.7.
func blobs(width, height int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 4))
	p := slices.Repeat([]float32{0.1}, width*height)
	for range width * height / 400 {
		x0, y0, r := rng.Float64()*float64(width), rng.Float64()*float64(height), 2+4*rng.Float64()
		for y := max(0, int(y0-3*r)); y < min(height, int(y0+3*r)); y++ {
			for x := max(0, int(x0-3*r)); x < min(width, int(x0+3*r)); x++ {
				d := (float64(x)-x0)*(float64(x)-x0) + (float64(y)-y0)*(float64(y)-y0)
				p[y*width+x] += float32(0.3 * math.Exp(-d/(r*r)))
			}
		}
	}
	return p
}

func noisy(p []float32, sigma float64, name string) []float32 {
	q := slices.Clone(p)
	noise.AddGaussian(q, q, sigma, noise.Source(2, name))
	return q
}

// groupsIn returns the groups of an image.
func groupsIn(t *testing.T, img image, o Options) groups {
	t.Helper()
	return must.Get(jobOf(o).groupsOf(img, false))(t)
}

func TestGroups(t *testing.T) {
	const w, h = 320, 240
	a, b, c := blobs(w, h, 1), blobs(w, h, 2), blobs(w, h, 3)
	mix := func(p, q []float32, share float32) []float32 {
		m := make([]float32, len(p))
		for i := range p {
			m[i] = share*p[i] + (1-share)*q[i]
		}
		return m
	}
	black, text := make([]float32, w*h), make([]float32, w*h)
	for i := range text {
		text[i] = float32(i / 7 % 2)
	}
	stamped := func(colour float32) []float32 { // text with a stamp on a part of it
		p := slices.Clone(text)
		for i := range 3000 {
			p[i] = colour
		}
		return p
	}
	counts := make([]float32, w*h) // of few photons: 96 % zeros, and a few twos
	for i := range counts {
		counts[i] = float32(max(0, i*i/11%100-95)) / 8
	}
	n := func(p []float32, name string) []float32 { return noisy(p, 0.08, name) }
	gray := n(a, "a")
	one := [][]int{{0, 1, 2}}
	for name, test := range map[string]struct {
		planes [][]float32
		groups [][]int
		from   []int
	}{
		"gray":        {[][]float32{gray}, [][]int{{0}}, []int{0}},
		"gray as RGB": {[][]float32{gray, slices.Clone(gray), gray}, [][]int{{0}}, []int{0, 0, 0}},
		"red":         {[][]float32{gray, black, black}, [][]int{{0}}, []int{0, 1, 1}},
		"cyan":        {[][]float32{black, gray, gray}, [][]int{{1}}, []int{0, 1, 1}},
		"two stains":  {[][]float32{n(a, "a"), n(b, "b"), black}, [][]int{{0}, {1}}, []int{0, 1, 2}},
		"three stains": {[][]float32{n(a, "a"), n(b, "b"), n(c, "c")}, [][]int{{0}, {1}, {2}},
			[]int{0, 1, 2}},
		"two of one, one other": {[][]float32{n(a, "a"), n(b, "b"), n(a, "c")}, [][]int{{0}, {1}, {2}},
			[]int{0, 1, 2}},
		"a colour photograph": {[][]float32{n(a, "a"), n(mix(a, b, 0.8), "b"), n(mix(a, c, 0.7), "c")}, one,
			[]int{0, 1, 2}},
		"gray with noise in colour": {[][]float32{n(a, "a"), n(a, "b"), n(a, "c")}, one, []int{0, 1, 2}},
		"a flat card":               {[][]float32{n(black, "a"), n(black, "b"), n(black, "c")}, one, []int{0, 1, 2}},
		"text":                      {[][]float32{text, text, text}, nil, []int{0, 0, 0}},
		"text with a stamp":         {[][]float32{stamped(0.2), stamped(0.8), stamped(0.1)}, nil, []int{0, 1, 2}},
		"few photons":               {[][]float32{counts}, [][]int{{0}}, []int{0}},
		"a mask in blue":            {[][]float32{n(a, "a"), n(a, "b"), text}, [][]int{{0}, {1}}, []int{0, 1, 2}},
		"inks": {[][]float32{n(a, "a"), n(a, "b"), n(a, "c"), text}, [][]int{{0}, {1}, {2}},
			[]int{0, 1, 2, 3}},
		"inks that are equal": {[][]float32{gray, gray, text, text}, [][]int{{0}}, []int{0, 0, 2, 2}},
	} {
		got := groupsIn(t, image{test.planes, w, h}, Options{})
		if !slices.EqualFunc(got.groups, test.groups, slices.Equal) || !slices.Equal(got.from, test.from) {
			t.Errorf("%s: %v %v, want %v %v", name, got.groups, got.from, test.groups, test.from)
		}
	}
	profile := Options{Profile: &Profile{Channels: make([]ChannelNoise, 3)}}
	if got := groupsIn(t, image{[][]float32{gray, gray, gray}, w, h}, profile); !slices.EqualFunc(got.groups, one,
		slices.Equal) {
		t.Errorf("with a profile of three channels: %v", got.groups)
	}
	if got := groupsIn(t, image{[][]float32{text, text, black}, w, h}, profile); len(got.groups) > 0 {
		t.Errorf("text, with a profile of three channels: %v", got.groups)
	}
}

// A picture of one pixel, of one row, and one too small for squares.
func TestGroupsOfSmallImages(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {200, 1}, {1, 200}, {3, 3}, {9, 9}} {
		planes := [][]float32{blobs(size[0], size[1], 1), blobs(size[0], size[1], 2), blobs(size[0], size[1], 3)}
		for i, p := range planes {
			planes[i] = noisy(p, 0.1, string(rune('a'+i)))
		}
		got := groupsIn(t, image{planes, size[0], size[1]}, Options{})
		if want := size != [2]int{1, 1}; want != (len(got.groups) == 1) {
			t.Errorf("%v: %v", size, got.groups)
		}
	}
}

// Three planes that are denoised as gray pictures have the samples of gray pictures.
func TestSeparatePlanesAreGrayPictures(t *testing.T) {
	const w, h = 200, 150
	a, b, c := noisy(blobs(w, h, 1), 0.05, "a"), noisy(blobs(w, h, 2), 0.08, "b"), noisy(blobs(w, h, 3), 0.1, "c")
	run := func(planes ...[]float32) (*imageio.Image, Result) {
		img := &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8}
		for _, p := range planes {
			img.Planes = append(img.Planes, slices.Clone(p))
		}
		o := FileOptions{Options: Options{Quality: Fast}}
		found := must.Get(measured(t.Context(), img, o))(t)
		r := mustDecoded(t, img, o)
		if found.String() != r.String() {
			t.Errorf("measured %v, found %v", found, r)
		}
		return img, r
	}
	black := make([]float32, w*h)
	var gray [3][]float32
	for i, p := range [][]float32{a, b, c} {
		img, _ := run(p)
		gray[i] = img.Planes[0]
		if slices.Equal(gray[i], p) {
			t.Fatal("nothing was removed")
		}
	}
	for name, test := range map[string]struct{ in, want [3][]float32 }{
		"gray":   {[3][]float32{a, a, a}, [3][]float32{gray[0], gray[0], gray[0]}},
		"green":  {[3][]float32{black, b, black}, [3][]float32{black, gray[1], black}},
		"yellow": {[3][]float32{c, c, black}, [3][]float32{gray[2], gray[2], black}},
		"stains": {[3][]float32{a, b, c}, gray},
	} {
		img, _ := run(test.in[:]...)
		samePlanes(t, name, img.Planes, test.want[:])
	}
}

// Stains with photon noise are described by the noise of each.
func TestResultOfStains(t *testing.T) {
	const w, h = 400, 300
	img := &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8}
	for i, gain := range []float64{2, 6, 12} {
		p := blobs(w, h, uint64(i))
		noise.AddPhotons(p, p, gain/255, 0, 0, noise.Source(3, string(rune('a'+i))))
		img.Planes = append(img.Planes, p)
	}
	r := must.Get(measured(t.Context(), img, FileOptions{}))(t)
	for i, gain := range []float64{2, 6, 12} {
		if got := r.Channels[i].Gain; math.Abs(got-gain) > 0.15*gain {
			t.Errorf("channel %d: gain %g, want %g", i, got, gain)
		}
	}
	if r.Noise != Poisson || r.Photons != r.Channels[1] {
		t.Errorf("%+v", r)
	}
}

// The parts of a damaged file equal those of the whole result.
func TestPartsOfDamagedFiles(t *testing.T) {
	const w, h = 210, 190
	img := &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8, MissingBottom: 70, MissingLeft: 11}
	for i := range 3 {
		p := noisy(blobs(w, h, 1), 0.07, string(rune('a'+i)))
		for y := range h {
			for x := range w {
				if y >= h-img.MissingBottom || x < img.MissingLeft {
					p[y*w+x] = 0.5
				}
			}
		}
		img.Planes = append(img.Planes, p)
	}
	o := FileOptions{Options: Options{Quality: Fast}}
	_, found := samePieces(t, "damaged", img, o, goimage.Rect(5, 60, 120, 150)) // across the missing edges
	if s := found.Sigma; math.Abs(s-0.07*255) > 0.7 {
		t.Errorf("sigma %g, want %g", s, 0.07*255)
	}
}
