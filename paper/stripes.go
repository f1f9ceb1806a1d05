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

const (
	patchSide    = 8
	stripeImage  = 256
	stripeStride = 7 // as in the paper: nearly no overlap
)

// stripes is fig:imagestrips.
func stripes(ctx context.Context, s Setting, sh *sheet) error {
	steps := s.count(signalSteps, 10)
	sh.Size = fmt.Sprintf("%d steps of %d (paper: %d)", steps, signalBatch, signalSteps)
	t := report.Table{Caption: "PSNR in dB of patches with noise of sigma 0.1, peak 1", Head: []string{"stripes", "noisy", "learned", "response of the filters to the stripes", "response where training began"}}
	var curves []report.Series
	curve := func(name string, c Curve) report.Series { return report.Series{Name: name, X: c.Step, Y: c.Training} }
	for _, c := range []struct {
		name   string
		dx, dy int // the direction in which the image is constant
	}{{"vertical", 0, 1}, {"diagonal", 1, 1}} {
		image := stripedImage(c.dx, c.dy)
		train := patchPairs(image, signalSigma, s.Seed)
		// The DCT without its mean, as the identity stays near single pixels.
		start := solve.DCTBasis(patchSide).Scale(0.05)
		l := Learning{Start: start, Adam: true, Rate: 1e-3, Steps: steps, Batch: signalBatch, Seed: s.Seed, Workers: s.Workers}
		pairs := split{train: train, validation: train} // as in the paper the training patches are what is shown
		r, err := learn(ctx, sh, c.name, l, pairs)
		if err != nil {
			return err
		}
		identity := l
		identity.Start = solve.Identity(patchSide*patchSide, 0.05)
		ri, err := learn(ctx, sh, c.name+" from the identity", identity, pairs)
		if err != nil {
			return err
		}
		t.Add(c.name, number(PSNR(train.Clean, train.Noisy)), number(PSNR(train.Clean, Denoise(r.W, train.Noisy, s.Workers))),
			number(response(r.W, train.Clean)), number(response(start, train.Clean)))
		t.Add(c.name+", from the identity", number(PSNR(train.Clean, train.Noisy)), number(PSNR(train.Clean, Denoise(ri.W, train.Noisy, s.Workers))),
			number(response(ri.W, train.Clean)), number(response(identity.Start, train.Clean)))
		curves = append(curves, curve(c.name, r.Curve), curve(c.name+", from the identity", ri.Curve))
		sh.figure(c.name+" stripes: the clean image, and the learned filters, the strongest first.", sh.check(report.Gray("training image", image.Pix, image.Width, image.Height)),
			sh.filters("filters, from the DCT", r.W), sh.filters("filters, from the identity times 0.05", ri.W))
	}
	sh.table(t)
	sh.figure("The loss on the training patches while training runs.", sh.lines(report.Axes{Title: "loss 1/2 ||x* - x||²", X: "step", Y: "loss", LogY: true}, curves...))
	sh.say("Stripes are the sum of three cosines across one direction. The paper says that the filters look orthogonal to the images. Here that is a number: the energy of the filters' responses to the " +
		"clean patches, without their means, against that of filters in random directions (0 = orthogonal, 1 = no preference). PSNR is that of the training patches, before they would be averaged.")
	return nil
}

// stripedImage is constant along (dx, dy).
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

// patchPairs cuts an image and the same with noise into patches.
func patchPairs(image patchify.Plane, sigma float64, seed uint64) Pairs {
	noisy := patchify.NewPlane(image.Width, image.Height)
	noise.AddGaussian(noisy.Pix, image.Pix, sigma, noise.Source(seed, "stripes"))
	g, err := patchify.NewGrid(image.Width, image.Height, patchSide, stripeStride)
	if err != nil {
		panic(err) // the image is larger than a patch
	}
	var p Pairs
	patch := make([]float32, patchSide*patchSide)
	cut := func(plane patchify.Plane, x, y int) []float64 {
		patchify.Extract(patch, plane, x, y, patchSide)
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

// response is the energy of the coefficients of clean patches without their means, relative to that of filters in random
// directions: 0 = orthogonal to all patches, 1 = no preference.
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
func (sh *sheet) filters(title string, w solve.Transform) report.Picture {
	rows := make([][]float64, w.K)
	for i := range rows {
		rows[i] = w.Row(i)
	}
	slices.SortStableFunc(rows, func(a, b []float64) int { return cmp.Compare(floats.Norm(b, 2), floats.Norm(a, 2)) })
	return sh.check(report.Filters(title, rows, patchSide, 8))
}
