package denoise

import (
	"cmp"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
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
	// removedShare is the quantile of the blocks: the median, since less than half of a picture may have little noise.
	removedShare = 0.5
	// removedBlock is the side of a block in samples.
	removedBlock = 16
	// maxRounds is how often the level is lowered. Four are enough to recognise texture; the level that is left then
	// hardly changes a picture.
	maxRounds = 4
	// minAssumed is the least level, in gray levels: denoising at a lower one changes nothing visible.
	minAssumed = 0.7
	// rounding is the largest standard deviation, in steps between samples, of rounding a smooth picture.
	rounding = 0.35
	// Blocks whose samples are all at or beyond these are clipped.
	clippedDark, clippedBright = 3.0 / 255, 252.0 / 255
)

// boundByRemoved lowers the level of correlated noise, on the scale of the samples, if the residual is too small for
// it. Rounding errors do not count.
func (v view) boundByRemoved(level float64) (float64, error) {
	windows := v.windows(v.windowAreas())
	luma := 1.0 // the mean of the planes has less noise
	if len(v.planes) == 3 {
		luma = math.Sqrt(3)
		for i, w := range windows {
			windows[i].planes = [][]float32{w.mean(v.j.pool())}
		}
	}
	for range maxRounds {
		if 255*level < minAssumed {
			return 0, v.j.err()
		}
		removed, err := v.j.removedFrom(windows, level/luma)
		if err != nil {
			return 0, err
		}
		step := rounding * v.curve.Step
		most := maxOverRemoved * luma * math.Sqrt(max(0, removed*removed-step*step))
		if most >= level {
			break
		}
		level = most
	}
	return level, nil
}

// removedFrom returns the strength of the residual of gray windows at a level: twice the root mean square at half the
// size.
func (j job) removedFrom(windows []image, level float64) (float64, error) {
	n := evenNoise{sigma: level, unit: 1, correlated: true}
	all, errs := make([][]float64, len(windows)), make([]error, len(windows))
	err := parallel.For(j.ctx, j.Workers, len(windows), func(_, i int) {
		quick := job{Options: Options{Quality: Fast, Workers: 1}, ctx: j.ctx}
		result := windows[i].clone()
		if _, errs[i] = n.remove(quick, result, nil); errs[i] == nil {
			all[i] = windows[i].removedBlocks(result)
		}
	})
	if err := cmp.Or(err, cmp.Or(errs...)); err != nil {
		return 0, err
	}
	squares := slices.Concat(all...)
	if len(squares) == 0 {
		return math.Inf(1), nil // nothing is known
	}
	slices.Sort(squares)
	return 2 * math.Sqrt(squares[int(removedShare*float64(len(squares)-1))]), nil
}

// removedBlocks returns the mean square of what was removed from each block of a gray image at half the size. Clipped
// blocks do not count: clipping removed their noise.
func (img image) removedBlocks(result image) (squares []float64) {
	for y := 0; y+removedBlock <= img.height; y += removedBlock {
		for x := 0; x+removedBlock <= img.width; x += removedBlock {
			at, sum := y*img.width+x, 0.0
			low, high := img.planes[0][at], img.planes[0][at]
			for j := 0; j < removedBlock; j += 2 {
				for i := 0; i < removedBlock; i += 2 {
					d := 0.0
					for _, k := range [4]int{0, 1, img.width, img.width + 1} {
						k += at + j*img.width + i
						d += float64(img.planes[0][k]-result.planes[0][k]) / 4
						low, high = min(low, img.planes[0][k]), max(high, img.planes[0][k])
					}
					sum += d * d
				}
			}
			if high > clippedDark && low < clippedBright {
				squares = append(squares, sum/(removedBlock*removedBlock/4))
			}
		}
	}
	return squares
}
