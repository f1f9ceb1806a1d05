package blocks

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/dct"
)

// squares returns the squared coefficients of the block at a column, by vertical and horizontal frequency.
func squares(samples [][]float32, x int, less float64) (s [Side][Side]float64, first float64) {
	m := dct.Matrix(Side)
	for v := range Side {
		for u := range Side {
			c := 0.0
			for i := range Side {
				for j := range Side {
					c += m[v*Side+i] * m[u*Side+j] * (float64(samples[i][x+j]) - less)
				}
			}
			if s[v][u] = c * c; u+v == 0 {
				first = c
			}
		}
	}
	return s, first
}

func TestRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, step := range []int{1, 2, 3, 7, 8, 9, 20} {
		for _, n := range []int{1, 2, 8, 9, 31} {
			samples := make([][]float32, Side)
			for y := range samples {
				samples[y] = make([]float32, (n-1)*step+Side) // no sample beyond is read
				for x := range samples[y] {
					samples[y][x] = rng.Float32()
				}
			}
			r := NewRow(n, step)
			for range 2 { // the second time, in used memory
				set := func() {
					for y, row := range samples {
						r.Set(y, row, 0.25)
					}
				}
				set()
				e := r.Energies()
				got := [][]float64{e.First, e.Coarse, e.Fine, e.Finest}
				for i := range got {
					got[i] = append([]float64(nil), got[i]...)
				}
				set()
				lower, upper := r.Halves()
				got = append(got, lower, upper)
				for b := range n {
					all, first := squares(samples, b*step, 0.25)
					want := [6]float64{0: first}
					for v := range Side {
						for u := range Side {
							switch s := u + v; {
							case s >= 11:
								want[3] += all[v][u]
							case s >= 8:
								want[2] += all[v][u]
							case s >= 3:
								want[1] += all[v][u]
							}
							if u+v >= 8 {
								want[5] += all[v][u]
							} else if u+v > 0 {
								want[4] += all[v][u]
							}
						}
					}
					for i, w := range want {
						if len(got[i]) != n || math.Abs(got[i][b]-w) > 1e-12*(1+w) {
							t.Fatalf("step %d: sum %d of block %d of %d is %g, not %g", step, i, b, n, got[i][b], w)
						}
					}
				}
			}
		}
	}
}
