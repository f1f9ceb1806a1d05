package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/model"
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
	steps := s.count(signalSteps, 40)
	sh.Size = fmt.Sprintf("%d steps of %d (paper: %d)", steps, signalBatch, signalSteps)
	t := report.Table{Head: []string{"stripes", "noisy", "learned, patches", "energy along the stripes, all filters", "energy along the stripes, where training began"}}
	for _, c := range []struct {
		name   string
		dx, dy int // the direction in which the image is constant
	}{{"vertical", 0, 1}, {"diagonal", 1, 1}} {
		image := stripedImage(c.dx, c.dy)
		train := patchPairs(image, signalSigma, s.Seed)
		// The DCT without its mean, as the identity stays near single pixels.
		start := model.DCTBasis(patchSide).Scale(0.05)
		l := Learning{Start: start, Adam: true, Rate: 1e-3, Steps: steps, Batch: signalBatch, Seed: s.Seed, Workers: s.Workers}
		w, _, err := l.Run(ctx, train, train)
		if err != nil {
			return err
		}
		identity := l
		identity.Start = model.Identity(patchSide*patchSide, 0.05)
		wi, _, err := identity.Run(ctx, train, train)
		if err != nil {
			return err
		}
		t.Add(c.name, number(PSNR(train.Clean, train.Noisy)), number(PSNR(train.Clean, Denoise(w, train.Noisy, s.Workers))),
			number(alongShare(w, c.dx, c.dy)), number(alongShare(start, c.dx, c.dy)))
		t.Add(c.name+", from the identity", number(PSNR(train.Clean, train.Noisy)), number(PSNR(train.Clean, Denoise(wi, train.Noisy, s.Workers))),
			number(alongShare(wi, c.dx, c.dy)), number(alongShare(identity.Start, c.dx, c.dy)))
		sh.figure(c.name+" stripes: the clean image, and the learned filters, the strongest first.", sh.check(report.Gray("training image", image.Pix, image.Width, image.Height)),
			sh.filters("filters, from the DCT", w), sh.filters("filters, from the identity times 0.05", wi))
	}
	sh.table(t)
	sh.say("Stripes are three cosines of random-looking periods across one direction. A filter w that should be zero on them has its variation along the stripes: the energy column is the share of the squared " +
		"differences of neighbouring elements that are taken along the stripes, weighted by the norms of the filters (0.5 = no direction, 1 = only along).")
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

// alongShare is the share of squared differences of neighbours along (dx, dy) against those and the ones across.
func alongShare(w model.Transform, dx, dy int) float64 {
	along, across := 0.0, 0.0
	for i := range w.K {
		row := w.Row(i)
		at := func(x, y int) (float64, bool) {
			if x < 0 || y < 0 || x >= patchSide || y >= patchSide {
				return 0, false
			}
			return row[y*patchSide+x], true
		}
		for y := range patchSide {
			for x := range patchSide {
				v, _ := at(x, y)
				if u, ok := at(x+dx, y+dy); ok {
					along += (u - v) * (u - v)
				}
				if u, ok := at(x+dy, y-dx); ok {
					across += (u - v) * (u - v)
				}
			}
		}
	}
	return along / (along + across)
}

// filters draws the rows of a transform of patches, the strongest first.
func (sh *sheet) filters(title string, w model.Transform) report.Picture {
	rows := make([][]float64, w.K)
	for i := range rows {
		rows[i] = w.Row(i)
	}
	slices.SortStableFunc(rows, func(a, b []float64) int { return cmp.Compare(floats.Norm(b, 2), floats.Norm(a, 2)) })
	return sh.check(report.Filters(title, rows, patchSide, 8))
}
