package burst

import (
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// turn moves places of the reference by an affine function: x by a[0] + a[1] u + a[2] v samples and y by a[3] + a[4] u
// + a[5] v, where u and v are 0 in the middle of the picture and at most 1.
type turn [6]float64

// view says where the samples of a level of a pyramid are in the picture.
type view struct {
	size          float64 // of a sample of the level, in samples of the picture
	width, height float64 // of the picture
}

// unit returns u and v of a sample of a level.
func (w view) unit(x, y int) (u, v float64) {
	half := 0.5 * max(w.width, w.height)
	return (w.size*(float64(x)+0.5) - 0.5*w.width) / half, (w.size*(float64(y)+0.5) - 0.5*w.height) / half
}

func (t turn) at(u, v float64) (dx, dy float64) {
	return t[0] + t[1]*u + t[2]*v, t[3] + t[4]*u + t[5]*v
}

const (
	// maxSamples is on how many samples of a level a turn is fitted. More tell nothing.
	maxSamples = 2 << 20
	// maxSteps is how often a fit is repeated on a level.
	maxSteps = 12
	// enough is the change of a turn, in samples of the level, after which it has been found.
	enough = 0.005
	// turnBands is the number of bands whose equations are summed by themselves, so that the sum does not depend on the
	// number of workers.
	turnBands = 64
	// farOff is how many times the median of all differences one may be before it counts less.
	farOff = 3
)

// aligner finds where things of a reference are in other shots.
type aligner struct {
	levels  []patchify.Plane // of the gray reference
	workers int
}

func (a *aligner) view(level int) view {
	return view{float64(int(1) << level), float64(a.levels[0].Width), float64(a.levels[0].Height)}
}

// turn returns how a shot has moved, on the whole.
func (a *aligner) turn(ctx context.Context, shot []patchify.Plane) turn {
	top := len(a.levels) - 1
	var t turn
	dx, dy := shiftOf(a.levels[top], shot[top])
	t[0], t[3] = float64(dx)*a.view(top).size, float64(dy)*a.view(top).size
	for level := top; level >= 0 && len(a.levels[level].Pix) <= maxSamples; level-- {
		t = a.fit(ctx, level, shot[level], t)
	}
	return t
}

// shiftOf returns by how many samples a small plane has moved.
func shiftOf(from, to patchify.Plane) (dx, dy int) {
	from, to = detailOf(from), detailOf(to)
	reach := max(2, min(from.Width, from.Height)/6)
	best := math.Inf(1)
	for _, o := range around(reach) {
		sum, count := 0.0, 0
		for y := max(0, -o[1]); y < min(from.Height, from.Height-o[1]); y++ {
			p, q := from.Row(y), to.Row(y+o[1])
			for x := max(0, -o[0]); x < min(from.Width, from.Width-o[0]); x++ {
				d := p[x] - q[x+o[0]]
				sum += float64(d * d)
				count++
			}
		}
		if mean := sum / float64(max(1, count)); mean < best {
			best, dx, dy = mean, o[0], o[1]
		}
	}
	return dx, dy
}

// around returns all offsets up to a distance, near ones first.
func around(reach int) (all [][2]int) {
	for y := -reach; y <= reach; y++ {
		for x := -reach; x <= reach; x++ {
			all = append(all, [2]int{x, y})
		}
	}
	slices.SortStableFunc(all, func(a, b [2]int) int { return a[0]*a[0] + a[1]*a[1] - b[0]*b[0] - b[1]*b[1] })
	return all
}

// detailOf returns a plane without its means over squares of 9 x 9, so that light does not matter. What has much
// contrast counts little more than the rest, so that a thing that moves does not take the whole shot with it.
func detailOf(p patchify.Plane) patchify.Plane {
	const reach = 4
	out := patchify.NewPlane(p.Width, p.Height)
	for y := range p.Height {
		for x := range p.Width {
			sum, n := float32(0), float32(0)
			for j := max(0, y-reach); j <= min(p.Height-1, y+reach); j++ {
				for _, v := range p.Row(j)[max(0, x-reach):min(p.Width, x+reach+1)] {
					sum += v
					n++
				}
			}
			out.Row(y)[x] = p.Row(y)[x] - sum/n
		}
	}
	usual := float32(0)
	for _, v := range out.Pix {
		usual += max(v, -v) / float32(len(out.Pix))
	}
	for i, v := range out.Pix {
		out.Pix[i] = v / (max(v, -v) + usual + 1e-9)
	}
	return out
}

// fit improves a turn on one level. Light may have changed by a factor and an offset.
func (a *aligner) fit(ctx context.Context, level int, shot patchify.Plane, t turn) turn {
	from, w := a.levels[level], a.view(level)
	alongX, alongY := slopes(shot)
	limit := farOff * a.usual(level, shot, t)
	light := [2]float64{1, 0}
	for range maxSteps {
		var parts [turnBands]equations
		var far [turnBands][]float64
		if parallel.For(ctx, a.workers, turnBands, func(_, band int) {
			e := equations{n: 8}
			for y := band * from.Height / turnBands; y < (band+1)*from.Height/turnBands; y++ {
				row := from.Row(y)
				for x, v := range row {
					u, h := w.unit(x, y)
					dx, dy := t.at(u, h)
					at, ok := placeAt(shot, float64(x)+dx/w.size, float64(y)+dy/w.size)
					if !ok {
						continue
					}
					missing := light[0]*float64(v) + light[1] - float64(at.of(shot))
					if (x+y)%7 == 0 {
						far[band] = append(far[band], math.Abs(missing))
					}
					gx, gy := float64(at.of(alongX))/w.size, float64(at.of(alongY))/w.size
					e.add([]float64{gx, gx * u, gx * h, gy, gy * u, gy * h, -float64(v), -1}, missing,
						trust(missing, limit))
				}
			}
			parts[band] = e
		}) != nil {
			return t
		}
		sum := equations{n: 8}
		for i := range parts {
			sum.addAll(&parts[i])
		}
		x, ok := sum.solve(1e-9 * sum.count)
		if !ok {
			return t
		}
		limit = farOff * quantile.Median(slices.Concat(far[:]...))
		most := 0.0
		for i := range t {
			t[i] += x[i]
			most = max(most, math.Abs(x[i])/w.size)
		}
		light[0], light[1] = light[0]+x[6], light[1]+x[7]
		if most < enough {
			break
		}
	}
	return t
}

// usual returns the median of the differences on a level.
func (a *aligner) usual(level int, shot patchify.Plane, t turn) float64 {
	from, w := a.levels[level], a.view(level)
	var all []float64
	for y := 0; y < from.Height; y += 3 {
		for x := y % 5; x < from.Width; x += 5 {
			dx, dy := t.at(w.unit(x, y))
			if at, ok := placeAt(shot, float64(x)+dx/w.size, float64(y)+dy/w.size); ok {
				all = append(all, math.Abs(float64(from.Row(y)[x]-at.of(shot))))
			}
		}
	}
	return quantile.Median(all)
}

// trust is the weight of a difference in a fit.
func trust(difference, limit float64) float64 {
	if math.IsInf(limit, 1) {
		return 1
	}
	q := difference / (limit + 1e-9)
	return 1 / (1 + q*q)
}
