package denoise

import (
	"cmp"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
)

// The residual shows whether a noise level is right. Noise is everywhere: at a given level, the denoiser removes about
// the same amount of it in all places. Texture is in few places, and a lower level removes less of it. So a level that
// is too high for the residual is lowered until both agree: a fixed point, approached from above. If the picture has
// noise of that level, the first residual is large enough.

const (
	// maxOverRemoved is the largest ratio of the level over the residual at half the size (white noise has half of its
	// standard deviation there, so the residual counts twice). Noise of cameras has 2 to 4, white noise 1.2 to 1.5.
	// Textured pictures without noise have 7 to 25.
	maxOverRemoved = 4
	// maxSkew is the largest skewness of the residual at half the size. Noise of cameras, grain and JPEG has up to
	// 0.55. Bright points that are everywhere, as on glitter, have 1 to 2.
	maxSkew = 0.8
	// removedBlock is the side of a block in samples.
	removedBlock = 16
	// maxRounds is how often the level is lowered. Four are enough to recognise texture; the level that is left then
	// hardly changes a picture.
	maxRounds = 4
	// rounding is the largest standard deviation, in steps between samples, of rounding a smooth picture.
	rounding = 0.35
	// usualLevel is the level of most photographs with visible noise, as a share of the range of the picture. The
	// network predicts a level between theirs and that of photographs without noise. For unknown cameras that is often
	// half of the best level.
	usualLevel = 13.0 / 255
)

// byRemoved corrects the predicted level of correlated noise, on the scale of the samples. It lowers the level if the
// residual is too small for it. Otherwise the picture has noise, and the level becomes the usual one if that is higher,
// at most twice the prediction, and not too high for the residual either.
func (v view) byRemoved(predicted float64) (float64, error) {
	windows := v.windows(v.windowAreas())
	luma := 1.0 // the mean of the planes has less noise
	if len(v.planes) == 3 {
		luma = math.Sqrt(3)
		for i, w := range windows {
			windows[i].planes = [][]float32{w.mean(v.j.pool())}
		}
	}
	sigma, err := v.boundByRemoved(windows, luma, predicted)
	span, _ := dynamicRange(v.planes)
	usual := usualLevel * span
	if err != nil || sigma < predicted || sigma > usual || usual > 2*sigma {
		return sigma, err
	}
	usual, err = v.boundByRemoved(windows, luma, usual)
	return max(sigma, usual), err
}

// boundByRemoved lowers a level if the residual of gray windows is too small for it. The noise of the windows is weaker
// than that of the planes by the factor luma. Rounding errors do not count.
func (v view) boundByRemoved(windows []image, luma, sigma float64) (float64, error) {
	for range maxRounds {
		if 255*sigma < level.Lowest {
			return 0, v.j.err()
		}
		r, err := v.j.removedFrom(windows, sigma/luma)
		if err != nil {
			return 0, err
		}
		step := rounding * v.curve.Step
		most := maxOverRemoved * luma * math.Sqrt(max(0, r.strength*r.strength-step*step))
		if math.Abs(r.skew) > maxSkew {
			most = min(most, sigma/2)
		}
		if most >= sigma {
			break
		}
		sigma = most
	}
	return sigma, nil
}

// removed is what the residual of windows tells, at half the size.
type removed struct {
	strength float64 // twice the root mean square in the median block, since less than half may have little noise
	skew     float64 // of all blocks
}

// removedFrom measures the residual of gray windows at a level.
func (j job) removedFrom(windows []image, level float64) (removed, error) {
	n := evenNoise{sigma: level, unit: 1, correlated: true}
	all, errs := make([][]moments, len(windows)), make([]error, len(windows))
	err := parallel.For(j.ctx, j.Workers, len(windows), func(_, i int) {
		quick := job{Options: Options{Quality: Fast, Workers: 1}, ctx: j.ctx}
		result := windows[i].clone()
		if _, errs[i] = n.remove(quick, result, nil); errs[i] == nil {
			all[i] = windows[i].removedBlocks(result)
		}
	})
	if err := cmp.Or(err, cmp.Or(errs...)); err != nil {
		return removed{}, err
	}
	blocks := slices.Concat(all...)
	if len(blocks) == 0 {
		return removed{strength: math.Inf(1)}, nil // nothing is known
	}
	var squares []float64
	var sum moments
	for _, b := range blocks {
		squares = append(squares, b.square)
		sum.square, sum.cube = sum.square+b.square, sum.cube+b.cube
	}
	count := float64(len(blocks))
	return removed{2 * math.Sqrt(quantile.Median(squares)),
		sum.cube / count / math.Pow(max(sum.square/count, math.SmallestNonzeroFloat64), 1.5)}, nil
}

// moments are means of the square and the cube.
type moments struct{ square, cube float64 }

// removedBlocks returns the moments of what was removed from each block of a gray image at half the size. Clipped
// blocks do not count: clipping removed their noise.
func (img image) removedBlocks(result image) (blocks []moments) {
	samples := float64(removedBlock*removedBlock) / 4
	for y := 0; y+removedBlock <= img.height; y += removedBlock {
		for x := 0; x+removedBlock <= img.width; x += removedBlock {
			at, sum := y*img.width+x, moments{}
			low, high := img.planes[0][at], img.planes[0][at]
			for j := 0; j < removedBlock; j += 2 {
				for i := 0; i < removedBlock; i += 2 {
					d := 0.0
					for _, k := range [4]int{0, 1, img.width, img.width + 1} {
						k += at + j*img.width + i
						d += float64(img.planes[0][k]-result.planes[0][k]) / 4
						low, high = min(low, img.planes[0][k]), max(high, img.planes[0][k])
					}
					sum.square, sum.cube = sum.square+d*d, sum.cube+d*d*d
				}
			}
			if high > 0 && low < 1 {
				blocks = append(blocks, moments{sum.square / samples, sum.cube / samples})
			}
		}
	}
	return blocks
}
