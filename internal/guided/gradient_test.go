package guided

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// drawn returns a plane of independent samples.
func drawn(rng *rand.Rand, width, height int, spread float64) patchify.Plane {
	p := patchify.NewPlane(width, height)
	for i := range p.Pix {
		p.Pix[i] = float32(spread * rng.NormFloat64())
	}
	return p
}

// drawnNetwork returns a network with all parts in use.
func drawnNetwork(rng *rand.Rand, guides, predictions int) *Network {
	n := New(Shape{guides, predictions, 16, 2}, rng)
	for i := range n.Skip {
		n.Skip[i] = float32(0.3 * rng.NormFloat64())
	}
	last := n.Net[len(n.Net)-1]
	for i := range last.Weights {
		last.Weights[i] *= 5
	}
	return n
}

func TestGradientIsThatOfDifferences(t *testing.T) {
	for predictions := range MaxPredictions + 1 {
		testGradient(t, predictions)
	}
}

func testGradient(t *testing.T, predictions int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	const side, stride = 40, 4
	in := Input{Noisy: drawn(rng, side, side, 2), Pilot: drawn(rng, side, side, 1.5),
		Guides: []patchify.Plane{drawn(rng, side, side, 3), drawn(rng, side, side, 2)}, Level: 0.3}
	target := drawn(rng, side, side, 1)
	n := drawnNetwork(rng, 2, predictions)
	out := patchify.NewPlane(side, side)
	loss := func() float64 {
		if err := NewDifferentiator(NewDenoiser(n, 0)).Forward(out, in, stride); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, v := range out.Pix {
			d := float64(v - target.Pix[i])
			sum += d * d / 2
		}
		return sum
	}
	loss()
	c := NewDifferentiator(NewDenoiser(n, 0))
	if err := c.Forward(out, in, stride); err != nil {
		t.Fatal(err)
	}
	for i, v := range target.Pix {
		out.Pix[i] -= v
	}
	g := NewGradient(n)
	c.Backward(g, out)
	var parts [][]float32
	g.Each(func(v []float32) { parts = append(parts, v) })
	at := 0
	n.Each(func(v []float32) {
		wrong, all := 0.0, 0.0 // squares: a step over a kink of a rectifier makes some differences wrong, by little
		for try := range 16 {
			i := rng.IntN(len(v))
			if try < 4 { // those with the largest gradients as well
				i = largest(parts[at], try)
			}
			before := v[i]
			const h = 5e-4
			v[i] = before + h
			up := loss()
			v[i] = before - h
			down := loss()
			v[i] = before
			want := (up - down) / (2 * h)
			wrong, all = wrong+math.Pow(float64(parts[at][i])-want, 2), all+want*want
		}
		if all == 0 || wrong > 0.02*0.02*all {
			t.Errorf("%d predictions, part %d: differences of norm %g are %g away from the gradient", predictions, at,
				math.Sqrt(all), math.Sqrt(wrong))
		}
		at++
	})
}

// largest returns the place of the number with rank others above it.
func largest(v []float32, rank int) int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(float64(v[j])), math.Abs(float64(v[i]))) })
	return order[rank]
}
