package denoise

import (
	"cmp"
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/internal/mask"
	"github.com/blorc-denoise/blorc-denoise/internal/noisemap"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// residual measures correlated noise in what its removal takes from windows of the image. The level of such noise says
// little about its strength at each brightness; the residual gives it, and with it a clamp for the change of samples.
// If the picture has a tone curve, the residual also gives the bias of the brightness, which is corrected.
type residual struct {
	noise   evenNoise
	remove  func(j job, img image) (model string, err error) // removes the noise and measures no residual
	quick   job                                              // for the windows
	invalid *mask.Mask                                       // samples of the image that are left out
	measure func(context.Context) (residualStats, error)     // runs once, at the first call that needs it
	all     goimage.Point                                    // the size of the image if all of it is one window, else 0
}

// residualStats are the measurements of the residual of an image.
type residualStats struct {
	noise []noisemap.Curve // of each plane; nil if there are too few valid samples
	dark  darkening        // nil if no tone curve is known
}

// newResidual returns the residual for noise in an image. All parts of the image get the same clamp and the same
// correction.
func (j job) newResidual(n evenNoise, remove func(job, image) (string, error), img image,
	invalid *mask.Mask) *residual {
	r := &residual{noise: n, remove: remove, invalid: invalid, quick: job{Options: Options{Models: j.Models,
		Quality: Fast, Workers: j.Workers}}}
	if j.correctsMean() {
		r.quick.file.tone = j.file.tone
	}
	areas := img.windowAreas()
	if len(areas) == 1 && areas[0].Size() == goimage.Pt(img.width, img.height) {
		r.all = areas[0].Size()
	}
	windows := img.windows(areas)
	r.measure = onceDone(func(ctx context.Context) (residualStats, error) {
		pictures, errs := make([]noisemap.Picture, len(windows)), make([]error, len(windows))
		// the windows run in parallel, since one is too small for many workers
		each := max(1, parallel.Workers(j.Workers)/max(1, len(windows)))
		err := parallel.For(ctx, j.Workers, len(windows), func(_, i int) {
			quick := r.quick
			quick.ctx, quick.Workers = ctx, each
			pictures[i], errs[i] = r.pictureOf(quick, windows[i].clone(), areas[i], img.width)
		})
		for _, e := range errs {
			err = cmp.Or(err, e)
		}
		if err != nil { // after a cancelled call, the next one measures again
			return residualStats{}, err
		}
		s := r.stats(ctx, pictures)
		if err := ctx.Err(); err != nil {
			return residualStats{}, err
		}
		windows = nil // nothing measures them again
		return s, nil
	})
	return r
}

// pictureOf removes the noise of a window, and returns it for the measurement of the residual.
func (r *residual) pictureOf(j job, window image, area goimage.Rectangle, width int) (noisemap.Picture, error) {
	noisy := clonePlanes(window.planes)
	if _, err := r.remove(j, window); err != nil {
		return noisemap.Picture{}, err
	}
	return r.picture(removal{noisy, window.planes}, area, width), nil
}

// picture returns an area of an image for the measurement of its noise.
func (r *residual) picture(d removal, area goimage.Rectangle, width int) noisemap.Picture {
	return noisemap.Picture{Noisy: d.noisy, Result: d.result, Width: area.Dx(), Height: area.Dy(),
		Left: leftOf(r.invalid, area, width)}
}

// leftOf returns which samples of an area of an image are left out, or nil for none.
func leftOf(invalid *mask.Mask, area goimage.Rectangle, width int) func(i int) bool {
	if invalid.Len() == 0 {
		return nil
	}
	return func(i int) bool { return invalid.Has((area.Min.Y+i/area.Dx())*width + area.Min.X + i%area.Dx()) }
}

// stats measures the residual of windows.
func (r *residual) stats(ctx context.Context, pictures []noisemap.Picture) (s residualStats) {
	for _, blocks := range noisemap.MeasurePlanes(ctx, pictures, r.quick.Workers) {
		c := noisemap.CurveOf(blocks)
		if len(c.Levels) == 0 {
			s.noise = nil
			break
		}
		s.noise = append(s.noise, c)
	}
	if r.quick.file.tone.Known() {
		var parts []removal
		for _, p := range pictures {
			parts = append(parts, removal{p.Noisy, p.Result})
		}
		s.dark = measureDarkening(parts, r.quick.file.tone)
	}
	return s
}

// isMeasured reports whether the removal from an image with the options of a job equals that of the measurement. Then
// one run serves both.
func (r *residual) isMeasured(img image, j job) bool {
	return j.Quality == Fast && j.Stride == 0 && j.tileSide == 0 && r.all == goimage.Pt(img.width, img.height)
}

// correctsMean reports whether the job corrects the bias of the brightness in camera noise. The model of a camera was
// trained on true means, so its results need no correction.
func (j job) correctsMean() bool {
	return !j.KeepMean && j.file.tone.Known() && !j.Models.forCamera()
}

// removeEven removes even noise, clamps the change of samples, and corrects the mean.
func (r *residual) removeEven(j job, img image) (string, error) {
	n := r.noise
	w, err := n.begin(j, img)
	if err != nil {
		return "", err
	}
	var s residualStats
	if r.isMeasured(img, j) {
		done, err := w.run(nil, true)
		if err != nil {
			return "", err
		}
		noisy := clonePlanes(done.noisy)
		area := goimage.Rect(0, 0, img.width, img.height)
		s = r.stats(j.ctx, []noisemap.Picture{r.picture(w.colours(done), area, img.width)})
		r.clamp(s).keepAll(noisy, img, j.Workers)
	} else {
		if s, err = r.measure(j.ctx); err != nil {
			return "", err
		}
		if _, err := w.run(r.clamp(s), false); err != nil {
			return "", err
		}
	}
	name := w.end()
	s.correctMean(j, img)
	return name, nil
}

// correct corrects the mean of a result. It needs the noisy planes only if isMeasured is true.
func (r *residual) correct(j job, noisy [][]float32, img image) (err error) {
	var s residualStats
	if r.isMeasured(img, j) {
		area := goimage.Rect(0, 0, img.width, img.height)
		s = r.stats(j.ctx, []noisemap.Picture{r.picture(removal{noisy, img.planes}, area, img.width)})
	} else if s, err = r.measure(j.ctx); err != nil {
		return err
	}
	s.correctMean(j, img)
	return nil
}

func (s residualStats) correctMean(j job, img image) {
	if s.dark != nil && !j.KeepMean {
		s.dark.brighten(img.planes, j.pool())
	}
}

// clamp returns the clamp from the residual, or nil if there was nothing to measure.
func (r *residual) clamp(s residualStats) *clamp {
	if s.noise == nil {
		return nil
	}
	return &clamp{noise: s.noise, lift: r.noise.pedestal}
}
