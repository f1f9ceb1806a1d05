package scan

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Lists across planes hold the nearest of all patches around a place, also where that reaches over the edges.
func TestAcrossFindsTheNearest(t *testing.T) {
	const width, height, size, count, reach = 61, 47, 8, 3, 4
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func() Plane {
		p := Plane{Width: width, Height: height, Pix: make([]float32, width*height)}
		for i := range p.Pix {
			p.Pix[i] = rng.Float32()
		}
		return p
	}
	p, q := draw(), draw()
	xs, ys := []int{0, 5, 9, 21}, []int{0, 7, 13}
	a := NewAcross(size, count, reach)
	for _, at := range [][4]int{{0, 0, 0, 0}, {16, 8, 3, -2}, {32, 26, 6, 5}, {0, 0, -9, -3}} {
		x0, y0, moveX, moveY := at[0], at[1], at[2], at[3]
		a.Open(p, x0, y0, xs, ys)
		a.Begin(1000)
		a.Against(q, moveX, moveY)
		for dy := -reach; dy <= reach; dy++ {
			for dx := -reach; dx <= reach; dx++ {
				a.Scan(dx, dy, 0.5*float32(dx*dx+dy*dy))
			}
		}
		for i := range len(xs) * len(ys) {
			x, y := x0+xs[i%len(xs)], y0+ys[i/len(xs)]
			type found struct {
				d      float64
				corner int32
			}
			var all []found
			for dy := -reach; dy <= reach; dy++ {
				for dx := -reach; dx <= reach; dx++ {
					u, v := x+moveX+dx, y+moveY+dy
					if u < 0 || v < 0 || u+size > width || v+size > height {
						continue
					}
					d := 0.5 * float64(dx*dx+dy*dy)
					for k := range size * size {
						e := float64(p.Pix[(y+k/size)*width+x+k%size] - q.Pix[(v+k/size)*width+u+k%size])
						d += e * e
					}
					all = append(all, found{d, int32(1000 + v*width + u)})
				}
			}
			slices.SortFunc(all, func(a, b found) int {
				if a.d < b.d {
					return -1
				}
				return 1
			})
			for k, got := range a.List(i) {
				want := int32(-1)
				if k < len(all) {
					want = all[k].corner
				}
				if got != want {
					t.Fatalf("block at %v, reference %d: patch %d is %d, want %d", at, i, k, got, want)
				}
			}
			if best := a.List(i)[0]; best >= 0 {
				if dx, dy := a.Offset(i, best); (y+dy)*width+x+dx != int(best)-1000 {
					t.Errorf("reference %d: offset %d, %d of %d", i, dx, dy, best)
				}
			}
		}
	}
}
