package denoise

import (
	"cmp"
	goimage "image"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/burst"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Several raw shots of one scene become one mosaic: the mean of what they show in each place, after the transform
// that makes the noise even. Then the network removes the rest of the noise.

// removeFromShots replaces the samples of the first shot, whose noise is even, by the denoised mean of all shots.
func (j job) removeFromShots(raw mosaic.Mosaic, black float64, t mosaicTransform, sigma float32,
	remove func(j job, raw mosaic.Mosaic, sigma float32) error) error {
	alone := raw
	alone.Pix = slices.Clone(raw.Pix)
	left, err := j.meanOfShots(raw, black, t, sigma)
	if err != nil {
		return err
	}
	sum := 0.0
	for _, v := range left.Pix {
		sum += float64(v)
	}
	level := sigma * float32(math.Sqrt(sum/float64(len(left.Pix))))
	n := j.shots.count + 2
	if err := remove(j.share(n-2, n), raw, level); err != nil {
		return err
	}
	share := burst.Alone(left, j.shots.count+1)
	if slices.Max(share.Pix) == 0 {
		return j.err()
	}
	if err := remove(j.share(n-1, n), alone, sigma); err != nil {
		return err
	}
	for i, v := range alone.Pix {
		raw.Pix[i] += share.Pix[i] * (v - raw.Pix[i])
	}
	return j.err()
}

// meanOfShots replaces the samples by the mean of all shots. It returns the share of the variance of the noise that is
// left in each sample.
func (j job) meanOfShots(raw mosaic.Mosaic, black float64, t mosaicTransform,
	sigma float32) (left patchify.Plane, err error) {
	// Two shots have noise; and as one sample of four is red, low frequencies of red have four times that of a sample.
	sum := burst.NewMean(j.planesOfMosaic(raw), 2*4*sigma*sigma, j.Workers)
	for i := range j.shots.count {
		img, err := j.shots.next(i)
		if err != nil {
			return left, err
		}
		next := activeOf(img, black)
		next.Lower(rowOffsets(img), 1)
		if told := cmp.Or(j.Profile, mosaicProfile(img.Mosaic)); told != nil {
			next.RemoveHot(j.ctx, j.Workers, deviations(told))
		}
		t.each(j, next, t.forward)
		share, err := sum.Add(j.ctx, j.planesOfMosaic(next))
		if err != nil {
			return left, err
		}
		j.shots.shares = append(j.shots.shares, share)
		if j.Progress != nil {
			j.Progress(float64(i+1) / float64(j.shots.count+2))
		}
	}
	planes, left := sum.Result()
	j.putPlanes(raw, planes)
	return left, j.err()
}

// planesOfMosaic returns the luma and the chroma of a mosaic, with the colours that samples do not have between others.
func (j job) planesOfMosaic(m mosaic.Mosaic) (planes []patchify.Plane) {
	colours := m.Interpolated(goimage.Rect(0, 0, m.Width, m.Height))
	decorrelate(colours[:], j.pool())
	for _, pix := range colours {
		planes = append(planes, patchify.Plane{Width: m.Width, Height: m.Height, Pix: pix})
	}
	return planes
}

// putPlanes gives each sample of a mosaic its colour of what planesOfMosaic returned.
func (j job) putPlanes(m mosaic.Mosaic, planes []patchify.Plane) {
	var colours [][]float32
	for _, p := range planes {
		colours = append(colours, p.Pix)
	}
	correlate(colours, j.pool())
	for i := range m.Pix {
		m.Pix[i] = colours[m.Colours[i/m.Width%2][i%m.Width%2]][i]
	}
}
