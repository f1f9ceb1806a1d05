package denoise

import (
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/internal/tonecurve"
)

// enlargedNoise is noise of a picture that was enlarged a lot. It is too broad for all models. It is found and removed
// in the picture at half the size, or at half of that and so on; what was removed there is enlarged and taken from the
// picture.
type enlargedNoise struct {
	foundNoise // at half the size
}

// maxFinest and maxFinestGray are how much of the detail between an eighth and a quarter of its size an enlarged
// picture has between half and all of it, as mean squares. In colour, those that were enlarged five times or more have
// 0.003 to 0.009, and four times 0.011 to 0.018: the models for broad noise know that. In gray they know less. Gray
// pictures that were enlarged three times have 0.022 to 0.051. Cameras that are out of focus have 0.018 and more in
// colour.
const maxFinest, maxFinestGray = 0.01, 0.03

// findEnlarged looks for the noise of a picture that was enlarged.
func (s evidence) findEnlarged() (foundNoise, bool) {
	if !s.enlarged() || s.o.ended() {
		return nil, false
	}
	o := s.o
	o.steps = level.Steps{} // the smaller picture was never stored as JPEG
	found := o.find(s.reduced(2, o.crew(o.context())))
	// enlarging mixes levels, so photon noise would be chance
	if _, evened := found.(evenedNoise); evened || isNone(found) {
		return nil, false
	}
	return enlargedNoise{found}, true
}

// enlarged reports whether the picture seems to have been enlarged: then it has next to no detail at its finest size.
func (s evidence) enlarged() bool {
	if min(s.width, s.height) < windowSide {
		return false
	}
	img := image{s.planes[len(s.planes)/2:][:1], s.width, s.height}
	var detail [3]float64
	for _, w := range img.windows(s.windowAreas()) {
		for i := range detail {
			var d float64
			w, d = w.halved()
			detail[i] += d
		}
	}
	// Rounding makes white noise. That loses three quarters of its variance each time, and a quarter is left.
	for i := range detail {
		rounding := 0.75 * s.curve.Step * s.curve.Step / 12 * math.Pow(0.25, float64(i))
		detail[i] = max(0, detail[i]/float64(len(s.windowAreas()))-rounding)
	}
	most := maxFinest
	if len(s.planes) == 1 {
		most = maxFinestGray
	}
	return detail[0] < most*detail[2]
}

// halved returns a plane at half the size, and the mean square of what it has lost.
func (img image) halved() (small image, lost float64) {
	one := crew{workers: 1}
	small = img.reduced(2, one)
	blurred := make([]float32, len(img.planes[0]))
	addEnlarged(blurred, img.width, small.planes[0], small.width, small.height, 2, one)
	for i, v := range img.planes[0] {
		d := float64(v - blurred[i])
		lost += d * d / float64(len(blurred))
	}
	return small, lost
}

// reduced averages squares of side x side samples. What is left over at the right and the lower edge belongs to the
// last ones.
func (img image) reduced(side int, by crew) image {
	small := image{nil, img.width / side, img.height / side}
	for _, p := range img.planes {
		q := make([]float32, small.width*small.height)
		by.each(small.height, func(y int) {
			row := q[y*small.width:][:small.width]
			for j := range side {
				addSums(row, p[(y*side+j)*img.width:], side)
			}
			for x := range row {
				row[x] /= float32(side * side)
			}
		})
		small.planes = append(small.planes, q)
	}
	return small
}

// addSums adds to each sample of a row the next ones of another row, side for each.
func addSums(row, samples []float32, side int) {
	for x, sum := range row {
		for _, v := range samples[x*side:][:side] {
			sum += v
		}
		row[x] = sum
	}
}

func (n enlargedNoise) result() Result {
	r := n.foundNoise.result()
	r.Scale = 2 * max(r.Scale, 1)
	return r
}

func (n enlargedNoise) ofWhole(img image, o Options) foundNoise {
	o.curve, o.empty = tonecurve.Curve{}, nil
	return enlargedNoise{n.foundNoise.ofWhole(img.reduced(2, o.crew(o.context())), o)}
}

// wholeChroma: the whole image is denoised anyway.
func (enlargedNoise) wholeChroma(context.Context, image, Options) (*wholeChroma, error) {
	return nil, nil
}

func (enlargedNoise) deviation(int) (func(int, float64) float64, bool) { return nil, false }

func (enlargedNoise) isFine(noisecurve.Curve) bool { return false }

// margins: the smaller picture is made of the whole image.
func (n enlargedNoise) margins(int, Options) (margins, error) {
	return margins{align: 1, whole: true}, nil
}

func (n enlargedNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	small := img.reduced(2, o.crew(ctx))
	before := make([][]float32, len(small.planes))
	for i, p := range small.planes {
		before[i] = slices.Clone(p)
	}
	name, err := n.foundNoise.remove(ctx, small, o)
	if err != nil {
		return "", err
	}
	for i, p := range small.planes {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		for j := range p {
			p[j] -= before[i][j]
		}
		addEnlarged(img.planes[i], img.width, p, small.width, small.height, 2, o.crew(ctx))
	}
	return name, nil
}

// addEnlarged adds a plane of width w and height h, enlarged by a whole number, to another one. It interpolates with
// the cubic of E. Catmull and R. Rom.
func addEnlarged(plane []float32, width int, small []float32, w, h, scale int, by crew) {
	height := len(plane) / width
	xs, ys := tapsOf(width, w, scale), tapsOf(height, h, scale)
	by.pieces(len(plane), func(from, to int) {
		across := make([]float32, 4)
		for i := from; i < to; i++ {
			tx, ty := &xs[i%width], &ys[i/width]
			for j, y := range ty.at {
				row := small[y*w:]
				across[j] = tx.weights[0]*row[tx.at[0]] + tx.weights[1]*row[tx.at[1]] + tx.weights[2]*row[tx.at[2]] +
					tx.weights[3]*row[tx.at[3]]
			}
			plane[i] += ty.weights[0]*across[0] + ty.weights[1]*across[1] + ty.weights[2]*across[2] +
				ty.weights[3]*across[3]
		}
	})
}

// tap says which samples of the small plane a sample of the large one comes from.
type tap struct {
	at      [4]int
	weights [4]float32
}

func tapsOf(length, small, scale int) []tap {
	taps := make([]tap, length)
	for i := range taps {
		centre := (float64(i)+0.5)/float64(scale) - 0.5
		first := math.Floor(centre)
		f := centre - first
		weights := [4]float64{
			f * (-0.5 + f*(1-0.5*f)),
			1 + f*f*(1.5*f-2.5),
			f * (0.5 + f*(2-1.5*f)),
			f * f * (0.5*f - 0.5),
		}
		for j := range taps[i].at {
			taps[i].at[j] = min(max(int(first)-1+j, 0), small-1)
			taps[i].weights[j] = float32(weights[j])
		}
	}
	return taps
}
