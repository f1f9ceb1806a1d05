package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

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

// minSigma is the noise, in grey levels of an image of usual range, below which an image counts as clean. An 8-bit file
// cannot show less than its rounding, whose standard deviation is 0.29.
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
	if o.bound == nil && !n.notWhite {
		o.bound = evenBound(n.sigma, n.chroma, len(img.planes))
	}
	lift(img.planes, -n.pedestal)
	defer lift(img.planes, n.pedestal)
	var pilots [][]float32
	if seen := n.seenPlanes(len(img.planes), o); seen > 0 {
		var err error
		if pilots, o, err = n.runNetwork(ctx, img, seen, o); err != nil {
			return "", err
		}
	}
	return img.run(ctx, pilots, o, n.choose(len(img.planes), o))
}

func (n gaussianNoise) ofWhole(img image, _ Options) foundNoise {
	n.pedestal = img.pedestal()
	return n
}

func (n gaussianNoise) deviation(planes int) (func(int, float64) float64, bool) {
	even := evenBound(n.sigma, n.chroma, planes).noise[0]
	return func(_ int, level float64) float64 { return even.At(level) }, !n.estimated
}

func (gaussianNoise) isFine(c noisecurve.Curve) bool {
	fit := c.Fit()
	return isWhite(c, fit) && fit.Sigma > c.Step
}

func (n gaussianNoise) margins(planes int, o Options) (margins, error) {
	m, err := o.margins(planes, n.choose(planes, o))
	m.whole = n.seenPlanes(planes, o) > 0 // the network computes images in parts whose places depend on the size
	return m, err
}

// choose returns what chooses the model for plane i.
func (n gaussianNoise) choose(planes int, o Options) func(i int) (planeModel, error) {
	plan := n.planFor(planes, o)
	return func(i int) (planeModel, error) {
		c, sigma, lane := 1.0, n.sigma, plan.luma
		if planes == 3 {
			c = contrast[i]
		}
		if i > 0 {
			lane = plan.chroma.lane
			if n.chroma > 0 {
				sigma = n.chroma
			}
		}
		level := 255 * sigma / c / n.unit
		m, err := o.Models.choose(level)
		if err != nil {
			return planeModel{}, err
		}
		p := planeModel{model: m, sigma: sigma, level: stage.Level(level), lane: lane}
		if i == 0 || plan.network == 1 && !plan.onLuma {
			p.network = plan.network
		}
		if n.notWhite && o.Models.forCamera() {
			p.refined = o.Models.String()
		}
		if lane.pilot && p.hasPasses() {
			p.pilotShare = pilotShare(lumaLevel(n.sigma/n.unit, planes))
		}
		if p.steps, err = lane.steps(m, o.Models); err != nil || i == 0 || plan.chroma.model == "" {
			return p, err
		}
		pilots := plan.network > 0 && !plan.onLuma
		p.chroma, err = newChromaModels(plan.chroma, o.Models, 255*sigma/n.unit, n.sigma/sigma, pilots)
		return p, err
	}
}
