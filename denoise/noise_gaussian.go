package denoise

import "context"

// gaussianNoise is white and equally strong everywhere.
type gaussianNoise struct {
	sigma     float64 // on the scale of the samples
	chroma    float64 // the same of the colours, if theirs is another; else 0
	unit      float64 // see image.unit
	estimated bool
	notWhite  bool    // then it is broad
	noNetwork bool    // the stages alone remove it
	pedestal  float32 // see image.pedestal
}

// minSigma is the noise, in grey levels of an image of usual range, below which an image counts as clean. An 8-bit file cannot
// show less than its rounding, whose standard deviation is 0.29.
const minSigma = 0.05

func newGaussian(sigma, unit float64, estimated bool) foundNoise {
	n := gaussianNoise{sigma: sigma, unit: unit, estimated: estimated}
	if 255*sigma < minSigma*unit {
		return noNoise{n.result()}
	}
	return n
}

func (n gaussianNoise) result() Result {
	return Result{Noise: Gaussian, Sigma: 255 * n.sigma, SigmaChroma: 255 * n.chroma, Estimated: n.estimated}
}

func (n gaussianNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	lift(img.planes, -n.pedestal)
	defer lift(img.planes, n.pedestal)
	var pilots [][]float32
	if n.hasNetwork(len(img.planes), o) {
		var err error
		if pilots, o, err = n.runNetwork(ctx, img, o); err != nil {
			return "", err
		}
	}
	return img.run(ctx, pilots, o, n.choose(len(img.planes), o))
}

// of returns the noise with what an image decides.
func (n gaussianNoise) of(img image) gaussianNoise {
	n.pedestal = img.pedestal()
	return n
}

func (n gaussianNoise) margins(planes int, o Options) (margins, error) {
	if n.hasNetwork(planes, o) {
		return margins{align: 1, whole: true}, nil // the network computes images in parts whose places depend on the size
	}
	return o.margins(planes, n.choose(planes, o))
}

// choose returns what chooses the model for plane i.
func (n gaussianNoise) choose(planes int, o Options) func(i int) (planeModel, error) {
	return func(i int) (planeModel, error) {
		c, sigma := 1.0, n.sigma
		if planes == 3 {
			c = contrast[i]
		}
		if i > 0 && n.chroma > 0 {
			sigma = n.chroma
		}
		level := 255 * sigma / c / n.unit
		m, err := o.Models.Choose(level)
		if err != nil {
			return planeModel{}, err
		}
		p := planeModel{model: m, stages: m.Stages, sigma: sigma, level: level, dense: n.notWhite && o.Quality == Balanced}
		if n.hasNetwork(planes, o) {
			return n.afterNetwork(p, i, o)
		}
		if n.notWhite && o.Quality != Fast && m.Stages.Passes() > 0 {
			p.pilot = pilotShare(lumaLevel(n.sigma/n.unit, planes))
		}
		if i == 0 {
			p.stages, err = o.Models.forLuma(m, o.Quality, n.notWhite)
			return p, err
		}
		p.chroma, err = o.Models.forChroma(o.Quality, 255*sigma/n.unit, n.sigma/sigma, n.notWhite)
		if p.chroma != nil && !p.chroma.passes {
			p.stages = m.ForChroma()
		}
		p.thin = p.chroma != nil && o.Quality == Best
		if p.thin && !n.notWhite {
			p.stages = m.Stages.Uncorrected() // low frequencies come from smaller sizes
		}
		if n.notWhite && p.chroma != nil && o.Quality == Balanced && m.Stages.Passes() > 0 {
			p.stages = m.Stages.PassesAtHalf(min(halfPasses, m.Stages.Passes())) // most of such noise in chroma is broad
		}
		return p, err
	}
}
