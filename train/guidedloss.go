package train

import (
	"cmp"
	"context"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/guided"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// guidedCrop is a crop that a guided network is trained on. All planes are in units of the noise's standard deviation.
type guidedCrop struct {
	guided.Input
	clean patchify.Plane
}

// crop draws a square part of one of the planes and turns or mirrors it. A picture that is smaller is taken whole.
func (p *GuidedPicture) crop(rng *rand.Rand, side int) guidedCrop {
	w, h := min(side, p.Clean[0].Width), min(side, p.Clean[0].Height)
	x, y, i := rng.IntN(p.Clean[0].Width-w+1), rng.IntN(p.Clean[0].Height-h+1), rng.IntN(len(p.Clean))
	o := orientation(rng.IntN(8))
	cut := func(plane patchify.Plane) patchify.Plane { return o.of(patchify.Crop(plane, x, y, w, h)) }
	pilot := p.Pilot[i]
	if p.corrected != nil {
		pilot = p.corrected[i]
	}
	c := guidedCrop{clean: cut(p.Clean[i]), Input: guided.Input{Noisy: cut(p.Noisy[i]), Pilot: cut(pilot),
		Level: stage.Level(p.Sigma)}}
	for _, g := range p.guides(i) {
		c.Guides = append(c.Guides, cut(g))
	}
	return c
}

// guidedLoss is the loss of a guided network: the mean over crops of the squared error of the aggregated crop, divided
// by that of the pilot. So all levels of noise, and smooth and busy crops, have about the same weight. The gradient is
// exact: the problems of the coefficients have closed forms (see package guided), and the network is differentiated
// layer by layer.
type guidedLoss struct {
	network *guided.Network // its parameters are overwritten by theta
	draw    func(rng *rand.Rand) guidedCrop
	batch   int
	seed    uint64
	workers int
	// added to the mean squared error of a pilot in the divisor, in units of sigma^2: a crop whose pilot is almost
	// exact should not outweigh the others
	floor       float64
	differences []guidedGradient // for each crop of a step
}

// guidedGradient is the loss and the gradient of one crop.
type guidedGradient struct {
	*guided.Gradient
	loss float64
	err  error
}

// guidedTrainStride is the distance of patches in samples, in training as in use.
const guidedTrainStride = 4

// setTheta copies parameters into the network.
func (l *guidedLoss) setTheta(theta []float64) {
	l.network.Each(func(v []float32) {
		for i := range v {
			v[i] = float32(theta[i])
		}
		theta = theta[len(v):]
	})
}

// thetaOf returns the parameters of a network.
func thetaOf(n *guided.Network) (theta []float64) {
	n.Each(func(v []float32) {
		for _, x := range v {
			theta = append(theta, float64(x))
		}
	})
	return theta
}

// Gradient implements Objective.
func (l *guidedLoss) Gradient(ctx context.Context, step int, theta, grad []float64) (Batch, error) {
	if !finite(theta) {
		return Batch{}, ErrDiverged
	}
	l.setTheta(theta)
	denoiser := guided.NewDenoiser(l.network, l.workers)
	for len(l.differences) < l.batch {
		l.differences = append(l.differences, guidedGradient{Gradient: guided.NewGradient(l.network)})
	}
	workers := make([]*guided.Differentiator, parallel.Workers(l.workers))
	err := parallel.For(ctx, l.workers, l.batch, func(worker, i int) {
		if workers[worker] == nil {
			workers[worker] = guided.NewDifferentiator(denoiser)
		}
		rng := rand.New(rand.NewPCG(l.seed, uint64(step)<<16|uint64(i)))
		l.differences[i].run(workers[worker], l.draw(rng), l.floor)
	})
	if err != nil {
		return Batch{}, err
	}
	sum := Batch{Samples: l.batch}
	for i := range l.batch {
		err = cmp.Or(err, l.differences[i].err)
		sum.Loss += l.differences[i].loss / float64(l.batch)
	}
	return sum, cmp.Or(err, l.meanGradient(ctx, grad))
}

// meanGradient sets grad to the mean of the gradients of all crops.
func (l *guidedLoss) meanGradient(ctx context.Context, grad []float64) error {
	crops := make([][][]float32, l.batch) // of each crop, the gradients by all parts of the parameters
	for i := range crops {
		l.differences[i].Each(func(v []float32) { crops[i] = append(crops[i], v) })
	}
	var parts [][]float64
	for _, v := range crops[0] {
		parts, grad = append(parts, grad[:len(v)]), grad[len(v):]
	}
	return parallel.For(ctx, l.workers, len(parts), func(_, k int) {
		clear(parts[k])
		for _, parts32 := range crops {
			for j, x := range parts32[k] {
				parts[k][j] += float64(x) / float64(l.batch)
			}
		}
	})
}

// run computes the loss and the gradient of a crop.
func (d *guidedGradient) run(c *guided.Differentiator, crop guidedCrop, floor float64) {
	d.Each(func(v []float32) { clear(v) })
	out := patchify.NewPlane(crop.clean.Width, crop.clean.Height)
	if d.err = c.Forward(out, crop.Input, guidedTrainStride); d.err != nil {
		return
	}
	before, after := floor*float64(len(out.Pix)), 0.0
	for i, v := range crop.clean.Pix {
		e := float64(crop.Pilot.Pix[i] - v)
		before += e * e
		e = float64(out.Pix[i] - v)
		after += e * e
	}
	d.loss = after / before
	for i, v := range crop.clean.Pix {
		out.Pix[i] = float32(2 / before * float64(out.Pix[i]-v))
	}
	c.Backward(d.Gradient, out)
}
