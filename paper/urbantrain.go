package paper

import (
	"context"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/golden"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// urbanBatch is the number of patches of each image in a minibatch.
const urbanBatch = 240

// stackResult is the result of training one transform on each image, at one noise level.
type stackResult struct {
	Learned []solve.Transform // one for each training image, each trained alone
	Scale   float64           // best scale of their stack
	Curve   lossCurve         // see minimize
}

// train learns one transform on each image, all at the same time, and tunes the scale of their stack. sigma is on a
// scale of 0 to 1.
func (u urbanRun) train(ctx context.Context, sigma float64) (out stackResult, err error) {
	constant := solve.NewTransform(1, patchSide*patchSide)
	for i := range constant.W {
		constant.W[i] = 1.0 / patchSide
	}
	start, err := solve.Stack(constant, solve.DCTBasis(patchSide))
	if err != nil {
		return out, err
	}
	start = start.Scale(0.5) // patches are divided by sigma
	var theta []float64
	var sources []train.Source
	for i, img := range u.images.training {
		theta = append(theta, start.W...)
		sources = append(sources, u.patches(sigma, uint64(i), img))
	}
	if out.Curve, err = u.minimize(ctx, sigma, start.K, sources, u.steps, 1e-2, theta); err != nil {
		return out, err
	}
	for i := range sources {
		out.Learned = append(out.Learned, solve.Transform{K: start.K, N: start.N,
			W: theta[i*len(start.W) : (i+1)*len(start.W)]})
	}
	stack, err := solve.Stack(out.Learned...)
	if err != nil {
		return out, err
	}
	out.Scale, err = u.stackScale(ctx, stack, sigma)
	return out, err
}

// trainJointly continues from the scaled stack and trains all rows together, on patches of all images.
func (u urbanRun) trainJointly(ctx context.Context, sigma float64, stack solve.Transform) (outcome, error) {
	w := stack.Clone()
	c, err := u.minimize(ctx, sigma, w.K, []train.Source{u.patches(sigma, jointStream, u.images.training...)},
		u.jointSteps(), 1e-3, w.W)
	return outcome{w, c}, err
}

// jointSteps returns the number of steps of joint training. It is lower, as the rows have been trained before.
func (u urbanRun) jointSteps() int { return max(1, u.steps/2) }

// Streams of random numbers. Streams 0, 1, ... belong to single images.
const (
	heldStream  = 100
	jointStream = 101
)

// patches returns a source of patches that draws from all images equally often, whatever their sizes.
func (u urbanRun) patches(sigma float64, stream uint64, images ...namedImage) train.Source {
	p := &train.Patches{Sigma: sigma, PatchSize: patchSide, Seed: u.Seed + stream<<32}
	for _, img := range images {
		p.Groups = append(p.Groups, []train.Pair{{Clean: img.plane}})
	}
	return p
}

// minimize trains one transform of k rows for each source, in place. The curve holds the PSNR of patches in dB, before
// overlapping patches are averaged. Its training values are over the patches since the point before; its validation
// values are always over the same patches of the held images.
func (u urbanRun) minimize(ctx context.Context, sigma float64, k int, sources []train.Source, steps int, rate float64,
	theta []float64) (c lossCurve, err error) {
	const n, points = patchSide * patchSide, 30
	objective := func(s []train.Source, batch int) *train.Transforms {
		return &train.Transforms{K: k, N: n, Sources: s, BatchSize: batch, Workers: u.Workers}
	}
	var held []train.Source
	for range sources {
		held = append(held, u.patches(sigma, heldStream, u.images.held...))
	}
	decibels := func(loss float64) float64 { return -10 * math.Log10(2*loss/n*sigma*sigma) }
	trainer := train.Trainer{ReportEvery: max(1, steps/points), Report: func(p train.Progress) {
		c.Step = append(c.Step, float64(p.Step))
		c.Training, c.Validation = append(c.Training, decibels(p.Loss)), append(c.Validation, decibels(p.Validation))
	}}
	err = trainer.Run(ctx, train.Phase{Name: "images", Objective: objective(sources, urbanBatch),
		Validation: objective(held, 4*urbanBatch), Steps: steps,
		Optimizer: train.NewAdam(len(theta)), Rate: train.DecayingRate(rate)}, theta)
	return c, err
}

// patchStages denoise each patch with one transform and average the patches.
func patchStages(w solve.Transform) (stage.Sequence, error) {
	schedule := solve.DefaultSchedule()
	schedule.Iterations = 30
	local, err := stage.NewLocal(patchSide, schedule, []solve.Transform{w}, nil)
	return stage.Sequence{local}, err
}

// stackScale returns the scale of the stack with the best PSNR on the centres of the training images.
func (u urbanRun) stackScale(ctx context.Context, stack solve.Transform, sigma float64) (float64, error) {
	var failed error
	scale := golden.MinimizeLog(0.1, 1.5, 0.03, func(scale float64) float64 {
		stages, err := patchStages(stack.Scale(scale))
		loss := 0.0
		for _, img := range u.images.training {
			if err != nil {
				break
			}
			clean := centre(img.plane, 128)
			noisy := patchify.NewPlane(clean.Width, clean.Height)
			noise.AddGaussian(noisy.Pix, clean.Pix, sigma, noise.Source(u.Seed, "scale "+img.name))
			var out patchify.Plane
			out, err = stages.Denoise(ctx, noisy, sigma, stage.Options{Stride: 4, Workers: u.Workers})
			if err == nil {
				loss -= metric.PSNR(clean.Pix, out.Pix)
			}
		}
		if err != nil && failed == nil {
			failed = err
		}
		return loss
	})
	return scale, failed
}
