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

const (
	// Pictures that were enlarged by less have noise that the models for broad noise were trained on; the gray models
	// saw smaller factors.
	minEnlarged, minEnlargedGray = 5, 4
	// beyond, the spectrum has too few frequencies to tell; half the size will be enlarged as well
	maxEnlarged = 8

	minSmall = 96 // side of the smaller picture

	// An enlarged picture has next to nothing above the frequency that its first size could show: these shares of what
	// it has just below. Bounds are frequencies in cycles for each sample of the first size, which could show up to
	// 0.5.
	belowFrom, belowTo = 0.35, 0.5
	aboveFrom, aboveTo = 0.8, 1.1
	maxAbove           = 0.03
	maxBeyond          = 0.06
	// minBelow is what a picture has just below that frequency, in squared grey levels. Rounding makes 0.08 everywhere.
	minBelow = 2.5
	// maxFine is what it may have in the upper half of all frequencies, in the same unit: rounding, and what JPEG
	// makes. Pictures of cameras that are out of focus have noise there.
	maxFine = 1.5
)

// findEnlarged looks for the noise of a picture that was enlarged.
func (s stretched) findEnlarged(o Options) (foundNoise, bool) {
	least := minEnlarged
	if len(s.planes) == 1 {
		least = minEnlargedGray
	}
	if !s.enlarged(least, o.Workers) || o.ended() {
		return nil, false
	}
	o.steps = level.Steps{} // the smaller picture was never stored as JPEG
	found := o.find(s.reduced(2, o.crew(o.context())))
	// enlarging mixes levels, so photon noise would be chance
	if _, evened := found.(evenedNoise); evened || isNone(found) {
		return nil, false
	}
	return enlargedNoise{found}, true
}

// enlarged reports whether the picture seems to have been enlarged at least that many times.
func (s stretched) enlarged(least, workers int) bool {
	if min(s.width, s.height) < 2*minSmall {
		return false
	}
	density := spectrum(s.planes[len(s.planes)/2], s.width, s.height, workers)
	if density == nil || 255*255*meanOfBand(density, lineLength/4, lineLength/2) > maxFine {
		return false
	}
	for scale := maxEnlarged; scale >= least; scale-- {
		at := func(frequency float64) int { return int(math.Round(frequency / float64(scale) * lineLength)) }
		below := meanOfBand(density, at(belowFrom), at(belowTo))
		above := meanOfBand(density, at(aboveFrom), at(aboveTo))
		beyond := slices.Max(density[at(aboveFrom):])
		if 255*255*below > minBelow && above < maxAbove*below && beyond < maxBeyond*below {
			return true
		}
	}
	return false
}

func meanOfBand(density []float64, from, to int) float64 {
	sum := 0.0
	for _, v := range density[from : to+1] {
		sum += v
	}
	return sum / float64(to+1-from)
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
