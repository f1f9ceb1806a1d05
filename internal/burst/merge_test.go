package burst

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const testWidth, testHeight, testSigma = 200, 160, 0.06

// drawn returns a scene with fine stripes, an edge and a disc, turned and moved, with noise if there is a seed. Extra
// is added in a square.
func drawn(degrees, dx, dy float64, seed uint64, extra float64) []patchify.Plane {
	p := patchify.NewPlane(testWidth, testHeight)
	random := rand.New(rand.NewPCG(seed, 1))
	s, c := math.Sincos(degrees * math.Pi / 180)
	for y := range p.Height {
		for x := range p.Width {
			u, v := float64(x)-testWidth/2-dx, float64(y)-testHeight/2-dy
			u, v = c*u-s*v, s*u+c*v
			value := 0.5 + 0.1*math.Sin(u/2.2+v/5)*math.Exp(-u*u/2000) +
				0.2*math.Erf((u*0.97+v*0.2-30)/0.8) - 0.15*math.Erf((math.Hypot(u+50, v-20)-22)/0.8)
			if x >= 20 && x < 60 && y >= 100 && y < 140 {
				value += extra
			}
			if seed > 0 {
				value += testSigma * random.NormFloat64()
			}
			p.Pix[y*p.Width+x] = float32(value)
		}
	}
	return []patchify.Plane{p}
}

func rms(a, b patchify.Plane, x0, y0, x1, y1 int) float64 {
	sum, n := 0.0, 0.0
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			d := float64(a.Row(y)[x] - b.Row(y)[x])
			sum += d * d
			n++
		}
	}
	return math.Sqrt(sum / n)
}

func meanOf(t *testing.T, reference []patchify.Plane, shots ...[]patchify.Plane) (patchify.Plane, patchify.Plane,
	[]float64) {
	t.Helper()
	m := NewMean(reference, 0, 0)
	var shares []float64
	for _, s := range shots {
		share, err := m.Add(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		shares = append(shares, share)
	}
	planes, noise := m.Result()
	return planes[0], noise, shares
}

// handHeld are shots that were turned and moved.
func handHeld(extra float64) (shots [][]patchify.Plane) {
	for i, move := range [][3]float64{{0.5, 3, -2.3}, {-0.4, -2.6, 1.4}, {0.3, 0.5, 2.8}, {-0.5, 1.7, 0.2},
		{0.1, -0.4, -0.6}} {
		shots = append(shots, drawn(move[0], move[1], move[2], uint64(10+i), extra))
	}
	return shots
}

// The mean of six shots has nearly a sixth of the variance of the noise, and says so.
func TestMeanOfMovedShots(t *testing.T) {
	clean := drawn(0, 0, 0, 0, 0)[0]
	mean, noise, shares := meanOf(t, drawn(0, 0, 0, 1, 0), handHeld(0)...)
	// 0.41 from six shots
	if got, most := rms(mean, clean, 10, 10, testWidth-10, testHeight-10), 0.5*testSigma; got > most {
		t.Errorf("the noise is %.4f, at most %.4f wanted", got, most)
	}
	for i, s := range shares {
		if s < 0.8 {
			t.Errorf("share %d is %.2f", i, s)
		}
	}
	if v := noise.Row(80)[100]; v < 1.0/6.01 || v > 0.3 {
		t.Errorf("the variance of the noise is told to be %.3f", v)
	}
}

// Shots of other exposures take part as well, and the mean is as bright as the reference.
func TestShotsOfOtherExposures(t *testing.T) {
	clean := drawn(0, 0, 0, 0, 0)[0]
	shots := handHeld(0)
	for i, s := range shots {
		light := []float32{0.8, 0.85, 0.93, 0.75, 0.9}[i]
		for j := range s[0].Pix {
			s[0].Pix[j] *= light
		}
	}
	mean, _, shares := meanOf(t, drawn(0, 0, 0, 1, 0), shots...)
	// 0.41 from six shots
	if got, most := rms(mean, clean, 10, 10, testWidth-10, testHeight-10), 0.5*testSigma; got > most {
		t.Errorf("the noise is %.4f, at most %.4f wanted", got, most)
	}
	for i, s := range shares {
		if s < 0.8 {
			t.Errorf("share %d is %.2f", i, s)
		}
	}
}

// What is in the reference alone stays, and what is in the others alone does not come.
func TestThingsThatCameOrWent(t *testing.T) {
	for _, extra := range []float64{0.3, -0.3, 0.1} {
		reference := drawn(0, 0, 0, 1, extra)
		mean, noise, _ := meanOf(t, reference, handHeld(0)...)
		if got := rms(mean, reference[0], 26, 106, 54, 134); got > 0.35*testSigma {
			t.Errorf("an object of %g: the mean differs from the reference by %.4f", extra, got)
		}
		if v := noise.Row(120)[40]; v < 0.7 {
			t.Errorf("an object of %g: the variance of the noise is told to be %.3f", extra, v)
		}
		reference = drawn(0, 0, 0, 1, 0)
		mean, _, _ = meanOf(t, reference, handHeld(extra)...)
		if got := rms(mean, reference[0], 26, 106, 54, 134); got > 0.35*testSigma {
			t.Errorf("an object of %g in other shots: the mean differs from the reference by %.4f", extra, got)
		}
	}
}

// The reference is alone where no other shot takes part, and nowhere near where all do.
func TestAlone(t *testing.T) {
	p := Alone(patchify.Plane{Width: 4, Height: 1, Pix: []float32{0.25, 0.3, 0.6, 1}}, 4).Pix
	if p[0] != 0 || p[1] != 0 || !(p[2] > 0.1 && p[2] < 0.9) || p[3] != 1 {
		t.Errorf("shares %v", p)
	}
}

// Without noise, the mean is as sharp as the reference.
func TestMeanIsSharp(t *testing.T) {
	clean := drawn(0, 0, 0, 0, 0)
	var shots [][]patchify.Plane
	for _, move := range [][3]float64{{0.5, 2.5, -2.3}, {-0.4, -2.6, 1.4}, {0.3, 0.5, 2.5}} {
		shots = append(shots, drawn(move[0], move[1], move[2], 0, 0))
	}
	mean, _, _ := meanOf(t, clean, shots...)
	var sharp, got float64
	for y := 20; y < testHeight-20; y++ {
		for x := 20; x < testWidth-20; x++ {
			sharp += math.Abs(float64(clean[0].Row(y)[x+1] - clean[0].Row(y)[x]))
			got += math.Abs(float64(mean.Row(y)[x+1] - mean.Row(y)[x]))
		}
	}
	if got < 0.97*sharp {
		t.Errorf("slopes are %.3f of those of the reference", got/sharp)
	}
}

// A bright thing that moves does not take the shot with it.
func TestBrightThingThatMoves(t *testing.T) {
	var shots [][]patchify.Plane
	for i, s := range append([][]patchify.Plane{drawn(0, 0, 0, 1, 0)}, handHeld(0)...) {
		for y := range testHeight {
			for x := range testWidth {
				if math.Hypot(float64(x-20-30*i), float64(y-30)) < 17 {
					s[0].Row(y)[x] += 3
				}
			}
		}
		shots = append(shots, s)
	}
	_, _, shares := meanOf(t, shots[0], shots[1:]...)
	for i, s := range shares {
		if s < 0.6 {
			t.Errorf("share %d is %.2f", i, s)
		}
	}
}

func TestShotOfSomethingElse(t *testing.T) {
	other := drawn(90, 20, 0, 3, 0)
	for i := range other[0].Pix {
		other[0].Pix[i] += 0.2 * float32(math.Sin(float64(i%testWidth)/7)*math.Cos(float64(i/testWidth)/5))
	}
	_, _, shares := meanOf(t, drawn(0, 0, 0, 1, 0), other)
	if shares[0] > 0.2 {
		t.Errorf("share %.2f", shares[0])
	}
}

// The result does not depend on the number of workers.
func TestWorkers(t *testing.T) {
	var results []patchify.Plane
	for _, workers := range []int{1, 3} {
		m := NewMean(drawn(0, 0, 0, 1, 0), 0, workers)
		if _, err := m.Add(context.Background(), handHeld(0.2)[0]); err != nil {
			t.Fatal(err)
		}
		planes, _ := m.Result()
		results = append(results, planes[0])
	}
	for i, v := range results[0].Pix {
		if results[1].Pix[i] != v {
			t.Fatalf("sample %d is %g and %g", i, v, results[1].Pix[i])
		}
	}
}

func FuzzTinyShots(f *testing.F) {
	f.Add(8, 8, uint64(1))
	f.Add(9, 70, uint64(2))
	f.Fuzz(func(t *testing.T, width, height int, seed uint64) {
		if width < Least || height < Least || width > 100 || height > 100 {
			t.Skip()
		}
		random := rand.New(rand.NewPCG(seed, 2))
		draw := func() []patchify.Plane {
			p := patchify.NewPlane(width, height)
			for i := range p.Pix {
				p.Pix[i] = random.Float32() * float32(seed%3)
			}
			return []patchify.Plane{p}
		}
		mean, _, _ := meanOf(t, draw(), draw(), draw())
		for i, v := range mean.Pix {
			if v != v || v < -4 || v > 6 {
				t.Fatalf("sample %d is %g", i, v)
			}
		}
	})
}
