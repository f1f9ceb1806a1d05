package denoise

import (
	"cmp"
	"context"
	goimage "image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/mask"
	"github.com/blorc-denoise/blorc-denoise/internal/noisemap"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// seenNoise is noise of an image whose strength only its removal tells: that of cameras, film and scans. What is
// removed from windows says how strong it is at each brightness. That bounds how far samples move. If a tone curve
// made the picture, it also tells by how much the noise has made it darker, which is put right.
type seenNoise struct {
	broadNoise
	seen func(context.Context) (sight, error) // measured when it is first needed
	all  goimage.Point                        // the size of the image if all of it is one window, else 0
	file Options                              // models, tone curve and mask with which it is measured
}

// sight is what the removal of noise tells.
type sight struct {
	noise []noisemap.Curve // of each plane; nil if too few samples carry a picture
	dark  darkening        // nil if no tone curve is known
}

// bySight returns noise of an image together with what its removal tells. All parts of the image then get the same
// bounds and the same correction.
func (o Options) bySight(found broadNoise, img image) foundNoise {
	quick := Options{Models: o.Models, Quality: Fast, Workers: o.Workers, empty: o.empty}
	n := seenNoise{broadNoise: found, file: quick}
	if !o.KeepMean {
		n.file.curve = o.curve
	}
	areas := img.windowAreas()
	if len(areas) == 1 && areas[0].Size() == goimage.Pt(img.width, img.height) {
		n.all = areas[0].Size()
	}
	windows := img.windows(areas)
	n.seen = onceDone(func(ctx context.Context) (sight, error) {
		pictures, errs := make([]noisemap.Picture, len(windows)), make([]error, len(windows))
		each := max(1, parallel.Workers(o.Workers)/max(1, len(windows))) // many windows are too small to be shared
		err := parallel.For(ctx, o.Workers, len(windows), func(_, i int) {
			quick := n.file
			quick.Workers = each
			quick.bound = n.looking(func(noisy, result [][]float32) []noisemap.Curve {
				pictures[i] = n.file.pictureOf(noisy, result, areas[i], img.width)
				return nil
			})
			_, errs[i] = found.remove(ctx, windows[i].clone(), quick)
		})
		for _, e := range errs {
			err = cmp.Or(err, e)
		}
		if err != nil { // it may end, and be called again
			return sight{}, err
		}
		// nothing was removed from some windows
		seen := slices.DeleteFunc(pictures, func(p noisemap.Picture) bool { return p.Noisy == nil })
		return n.sightOf(ctx, seen), ctx.Err()
	})
	return n
}

// looking returns a bound that begins with a look.
func (n seenNoise) looking(look func(noisy, result [][]float32) []noisemap.Curve) *bound {
	return &bound{lift: n.pedestal, look: look}
}

// pictureOf returns an area of an image for the measurement of its noise.
func (o Options) pictureOf(noisy, result [][]float32, area goimage.Rectangle, width int) noisemap.Picture {
	return noisemap.Picture{
		Noisy: noisy, Result: result, Width: area.Dx(), Height: area.Dy(), Left: leftOf(o.empty, area, width),
	}
}

// leftOf returns which samples of an area of an image are left out, or nil for none.
func leftOf(empty *mask.Mask, area goimage.Rectangle, width int) func(i int) bool {
	if empty.Len() == 0 {
		return nil
	}
	return func(i int) bool { return empty.Has((area.Min.Y+i/area.Dx())*width + area.Min.X + i%area.Dx()) }
}

// sightOf measures what was removed from windows.
func (n seenNoise) sightOf(ctx context.Context, pictures []noisemap.Picture) (s sight) {
	for _, blocks := range noisemap.MeasurePlanes(ctx, pictures, n.file.Workers) {
		c := noisemap.CurveOf(blocks)
		if len(c.Levels) == 0 {
			s.noise = nil
			break
		}
		s.noise = append(s.noise, c)
	}
	if n.file.curve.Known() {
		var parts []removed
		for _, p := range pictures {
			parts = append(parts, removed{p.Noisy, p.Result})
		}
		s.dark = measureDarkening(parts, n.file.curve)
	}
	return s
}

// isMeasured reports whether what is removed from an image with some options is what tells the noise. Then it need
// not be removed twice.
func (n seenNoise) isMeasured(img image, o Options) bool {
	return o.Quality == Fast && o.Stride == 0 && o.tileSide == 0 && n.all == goimage.Pt(img.width, img.height)
}

// remove denoises with all strength, puts the mean right, and mixes the result with the input as the options say. It
// mixes last, because the correction is made for denoised samples.
func (n seenNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	mixed := o.strength(0) < 1 || len(img.planes) == 3 && o.strength(1) < 1 || o.Grain > 0
	var input [][]float32
	if mixed {
		input = copyPlanes(img.planes)
	}
	all := o
	all.Keep, all.KeepLuma, all.KeepChroma, all.Grain = 0, 0, 0, 0
	var s sight
	if n.isMeasured(img, o) {
		all.bound = n.looking(func(noisy, result [][]float32) []noisemap.Curve {
			whole := goimage.Rect(0, 0, img.width, img.height)
			s = n.sightOf(ctx, []noisemap.Picture{n.file.pictureOf(noisy, result, whole, img.width)})
			return s.noise
		})
	} else {
		var err error
		if s, err = n.seen(ctx); err != nil {
			return "", err
		}
		all.bound = &bound{noise: s.noise, lift: n.pedestal}
	}
	name, err := n.broadNoise.remove(ctx, img, all)
	if err != nil {
		return "", err
	}
	if s.dark != nil && !o.KeepMean {
		s.dark.brighten(img.planes, o.crew(ctx))
	}
	if mixed {
		blendWithGrain(img, input, o, o.crew(ctx))
	}
	return name, nil
}

func (n seenNoise) ofWhole(image, Options) foundNoise { return n }

// blendWithGrain mixes an image with its input, and gives grain back. It overwrites the input.
func blendWithGrain(img image, input [][]float32, o Options, by crew) {
	if len(img.planes) == 3 {
		decorrelate(img.planes, by)
		decorrelate(input, by)
		defer correlate(img.planes, by)
	}
	for i, in := range input {
		blendPlane(img.planes[i], in, o.strength(i), by)
	}
	if o.Grain > 0 {
		giveGrainBack(img.planes[0], input[0], img.width, o)
	}
}

func copyPlanes(planes [][]float32) [][]float32 {
	copies := make([][]float32, len(planes))
	for i, p := range planes {
		copies[i] = slices.Clone(p)
	}
	return copies
}
