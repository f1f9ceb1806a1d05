package convnet

import (
	"math"
	"math/rand/v2"
	"testing"
)

// newGrid returns a grid of zeros.
func newGrid(channels, width, height int) *Grid {
	g := new(Grid)
	g.Reset(channels, width, height)
	return g
}

// reference computes a layer by its definition.
func reference(l Layer, in *Grid, relu bool) *Grid {
	out := newGrid(l.Out, in.Width, in.Height)
	r := l.Side / 2
	for o := range l.Out {
		for y := range in.Height {
			for x := range in.Width {
				sum, at := float64(l.Bias[o]), o*l.taps()
				for dy := -r; dy <= r; dy++ {
					for dx := -r; dx <= r; dx++ {
						for c := range l.In {
							if x+dx >= 0 && x+dx < in.Width && y+dy >= 0 && y+dy < in.Height {
								sum += float64(l.Weights[at]) * float64(in.Plane(c)[in.Index(x+dx, y+dy)])
							}
							at++
						}
					}
				}
				if relu {
					sum = max(sum, 0)
				}
				out.Plane(o)[out.Index(x, y)] = float32(sum)
			}
		}
	}
	return out
}

func drawn(rng *rand.Rand, channels, width, height int) *Grid {
	g := newGrid(channels, width, height)
	for c := range channels {
		for y := range height {
			for x := range width {
				g.Plane(c)[g.Index(x, y)] = float32(rng.NormFloat64())
			}
		}
	}
	return g
}

func TestConvolveIsTheSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{1, 1}, {1, 9}, {5, 1}, {46, 3}, {47, 4}, {100, 7}} {
		for _, side := range []int{1, 3} {
			l := New(32, 16, 1, 16, rng)[0]
			l.Side = side
			l.Weights = make([]float32, l.Out*l.taps())
			for i := range l.Weights {
				l.Weights[i] = float32(rng.NormFloat64())
			}
			for i := range l.Bias {
				l.Bias[i] = float32(rng.NormFloat64())
			}
			in := drawn(rng, l.In, size[0], size[1])
			for layer, n := range []Net{{l, l}, {l}} { // the last layer has no relu
				out := newGrid(l.Out, size[0], size[1])
				NewRunner(n[:1:1], 0).Convolve(out, in, 0, 0, size[1], new(Scratch))
				relu := false
				if layer == 0 {
					two := Runner{Net: n, matrices: NewRunner(n[:1], 0).matrices}
					two.Convolve(out, in, 0, 0, size[1], new(Scratch))
					relu = true
				}
				want := reference(l, in, relu)
				for i, v := range want.pix {
					if math.Abs(float64(out.pix[i]-v)) > 1e-3 {
						t.Fatalf("%v, side %d: value %d is %g, not %g", size, side, i, out.pix[i], v)
					}
				}
			}
		}
	}
}

func TestRowsAreThoseOfTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := New(16, 16, 1, 16, rng)
	r := NewRunner(n, 0)
	in := drawn(rng, 16, 30, 9)
	whole, part := newGrid(16, 30, 9), newGrid(16, 30, 9)
	r.Convolve(whole, in, 1, 0, 9, new(Scratch))
	r.Convolve(part, in, 1, 2, 5, new(Scratch))
	for c := range 16 {
		for y := 2; y < 5; y++ {
			for x := range 30 {
				if i := whole.Index(x, y); whole.Plane(c)[i] != part.Plane(c)[i] {
					t.Fatalf("channel %d of (%d, %d) differs", c, x, y)
				}
			}
		}
	}
}

// Gradients are tested with those of package guided, by differences. Here: the gradient by the input of a linear
// network is exact.
func TestBackwardIsTheTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ side, width, height int }{{1, 13, 6}, {3, 13, 6}, {1, 1, 1}, {3, 1, 1}, {3, 2, 1},
		{3, 1, 2}} {
		side := c.side
		l := Layer{In: 16, Out: 32, Side: side, Bias: make([]float32, 32)}
		for range l.Out * l.taps() {
			l.Weights = append(l.Weights, float32(rng.NormFloat64()))
		}
		r := NewRunner(Net{l}, 0)
		in, errors := drawn(rng, 16, c.width, c.height), drawn(rng, 32, c.width, c.height)
		out := newGrid(32, c.width, c.height)
		r.Convolve(out, in, 0, 0, c.height, new(Scratch))
		left := dot(out, errors)
		g := NewGradient(r.Net)
		back := NewDifferentiator(r).Backward(g, []*Grid{in}, errors)
		if right := dot(in, back); math.Abs(left-right) > 1e-3*math.Abs(left) {
			t.Errorf("%+v: <A x, e> is %g, <x, A' e> is %g", c, left, right)
		}
		byWeights := 0.0 // the output is linear in the weights
		for i, v := range g[0].Weights {
			byWeights += float64(v) * float64(l.Weights[i])
		}
		if math.Abs(left-byWeights) > 1e-3*math.Abs(left) {
			t.Errorf("%+v: <A x, e> is %g, by the weights %g", c, left, byWeights)
		}
	}
}

func dot(a, b *Grid) (sum float64) {
	for i, v := range a.pix {
		sum += float64(v) * float64(b.pix[i])
	}
	return sum
}
