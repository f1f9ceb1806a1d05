package denoise

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/burst"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Several shots of one scene become one picture: their mean, which has less noise. The rest of the noise is removed as
// in any picture. Where something moved, only the first shot counts, and the result is as if there were no other shot.

// Burst is Decoded for the first of several shots of one scene, and shot(0) to shot(others-1), which have its size and
// as many planes. Burst replaces img by the result, which has less noise than any shot. The result keeps alpha, extra
// planes and metadata of the first shot. Burst also returns the share of each other shot that took part: 0 if the shot
// shows something else, 1 if nothing moved. A shot that does not fit the first is an ErrShots. Options with a Crop, or
// with a Profile of pictures that are no raw ones, are an ErrArgument.
func Burst(ctx context.Context, img *imageio.Image, others int, shot func(i int) (*imageio.Image, error),
	o FileOptions) (r Result, shares []float64, err error) {
	defer crash.Catch(&err)
	if err := o.check(ctx); err != nil {
		return Result{}, nil, err
	}
	if err := checkImage(img); err != nil {
		return Result{}, nil, err
	}
	size := bounds(img).Size()
	if img.Mosaic != nil {
		size = img.Mosaic.Active.Size()
	}
	switch {
	case !o.Crop.Empty() || o.Profile != nil && img.Mosaic == nil:
		return Result{}, nil, badArgument("a crop and a profile do not go with several shots")
	case min(size.X, size.Y) < burst.Least:
		return Result{}, nil, badArgument("an image of %d x %d is too small for several shots", size.X, size.Y)
	}
	if img.Mosaic != nil {
		return o.burstOfMosaics(ctx, img, others, shot)
	}
	sum := burst.NewMean(o.planesOf(ctx, img), 0, o.Workers)
	for i := range others {
		next, err := o.nextShot(img, i, shot)
		if err != nil {
			return Result{}, nil, err
		}
		share, err := sum.Add(ctx, o.planesOf(ctx, next))
		if err != nil {
			return Result{}, nil, err
		}
		shares = append(shares, share)
		if o.Progress != nil {
			o.Progress(float64(i+1) / float64(others+2))
		}
	}
	planes, noise := sum.Result()
	alone := *img
	alone.Planes = clonePlanes(img.Planes)
	for i, p := range planes {
		copy(img.Planes[i], p.Pix)
	}
	if len(img.Planes) == 3 {
		correlate(img.Planes, pool{ctx, o.Workers})
	}
	analysis, err := Analyse(ctx, &alone, o)
	if err != nil {
		return Result{}, nil, err
	}
	r = analysis.Result()
	after := o.afterMean(r, noise)
	after.Options = after.part(others, others+2)
	done, err := Decoded(ctx, img, after)
	if err != nil {
		return Result{}, nil, err
	}
	r.Model, r.Shots = done.Model, others+1
	if tone := o.jobFor(ctx, img).file.tone; r.Noise == Camera && !o.KeepMean && tone.Known() {
		measureDarkening([]removal{{alone.Planes, img.Planes}}, tone).brighten(img.Planes, pool{ctx, o.Workers})
	}
	o.Options = o.part(others+1, others+2)
	return r, shares, o.mixAlone(ctx, img, &alone, noise, others+1)
}

// burstOfMosaics is Burst for raw pictures.
func (o FileOptions) burstOfMosaics(ctx context.Context, img *imageio.Image, others int,
	shot func(i int) (*imageio.Image, error)) (Result, []float64, error) {
	j, full, err := o.forImage(ctx, img)
	if err != nil {
		return Result{}, nil, err
	}
	if img.Mosaic.Gray {
		return Result{}, nil, unsupportedMosaic("made of several shots without colours")
	}
	first := img.Mosaic
	j.shots = &mosaicShots{count: others, next: func(i int) (*imageio.Image, error) {
		next, err := o.nextShot(img, i, shot)
		if err == nil && (next.Mosaic == nil || next.Mosaic.Active != first.Active ||
			next.Mosaic.Colours != first.Colours) {
			err = shotError(o.shotName(i), "its mosaic is another one than that of the first shot")
		}
		return next, err
	}}
	r, err := j.denoiseMosaic(img)
	if r.Model != "" {
		r.Shots = others + 1
	}
	return r.inFile(full), j.shots.shares, err
}

// nextShot returns a shot that fits the first.
func (o FileOptions) nextShot(first *imageio.Image, i int,
	shot func(i int) (*imageio.Image, error)) (*imageio.Image, error) {
	next, err := shot(i)
	if err != nil {
		return nil, err
	}
	if err := checkImage(next); err != nil {
		return nil, err
	}
	if next.Width != first.Width || next.Height != first.Height || len(next.Planes) != len(first.Planes) {
		return nil, shotError(o.shotName(i), "%d x %d pixels in %d colours, but the first shot has %d x %d in %d",
			next.Width, next.Height, len(next.Planes), first.Width, first.Height, len(first.Planes))
	}
	return next, nil
}

func (o FileOptions) shotName(i int) string {
	if i < len(o.Shots) {
		return o.Shots[i]
	}
	return fmt.Sprintf("shot %d", i+2)
}

func shotError(name, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", name, ErrShots, fmt.Sprintf(format, args...))
}

// decoded is Decoded for a page of a file, together with the other shots of its scene if there are some.
func (o FileOptions) decoded(ctx context.Context, img *imageio.Image, pages int) (Result, error) {
	if len(o.Shots) == 0 {
		return Decoded(ctx, img, o)
	}
	if pages > 1 {
		return Result{}, badArgument("a file of %d pages is not one of several shots", pages)
	}
	r, shares, err := Burst(ctx, img, len(o.Shots), func(i int) (*imageio.Image,
		error) {
		return readShot(o.Shots[i], o.Read)
	}, o)
	for i, share := range shares {
		if share < burst.LeastTaken {
			img.Warnings = append(img.Warnings, fmt.Sprintf("%s shows something else: %.0f %% of it took part",
				o.Shots[i], 100*share))
		}
	}
	return r, err
}

func readShot(path string, o imageio.ReadOptions) (*imageio.Image, error) {
	r, err := imageio.Open(path, o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	img, err := r.Page(0)
	if err == nil && r.Pages() > 1 {
		err = fmt.Errorf("%w: it has %d pages", ErrShots, r.Pages())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return img, nil
}

// planesOf returns copies of the planes of an image: of colours luma and chroma.
func (o FileOptions) planesOf(ctx context.Context, img *imageio.Image) (planes []patchify.Plane) {
	all := clonePlanes(img.Planes)
	if len(all) == 3 {
		decorrelate(all, pool{ctx, o.Workers})
	}
	for _, p := range all {
		planes = append(planes, patchify.Plane{Width: img.Width, Height: img.Height, Pix: p})
	}
	return planes
}

// afterMean returns the options for a mean of shots whose noise is known. Left is the share of its variance that is
// left in each sample.
func (o FileOptions) afterMean(r Result, left patchify.Plane) FileOptions {
	sum := 0.0
	for _, v := range left.Pix {
		sum += float64(v)
	}
	share := sum / float64(len(left.Pix))
	o.KeepMean = true // else only the bias of the noise that is left would be corrected
	o.Noise, o.Sigma, o.Photons = r.Noise, r.Sigma*math.Sqrt(share), PhotonNoise{}
	switch {
	case r.Noise == Camera:
		o.Sigma *= burst.LeftOfCamera
	case r.Noise == Curve, r.Channels != [3]PhotonNoise{}: // options cannot specify it
		o.Noise = Auto
	case r.Noise == Poisson:
		o.Photons = PhotonNoise{Gain: r.Photons.Gain * share, Offset: r.Photons.Offset,
			ReadNoise: r.Photons.ReadNoise * math.Sqrt(share)}
	}
	return o
}

// mixAlone mixes in the denoised first shot where fewer shots took part.
func (o FileOptions) mixAlone(ctx context.Context, img, alone *imageio.Image, noise patchify.Plane, shots int) error {
	share := burst.Alone(noise, shots)
	if slices.Max(share.Pix) == 0 {
		return ctx.Err()
	}
	if _, err := Decoded(ctx, alone, o); err != nil {
		return err
	}
	for i, p := range img.Planes {
		other := alone.Planes[i]
		for j, s := range share.Pix {
			p[j] += s * (other[j] - p[j])
		}
	}
	return ctx.Err()
}
