package burst

import (
	"cmp"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// noise is what the frequencies of a difference of two shots are where nothing moves: variances for each plane and
// brightness.
type noise struct {
	edges    []float32 // between ranges of brightness
	variance [][][cells]float32
}

// of returns the variances for a square of a mean brightness.
func (n *noise) of(plane int, brightness float32) *[cells]float32 {
	i, _ := slices.BinarySearch(n.edges, brightness)
	return &n.variance[plane][i]
}

// noise measures what the frequencies of the differences are where nothing moves, which is most of the picture.
func (m *Mean) noise() noise {
	g := m.grid()
	every := 1 + g.columns*g.rows/maxTold
	type told struct {
		brightness float32
		planes     []square
	}
	var all []told
	for i := 0; i < g.columns*g.rows; i += every {
		x, y := m.corner(i%g.columns, i/g.columns)
		if !m.isInside(x, y) {
			continue
		}
		t := told{brightness(m.reference[0], x, y), make([]square, len(m.reference))}
		for p := range t.planes {
			t.planes[p].difference(m.reference[p], m.scratch[p], x, y)
		}
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b told) int { return cmp.Compare(a.brightness, b.brightness) })
	n := noise{variance: make([][][cells]float32, len(m.reference))}
	for k := range brightnesses {
		part := all[k*len(all)/brightnesses : (k+1)*len(all)/brightnesses]
		if k > 0 && len(part) > 0 {
			n.edges = append(n.edges, part[0].brightness)
		} else if k > 0 {
			n.edges = append(n.edges, math.MaxFloat32)
		}
		values := make([]float32, len(part))
		for p := range n.variance {
			var v [cells]float32
			for f := range v {
				for i, t := range part {
					values[i] = t.planes[p][f] * t.planes[p][f]
				}
				v[f] = minNoise
				if len(values) > 0 {
					const medianOfSquares = 0.4549 // of normal deviates
					v[f] = max(v[f], quantile.Median(values)/medianOfSquares)
				}
			}
			n.variance[p] = append(n.variance[p], v)
		}
	}
	return n
}

// brightness is the mean of a square.
func brightness(p patchify.Plane, x, y int) (sum float32) {
	for j := range side {
		for _, v := range p.Row(y + j)[x:][:side] {
			sum += v
		}
	}
	return sum / cells
}
