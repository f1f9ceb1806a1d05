package noisecurve

import (
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/blocks"
	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
)

// Repeats measures noise from several shots of one scene: the difference of two shots has noise alone. Shots may differ
// in brightness, as lamps drift and dyes fade.
type Repeats struct {
	width, height int
	planes        []repeatedPlane
	// squared differences: of the sum of the planes over the root of their number, and of a plane on average
	luma, mean float64
}

// repeatedPlane is what the shots show of one plane.
type repeatedPlane struct {
	blocks []repeated
	low    float64 // least sample of all shots
	step   float64 // least difference of samples
}

// repeated is what two shots tell of one place.
type repeated struct {
	block
	texture float64 // energy of the scene, with its noise
	around  float64 // mean level of the blocks around it; NaN if there is none
}

// Drift says how a shot differs from the one before it.
type Drift struct {
	Factor, Offset float64 // of its brightness
	Shift          float64 // in samples
	Explained      float64 // share of the difference that a shift explains
	Same           float64 // share of the scene that both have, from 0 to 1
}

// Add compares two shots of the scene. All shots have the same size and number of planes.
func (r *Repeats) Add(a, b [][]float32, width, height int) Drift {
	if r.planes == nil {
		r.width, r.height = width, height
		r.planes = make([]repeatedPlane, len(a))
		for i := range r.planes {
			r.planes[i].low = math.Inf(1)
		}
	}
	worst := Drift{Factor: 1, Same: 1}
	sum := make([]float32, len(a[0]))
	for i := range a {
		d, difference := r.planes[i].add(a[i], b[i], width, height)
		for j, v := range difference {
			sum[j] += v
			r.mean += float64(v*v) / float64(len(a))
		}
		if i == 0 {
			worst.Factor, worst.Offset = d.Factor, d.Offset
		}
		if d.Explained > worst.Explained {
			worst.Shift, worst.Explained = d.Shift, d.Explained
		}
		worst.Same = min(worst.Same, d.Same)
	}
	for _, v := range sum {
		r.luma += float64(v*v) / float64(len(a))
	}
	return worst
}

// Luma returns how many times the noise is stronger in the sum of the planes than it would be if the planes had nothing
// in common.
func (r *Repeats) Luma() float64 {
	if !(r.mean > 0) || !(r.luma < math.MaxFloat64) {
		return 1
	}
	return math.Sqrt(r.luma / r.mean)
}

// add compares two shots of a plane, and returns their difference.
func (r *repeatedPlane) add(a, b []float32, width, height int) (d Drift, difference []float32) {
	s := scan([][]float32{a, b}, 1)
	r.low = min(r.low, s.Low)
	r.step = s.Step
	p := compare(a, b, width, height, s)
	d.Factor, d.Offset, d.Same = p.drift()
	// The difference, and the level where the noise has the variance of the difference over 1 + factor^2: with a
	// variance that grows evenly with the level, this is exact.
	f := d.Factor
	difference = make([]float32, len(a))
	level := make([]float32, len(a))
	for i, v := range a {
		difference[i] = float32((float64(b[i]) - f*float64(v) - d.Offset) / math.Sqrt(1+f*f))
		level[i] = float32((float64(b[i]) + f*f*float64(v)) / (1 + f*f))
	}
	d.Shift, d.Explained = shift(difference, level, width, height)
	r.blocks = append(r.blocks, measureRepeated(difference, level, a, b, width, height, s)...)
	return d, difference
}

// pairOfMeans holds the means of the blocks of two shots, and the sum of the variances in the blocks.
type pairOfMeans struct {
	a, b             []float64
	insideA, insideB float64
}

// compare returns the means of blocks that are not clipped.
func compare(a, b []float32, width, height int, s Curve) (m pairOfMeans) {
	for y := 0; y+side <= height; y += side {
		for x := 0; x+side <= width; x += side {
			if !isClipped(a, b, width, x, y, s) {
				m.a = append(m.a, blockMean(a, width, x, y))
				m.b = append(m.b, blockMean(b, width, x, y))
				m.insideA += blockVariance(a, width, x, y, m.a[len(m.a)-1])
				m.insideB += blockVariance(b, width, x, y, m.b[len(m.b)-1])
			}
		}
	}
	return m
}

// maxLow is the number of samples of a block of two shots that may be at the lower end of the range: some have no
// photon by chance.
const maxLow = 2 * side * side / 5

// isClipped reports whether a block has samples that are not finite or at the upper end of the range in either shot, or
// many at the lower end.
func isClipped(a, b []float32, width, x, y int, s Curve) bool {
	low, high, atLow := float32(s.Low), float32(s.High), 0
	for row := range side {
		at := (y+row)*width + x
		for i, v := range a[at:][:side] {
			w := b[at+i]
			if v >= high || w >= high || v-v != 0 || w-w != 0 {
				return true
			}
			if v == low {
				atLow++
			}
			if w == low {
				atLow++
			}
		}
	}
	return atLow > maxLow
}

// drift returns the line from the first shot to the second. Both have noise, so it is fitted by the distances of points
// from the line (W. E. Deming). Places where something moved are left out. A scene without contrast does not tell the
// slope.
func (m pairOfMeans) drift() (factor, offset, same float64) {
	const (
		least  = 32 // blocks
		rounds = 3
		far    = 3.5 // times the usual distance from the line
		clear  = 3   // standard errors from where on a slope is not 1
		empty  = 3   // times what noise explains, up to which the means of blocks show no scene
	)
	keep := make([]bool, len(m.a))
	for i := range keep {
		keep[i] = true
	}
	factor, same = 1, 1
	for round := range rounds {
		var n, sa, sb, saa, sbb, sab float64
		for i, k := range keep {
			if k {
				n++
				sa += m.a[i]
				sb += m.b[i]
			}
		}
		if n < least {
			return factor, offset, same
		}
		sa /= n
		sb /= n
		for i, k := range keep {
			if k {
				saa += (m.a[i] - sa) * (m.a[i] - sa)
				sbb += (m.b[i] - sb) * (m.b[i] - sb)
				sab += (m.a[i] - sa) * (m.b[i] - sb)
			}
		}
		correlation := sab / math.Sqrt(max(saa*sbb, math.SmallestNonzeroFloat64))
		if round == 0 {
			same = max(0, correlation)
			// dark frames: nothing that could be another
			if saa < empty*m.insideA/(side*side) && sbb < empty*m.insideB/(side*side) {
				same = 1
			}
		}
		if factor = 1; correlation > 0 {
			slope := (sbb - saa + math.Hypot(sbb-saa, 2*sab)) / (2 * sab)
			if e := math.Sqrt((1-correlation*correlation)/n) / correlation; math.Abs(slope-1) > clear*e {
				factor = slope
			}
		}
		offset = sb - factor*sa
		distances := make([]float64, len(m.a))
		for i := range m.a {
			distances[i] = math.Abs(m.b[i] - factor*m.a[i] - offset)
		}
		limit := far * 1.48 * quantile.Median(slices.Clone(distances))
		for i, d := range distances {
			keep[i] = d <= limit
		}
	}
	return factor, offset, same
}

// measureRepeated measures the blocks of a difference that are not clipped.
func measureRepeated(difference, level, a, b []float32, width, height int, s Curve) (list []repeated) {
	if width < side {
		return nil
	}
	ofDifference, ofLevel := blocks.NewRow(width/side, side), blocks.NewRow(width/side, side)
	for y := 0; y+side <= height; y += side {
		for i := range side {
			ofDifference.Set(i, difference[(y+i)*width:], 0)
			ofLevel.Set(i, level[(y+i)*width:], 0)
		}
		d, l := ofDifference.Energies(), ofLevel.Energies()
		for x := 0; x+side <= width; x += side {
			if isClipped(a, b, width, x, y, s) {
				continue
			}
			r := repeated{block: energies(d, x/side)}
			r.mean = blockMean(level, width, x, y)
			r.around = around(level, width, height, x, y, r.mean)
			t := energies(l, x/side)
			r.texture = t.coarse + t.fine
			list = append(list, r)
		}
	}
	return list
}

// around returns the mean of the eight blocks around one of a mean, or as many as there are.
func around(level []float32, width, height, x, y int, mean float64) float64 {
	sum, n := -mean, -1.0
	for j := max(0, y-side); j <= min(y+side, height-side); j += side {
		for i := max(0, x-side); i <= min(x+side, width-side); i += side {
			sum += blockMean(level, width, i, j)
			n++
		}
	}
	return sum / n
}

// shift returns the displacement of the second shot in samples, and the share of the difference that it explains, at
// the size where that share is largest.
func shift(difference, level []float32, width, height int) (samples, explained float64) {
	w, h := width, height
	d, u := difference, level
	for scale := 1.0; w >= 2*side && h >= 2*side && scale <= 8; scale *= 2 {
		var xx, xy, yy, dx, dy, dd, n float64
		for y := 1; y < h-1; y++ {
			for x := 1; x < w-1; x++ {
				i := y*w + x
				gx, gy, v := float64(u[i+1]-u[i-1])/2, float64(u[i+w]-u[i-w])/2, float64(d[i])
				if !(math.Abs(gx+gy+v) < math.MaxFloat32) {
					continue
				}
				xx, xy, yy, dx, dy, dd = xx+gx*gx, xy+gx*gy, yy+gy*gy, dx+gx*v, dy+gy*v, dd+v*v
				n++
			}
		}
		if det := xx*yy - xy*xy; det > 1e-12*xx*yy && dd > 0 {
			sx, sy := (dx*yy-dy*xy)/det, (dy*xx-dx*xy)/det
			share := (sx*dx+sy*dy)/dd - 4/n
			if share > explained {
				// the difference was divided by the root of two
				samples, explained = math.Sqrt2*scale*math.Hypot(sx, sy), share
			}
		}
		d, u, w, h = half(d, w, h), half(u, w, h), w/2, h/2
	}
	return samples, explained
}

// half averages 2 x 2 samples.
func half(v []float32, width, height int) []float32 {
	w, h := width/2, height/2
	out := make([]float32, w*h)
	for y := range h {
		for x := range w {
			i := 2*y*width + 2*x
			out[y*w+x] = (v[i] + v[i+1] + v[i+width] + v[i+width+1]) / 4
		}
	}
	return out
}
