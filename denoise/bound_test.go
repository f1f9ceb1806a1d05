package denoise

import (
	goimage "image"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// spotted draws planes with a slope, thin bright and dark lines, small bright spots and impulses, and with white
// noise or noise without its fine part.
func spotted(rng *rand.Rand, width, height, planes int, sigma float64, broad bool) (all [][]float32) {
	base := filled(width*height, func(i int) float32 { return 0.3 + 0.3*float32(i%width)/float32(width) })
	for range 3 {
		x, v := rng.IntN(width), rng.Float32()
		for y := range height {
			base[y*width+(x+y/4)%width] = v
		}
	}
	for range width * height / 400 {
		base[rng.IntN(len(base))] = 0.9
	}
	for c := range planes {
		p := slices.Clone(base)
		n := make([]float32, len(p))
		noise.AddGaussian(n, n, sigma, rng)
		for i := range p {
			v := n[i]
			if broad {
				v = (n[i] + n[max(i-1, 0)] + n[max(i-width, 0)] + n[max(i-width-1, 0)]) / 2
			}
			p[i] += v * (1 + 0.2*float32(c))
		}
		for range len(p) / 500 {
			p[rng.IntN(len(p))] += float32(rng.IntN(2))*0.8 - 0.4
		}
		all = append(all, p)
	}
	return all
}

// boundCases are kinds of noise, told and found.
func boundCases() map[string]Options {
	p := &Profile{Version: profileVersion, Kind: Poisson, FullScale: 1}
	for _, gain := range []float64{0.002, 0.004, 0.003} {
		p.Channels = append(p.Channels, ChannelNoise{Gain: gain, ReadNoise: 0.01})
	}
	return map[string]Options{
		"white": {Sigma: 8}, "white, found": {Noise: Gaussian}, "found": {},
		"camera": {Noise: Camera, Sigma: 30}, "camera, found": {Noise: Camera},
		"photons": {Noise: Poisson, Photons: PhotonNoise{Gain: 0.003, ReadNoise: 0.01}}, "profile": {Profile: p},
	}
}

// No sample moves by more than five times its noise. Samples that would move less are where they would be without the
// bound.
func TestNoSampleMovesFarBeyondItsNoise(t *testing.T) {
	held := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(boundCases()))).Draw(t, "noise")
		planes := rapid.SampledFrom([]int{1, 3}).Draw(t, "planes")
		w, h := rapid.IntRange(20, 60).Draw(t, "width"), rapid.IntRange(20, 50).Draw(t, "height")
		held[name] += heldSamples(t, name, planes, w, h, rapid.Uint64().Draw(t, "seed"), rapid.Bool().Draw(t, "broad"))
	})
	for name := range boundCases() {
		for seed := uint64(0); held[name] == 0 && seed < 20; seed++ { // chance may have drawn none
			held[name] = heldSamples(t, name, 1+2*int(seed%2), 60, 50, seed, false)
		}
		if held[name] == 0 {
			t.Errorf("%s: no sample was held: the test shows nothing", name)
		}
	}
}

// heldSamples checks the bound on a drawn image, and returns how many samples it has held.
func heldSamples(t tester, name string, planes, w, h int, seed uint64, broad bool) (held int) {
	o := boundCases()[name]
	o.Quality = Fast
	if name == "profile" {
		planes = 3
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	noisy := image{spotted(rng, w, h, planes, 0.03, broad), w, h}
	j, n := jobOf(o), noiseIn(noisy, o)
	if n.isNone() || n.dependsOnPlace() { // one picture in hundreds seems to have noise of places
		return 0
	}
	free, got := noisy.clone(), noisy.clone()
	b := evenClamp(n.even.sigma, n.even.chroma, planes)
	if n.residual != nil {
		s := must.Get(n.residual.measure(t.Context()))(t)
		b = n.residual.clamp(s)
	}
	must.Get(n.remove(j, got))(t)
	if n.curve == nil {
		must.Get(n.even.remove(j, free, nil))(t)
	}
	for c, p := range got.planes {
		for i, v := range p {
			from := noisy.planes[c][i]
			if n.curve != nil {
				s := n.curve.channels[min(c, len(n.curve.channels)-1)]
				at, most := s.Forward(float64(from)), maxChange*n.even.sigma
				low, high := s.Inverse(at-most), s.Inverse(at+most)
				if float64(v) < low-1e-4 || float64(v) > high+1e-4 {
					t.Fatalf("plane %d, sample %d: %g becomes %g, not between %g and %g", c, i, from, v, low, high)
				}
				held++
				continue
			}
			want, far := b.sample(c, from, free.planes[c][i])
			if far {
				held++
			}
			if math.Abs(float64(v-want)) > 1e-5 {
				t.Fatalf("plane %d, sample %d: %g becomes %g, not %g", c, i, from, v, want)
			}
		}
	}
	return held
}

// Small bright spots, as stars and beads are, keep more of their light.
func TestSmallSpotsKeepTheirLight(t *testing.T) {
	const side, sigma, step = 256, 0.02, 24
	rng := rand.New(rand.NewPCG(5, 6))
	clean := slices.Repeat([]float32{0.1}, side*side)
	var spots []int
	for y := step; y < side-1; y += step {
		for x := step; x < side-1; x += step {
			spots = append(spots, y*side+x)
			clean[y*side+x] = 0.7
		}
	}
	n := make([]float32, len(clean))
	noise.AddGaussian(n, n, sigma, rng)
	noisy := slices.Clone(clean)
	for i := range noisy {
		noisy[i] += (n[i] + n[max(i-1, 0)] + n[max(i-side, 0)] + n[max(i-side-1, 0)]) / 2
	}
	lost := func(p []float32) (sum float64) {
		for _, i := range spots {
			sum += float64(clean[i]-p[i]) / float64(len(spots))
		}
		return sum
	}
	o := Options{Noise: Camera, Sigma: 25, Quality: Fast}
	free, got := slices.Clone(noisy), slices.Clone(noisy)
	j, found := jobOf(o), noiseIn(image{[][]float32{noisy}, side, side}, o)
	must.Get(found.even.remove(j, image{[][]float32{free}, side, side}, nil))(t)
	must.Get(found.remove(j, image{[][]float32{got}, side, side}))(t)
	if before, after := lost(free), lost(got); !(before > 10*sigma) || after > maxChange*1.5*sigma {
		t.Errorf("spots lose %.2f, and %.2f without a bound", after, before)
	}
}

// Parts and crops have the samples of the whole where samples are held, too.
func TestPartsAreHeldAsTheWhole(t *testing.T) {
	const w, h = 200, 170
	for name, o := range boundCases() {
		planes := spotted(rand.New(rand.NewPCG(7, 8)), w, h, 3, 0.03, true)
		o.Quality = Fast
		img := &imageio.Image{Width: w, Height: h, Planes: planes, Depth: imageio.DepthFloat32, Format: imageio.TIFF}
		samePieces(t, name, img, FileOptions{Options: o}, goimage.Rect(31, 90, 130, 165))
	}
}
