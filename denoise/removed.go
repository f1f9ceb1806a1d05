package denoise

import (
	"cmp"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// What the denoiser removes tells whether a level is right. Noise is everywhere: told a level, the denoiser removes
// about as much of it in all places. Texture that was taken for noise is in few places, and the less is removed of it,
// the lower the level. So a level that is too high for what is removed is lowered, until both agree: a fixed point,
// from above. Of noise enough is removed from the first time on.

const (
	// maxOverRemoved is how many times the level may be what is removed at half the size (of white noise, that is half
	// of its standard deviation at full size, so it counts twice). Noise of cameras has 2 to 4, white noise 1.2 to 1.5.
	// Textured pictures without noise have 7 to 25.
	maxOverRemoved = 4
	// removedShare is the share of blocks in which at most that is removed. Less than half of a picture may have little
	// noise.
	removedShare = 0.5
	// removedBlock is the side of a block in samples.
	removedBlock = 16
	// maxRounds is how often the level is lowered. Four are enough to tell texture; what is left of it hardly changes a
	// picture.
	maxRounds = 4
	// minAssumed is the least level, in gray levels: less changes nothing that can be seen.
	minAssumed = 0.7
	// rounding is the largest standard deviation, in steps between samples, of rounding a smooth picture.
	rounding = 0.35
	// Blocks whose samples are all at or beyond these are clipped.
	clippedDark, clippedBright = 3.0 / 255, 252.0 / 255
)

// boundByRemoved lowers the level of correlated noise, on the scale of the samples, where too little is removed for it.
// What rounding made is no noise of the picture.
func (v view) boundByRemoved(level float64) (float64, error) {
	windows := v.windows(v.windowAreas())
	luma := 1.0 // the level of the mean of the planes is lower
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

// removedFrom returns what is removed from gray windows if their noise has a level: twice the root mean square at half
// the size.
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

// removedBlocks returns the mean square of what was removed from each block of a gray image at half the size. Blocks
// that are clipped do not count: their noise is gone.
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
