package denoise

import "github.com/blorc-denoise/blorc-denoise/internal/mask"

// of returns the noise with what depends on an image, so that parts of the image get the same samples as the whole.
func (n noiseModel) of(j job, img image, invalid *mask.Mask) (noiseModel, error) {
	for range n.halvings() {
		img, invalid = img.reduced(2, j.pool()), nil
		j = j.noFile()
	}
	switch {
	case n.isNone():
	case n.curve != nil:
		if n.places != nil {
			img = img.clone()
			n.places.divideTiles(img, j.pool())
		}
		n.curve = n.curve.of(img.planes)
		if n.curve.camera > 0 && n.places == nil && j.correctsMean() {
			n.residual = j.newResidual(n.even, n.remove, img, invalid)
		}
	case n.places != nil:
	default:
		n.even.pedestal = img.pedestal()
		if n.even.correlated {
			n.residual = j.newResidual(n.even, n.remove, img, invalid)
		}
	}
	return n, j.err()
}

// remove removes the noise from an image in place, and returns the name of the model for the gray plane or the luma. It
// applies the steps of the noiseModel first, and inverts them afterwards.
func (n noiseModel) remove(j job, img image) (model string, err error) {
	if n.scale > 1 {
		return n.removeAtHalf(j, img)
	}
	if n.places != nil {
		n.places.divide(img, j.within.at, j.pool())
		if err := j.err(); err != nil {
			return "", err
		}
	}
	if model, err = n.removeMixed(j, img); err != nil {
		return "", err
	}
	if n.places != nil {
		n.places.multiply(img, j.within.at, j.pool())
	}
	return model, nil
}

// removeAtHalf removes the noise from the picture at half the size. It upsamples the residual of that, and subtracts it
// from the picture.
func (n noiseModel) removeAtHalf(j job, img image) (model string, err error) {
	small := img.reduced(2, j.pool())
	before := clonePlanes(small.planes)
	j.within.at = j.within.at.Div(2)
	if n.scale /= 2; n.scale == 1 {
		n.scale = 0
	}
	if model, err = n.remove(j, small); err != nil {
		return "", err
	}
	for i, p := range small.planes {
		if err := j.err(); err != nil {
			return "", err
		}
		for k := range p {
			p[k] -= before[i][k]
		}
		addEnlarged(img.planes[i], img.width, p, small.width, small.height, 2, j.pool())
	}
	return model, nil
}

// removeMixed removes noise that is the same in all places with all strength, and mixes the result with the input as
// the options say. For white noise, the tiles mix; for all other noise, mixing is last, since inverse transforms and
// the correction of the mean are for denoised samples.
func (n noiseModel) removeMixed(j job, img image) (model string, err error) {
	full, mixed := j, j
	switch {
	case n.curve != nil:
		mixed.Grain = 0 // the tiles give it back, after the transform
	case n.residual != nil:
		full.Grain = 0
	default:
		return n.removeClamped(j, img)
	}
	full.Keep, full.KeepLuma, full.KeepChroma = 0, 0, 0
	mixes, corrected := mixed.mixes(len(img.planes)), n.curve != nil && n.residual != nil
	var input [][]float32
	if mixes || corrected && n.residual.isMeasured(img, j) {
		input = j.pool().clones(img.planes)
	}
	if n.curve != nil {
		n.curve.stabilise(img.planes, j.pool())
		if err := j.err(); err != nil {
			return "", err
		}
	}
	if model, err = n.removeClamped(full, img); err != nil {
		return "", err
	}
	if n.curve != nil {
		n.curve.restore(img.planes, j.pool())
	}
	if corrected {
		if err := n.residual.correct(j, input, img); err != nil {
			return "", err
		}
	}
	if mixes {
		mixed.mix(img, input)
	}
	return model, nil
}

// removeClamped removes even noise, and bounds the change of samples by a clamp. With a residual, it also corrects the
// bias of the mean.
func (n noiseModel) removeClamped(j job, img image) (string, error) {
	even := n.afterCurve()
	switch {
	case n.curve != nil:
		return even.remove(j, img, n.curve.clamp(even.sigma))
	case n.residual != nil:
		return n.residual.removeEven(j, img)
	case even.correlated:
		return even.remove(j, img, nil)
	}
	return even.remove(j, img, evenClamp(even.sigma, even.chroma, len(img.planes)))
}

// margins returns the samples around a part that remove needs.
func (n noiseModel) margins(planes int, j job) (margins, error) {
	switch {
	case n.isNone():
		return margins{align: 1}, nil
	case n.scale > 1: // the smaller picture is made of the whole image
		return margins{align: 1, whole: true}, nil
	}
	return n.afterCurve().margins(planes, j)
}
