package denoise

import (
	"context"
	goimage "image"
	"slices"
	"sync"
)

// darkNoise is broad noise of a picture that a tone curve made. It has made the picture darker, which is put right when
// it is removed.
type darkNoise struct {
	broadNoise
	dark func() (darkening, error) // measured when it is first needed
	all  goimage.Point             // the size of the image if the darkening is measured over all of it, else 0
	file Options                   // models and tone curve with which it is measured
}

// withDarkening adds to broad noise of an image what is needed to measure the darkening, if the options want it. All
// parts of the image then get the same correction.
func (o Options) withDarkening(n broadNoise, img image) foundNoise {
	if o.KeepMean || !o.curve.Known() {
		return n
	}
	windows := img.windows()
	quick := Options{Models: o.Models, Quality: Fast, Workers: o.Workers, curve: o.curve}
	d := darkNoise{broadNoise: n, file: quick}
	if len(windows) == 1 && len(windows[0].planes[0]) == len(img.planes[0]) {
		d.all = goimage.Pt(img.width, img.height)
	}
	d.dark = sync.OnceValues(func() (darkening, error) {
		var parts []removed
		for _, w := range windows {
			noisy := copyPlanes(w.planes)
			if _, err := n.remove(context.Background(), w, quick); err != nil {
				return nil, err
			}
			parts = append(parts, removed{noisy, w.planes})
		}
		return measureDarkening(parts, quick.curve), nil
	})
	return d
}

// isMeasured reports whether what is removed from an image with some options is what the darkening is measured on. Then it need not be removed twice.
func (n darkNoise) isMeasured(img image, o Options) bool {
	return o.Quality == Fast && o.Stride == 0 && n.all == goimage.Pt(img.width, img.height)
}

// remove denoises with all strength, puts the mean right, and mixes the result with the input as the options say. It
// mixes last, because the correction is made for denoised samples.
func (n darkNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	if o.KeepMean {
		return n.broadNoise.remove(ctx, img, o)
	}
	measured, mixed := n.isMeasured(img, o), o.strength(0) < 1 || len(img.planes) == 3 && o.strength(1) < 1 || o.Grain > 0
	var input [][]float32
	if measured || mixed {
		input = copyPlanes(img.planes)
	}
	all := o
	all.Keep, all.KeepLuma, all.KeepChroma, all.Grain = 0, 0, 0, 0
	name, err := n.broadNoise.remove(ctx, img, all)
	if err != nil {
		return "", err
	}
	var dark darkening
	if measured {
		dark = measureDarkening([]removed{{input, img.planes}}, n.file.curve)
	} else if dark, err = n.dark(); err != nil {
		return "", err
	}
	dark.brighten(img.planes, o.Workers)
	if mixed {
		blendWithGrain(img, input, o)
	}
	return name, nil
}

// blendWithGrain mixes an image with its input, and gives grain back. It overwrites the input.
func blendWithGrain(img image, input [][]float32, o Options) {
	if len(img.planes) == 3 {
		decorrelate(img.planes, o.Workers)
		decorrelate(input, o.Workers)
		defer correlate(img.planes, o.Workers)
	}
	for i, in := range input {
		blendPlane(img.planes[i], in, o.strength(i), o.Workers)
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
