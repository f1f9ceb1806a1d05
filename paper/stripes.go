package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Sizes in pixels.
const (
	patchSide    = 8   // side of a patch
	stripeImage  = 256 // side of an image of stripes
	stripeStride = 7   // from one patch to the next, as in the paper: hardly any overlap
)

// stripes makes fig:imagestrips.
func stripes(ctx context.Context, s Setting, sec *sectionBuilder) error {
	steps := s.count(signalSteps, 10)
	sec.Size = fmt.Sprintf("%d steps of %d (paper: %d)", steps, signalBatch, signalSteps)
	t := report.Table{Caption: "PSNR in dB of patches with noise of sigma 0.1, peak 1",
		Head: []string{"stripes", "noisy", "learned", "response of the filters to the stripes",
			"response at the start"}}
	var curves []report.Series
	for _, c := range []struct {
		name   string
		dx, dy int // the direction in which the image is constant
	}{{"vertical", 0, 1}, {"diagonal", 1, 1}} {
		image := stripedImage(c.dx, c.dy)
		train := patchPairs(image, signalSigma, s.Seed)
		pictures := []report.Picture{sec.check(report.Gray("training image", image.Pix, image.Width, image.Height))}
		for _, start := range []struct {
			name, filters string
			w             solve.Transform
		}{
			// The DCT without its constant row comes first, as from the identity most filters stay near single pixels.
			{c.name, "filters, from the DCT", solve.DCTBasis(patchSide).Scale(0.05)},
			{c.name + ", from the identity", "filters, from the identity times 0.05",
				solve.Identity(patchSide*patchSide, 0.05)},
		} {
			r, err := learn(ctx, sec, start.name, s.learning(start.w, true, 1e-3),
				split{train: train, validation: train}) // as in the paper, results are for the training patches
			if err != nil {
				return err
			}
			t.Add(start.name, number(meanPSNR(train.Clean, train.Noisy)),
				number(meanPSNR(train.Clean, denoise(r.W, train.Noisy, s.Workers))),
				number(response(r.W, train.Clean)), number(response(start.w, train.Clean)))
			curves = append(curves, report.Series{Name: start.name, X: r.Curve.Step, Y: r.Curve.Training})
			pictures = append(pictures, sec.filters(start.filters, r.W))
		}
		sec.figure(c.name+" stripes: the clean image and the learned filters, the strongest first.", pictures...)
	}
	sec.table(t)
	sec.figure("The loss on the training patches during training.", sec.lines(lossAxes("loss 1/2 ||x* - x||²"),
		curves...))
	sec.say("Stripes are the sum of three cosines across one direction. The paper says that the filters look " +
		"orthogonal to the images. Here this is measured: the response is the energy of the filters' responses to " +
		"the " +
		"clean patches without their means, relative to the energy for filters in random directions (0 = orthogonal, " +
		"1 = no preference). PSNR is over the training patches, before overlapping patches are averaged.")
	return nil
}

// stripedImage returns an image that is constant along (dx, dy).
func stripedImage(dx, dy int) patchify.Plane {
	p := patchify.NewPlane(stripeImage, stripeImage)
	for y := range p.Height {
		for x := range p.Width {
			u := float64(x*dy - y*dx)
			v := 0.5 + 0.2*math.Cos(2*math.Pi*u/5.3) + 0.2*math.Cos(2*math.Pi*u/11.7) + 0.1*math.Cos(2*math.Pi*u/31)
			p.Row(y)[x] = float32(v)
		}
	}
	return p
}

// patchPairs cuts an image, and the same image with noise, into patches.
func patchPairs(image patchify.Plane, sigma float64, seed uint64) noisyPairs {
	noisy := patchify.NewPlane(image.Width, image.Height)
	noise.AddGaussian(noisy.Pix, image.Pix, sigma, noise.Source(seed, "stripes"))
	g, err := patchify.NewGrid(image.Width, image.Height, patchSide, stripeStride)
	if err != nil {
		panic(err) // the image is larger than a patch
	}
	var p noisyPairs
	patch := make([]float32, patchSide*patchSide)
	cut := func(plane patchify.Plane, x, y int) []float64 {
		patchify.ExtractLane(patch, 1, 0, plane, x, y, patchSide)
		out := make([]float64, len(patch))
		for i, v := range patch {
			out[i] = float64(v)
		}
		return out
	}
	for i := range g.Len() {
		x, y := g.At(i)
		p.Clean, p.Noisy = append(p.Clean, cut(image, x, y)), append(p.Noisy, cut(noisy, x, y))
	}
	return p
}

// response returns the energy of the coefficients of clean patches without their means, relative to the energy for
// filters in random directions: 0 = orthogonal to all patches, 1 = no preference.
func response(w solve.Transform, clean [][]float64) float64 {
	z, x := make([]float64, w.K), make([]float64, w.N)
	coefficients, patches := 0.0, 0.0
	for _, c := range clean {
		copy(x, c)
		floats.AddConst(-floats.Sum(x)/float64(w.N), x)
		w.Analyze(z, x)
		coefficients += floats.Dot(z, z)
		patches += floats.Dot(x, x)
	}
	return coefficients / (patches * floats.Dot(w.W, w.W) / float64(w.N))
}

// filters draws the rows of a transform of patches, the strongest first.
func (sec *sectionBuilder) filters(title string, w solve.Transform) report.Picture {
	rows := make([][]float64, w.K)
	for i := range rows {
		rows[i] = w.Row(i)
	}
	slices.SortStableFunc(rows, func(a, b []float64) int { return cmp.Compare(floats.Norm(b, 2), floats.Norm(a, 2)) })
	return sec.check(report.Filters(title, rows, patchSide, 8))
}
