package denoise

import (
	goimage "image"
)

// Options say how to denoise. With the zero value, the package finds the noise in the image, and denoises at balanced
// quality with the shipped models on all processors.
//
// Reading the JSON form of Options gives the same Options again.
type Options struct {
	// Noise is the kind of noise. Auto finds it in the image.
	Noise Noise `json:"noise"`
	// Sigma is the standard deviation of white Gaussian noise in gray levels of 0-255, whatever the depth of the image.
	// For the kind Camera it is the level that models assume: two to three times the root mean square of such noise. 0
	// means that it is estimated.
	Sigma float64 `json:"sigma"`
	// Photons is the noise of a photon counter, for the kind Poisson only. The zero PhotonNoise means that it is
	// estimated.
	Photons PhotonNoise `json:"photons"`
	// Profile is noise that was measured before; nil means that there is none. It goes with the Noise Auto only.
	Profile *Profile `json:"profile,omitempty"`
	// Models denoise the planes; the zero value is the shipped default.
	Models ModelSet `json:"models"`
	// Quality chooses between time and quality.
	Quality Quality `json:"quality"`
	// Stride is the distance in pixels of neighbouring patches of local stages, 1 (best) to 8 (fastest). 0 leaves it to
	// Quality.
	Stride int `json:"stride"`
	// Keep is the share of the noise that stays: 0 gives the denoised image, 1 the input, values between a blend.
	Keep float64 `json:"keep"`
	// KeepLuma and KeepChroma are the same for the brightness and for the colours alone, on top of Keep. A gray image
	// has no chroma.
	KeepLuma   float64 `json:"keep_luma"`
	KeepChroma float64 `json:"keep_chroma"`
	// Grain is the share of the removed fine noise of the brightness that is added to the result, 0 to 1. Coarse noise
	// (blotches) stays removed.
	Grain float64 `json:"grain"`
	// Together denoises the pages of a file that show one scene together: frames, slices, repeated shots. Groups of
	// patches then hold patches of the pages before and after. Pages of the result are not independent of each other. A
	// single page is denoised as without it.
	Together bool `json:"together,omitempty"`
	// Wrap is for textures that repeat like tiles: what is beyond a side of the picture is what the other side has. So
	// the sides fit together after denoising as before. It does nothing for raw pictures and those that a damaged file
	// has in part.
	Wrap bool `json:"wrap,omitempty"`
	// Interlaced is for frames of interlaced video: the rows of even numbers and those of odd ones show two moments,
	// and are denoised each on their own. The same exceptions hold as for Wrap, with which it does not go.
	Interlaced bool `json:"interlaced,omitempty"`
	// RemoveHot removes hot and dead pixels, and other single samples far outside of the range of the picture. Without
	// it they stay as they are; measurements leave them out, and they do not influence the samples around them.
	RemoveHot bool `json:"remove_hot,omitempty"`
	// KeepInvalid leaves samples that are NaN or infinite as they are; they do not influence others. Without it they
	// are an error.
	KeepInvalid bool `json:"keep_invalid,omitempty"`
	// KeepMean turns off the correction of brightness. Camera noise before a tone curve makes pictures darker, and
	// clipping makes black lighter. Without KeepMean, this is corrected in photographs: noise of the kind Camera in
	// red, green and blue of 8 or 16 bits, unless the colour profile is linear, and in gray if the file is a JPEG or
	// Noise is Camera. Planes has no file, and corrects nothing.
	KeepMean bool `json:"keep_mean,omitempty"`
	// Crop, if it is not the zero Rectangle, is the part of the image that is denoised, in pixels from the upper left
	// corner of the upright image. The noise is measured on the whole image, and the samples of the crop get the values
	// that they have if all of it is denoised. Planes leaves the other samples as they are; all other functions return
	// the crop alone.
	Crop goimage.Rectangle `json:"crop,omitzero"`
	// Workers is the number of goroutines; 0 means one for each processor. The result does not depend on it.
	Workers int `json:"workers"`

	// Progress, if it is not nil, is called with the share of the work that is done, from 0 to 1: up to a hundred times
	// for each page, from any goroutine, and never twice at the same time. The shares are estimates: the last may be a
	// little less than 1, and there is none if there is nothing to do. The result does not depend on it.
	Progress func(share float64) `json:"-"`
}

// withModels adds what the models tell about the noise: those for the noise of a camera are for no other.
func (o Options) withModels() Options {
	if o.Noise == Auto && o.Models.forCamera() {
		o.Noise = Camera
	}
	return o
}

// patchSide is the side of the patches in samples, and of the smallest plane for stages that need whole ones.
const patchSide = 8

// maxStride is the largest stride: with a larger one, pixels between patches would not be covered.
const maxStride = patchSide

// maxWorkers bounds the memory, of which each worker takes some.
const maxWorkers = 1024

// Check reports what is wrong with the options. The error is of the kind ErrArgument.
func (o Options) Check() error {
	switch {
	case o.Noise < Auto || o.Noise > Curve:
		return badArgument("no noise is of kind %d", int(o.Noise))
	case o.Quality.check() != nil:
		return o.Quality.check()
	case !(o.Sigma >= 0 && o.Sigma <= 1e6):
		return badArgument("sigma %g is out of range", o.Sigma)
	case o.Sigma > 0 && (o.Noise == Poisson || o.Noise == None || o.Noise == Curve):
		return badArgument("sigma is for white noise and that of cameras; photon noise follows from the gain")
	case !isShare(o.Keep) || !isShare(o.KeepLuma) || !isShare(o.KeepChroma):
		return badArgument("the shares of the noise to keep must be between 0 and 1")
	case !isShare(o.Grain):
		return badArgument("the share of the fine noise to give back must be between 0 and 1")
	case o.Crop != (goimage.Rectangle{}) && (o.Crop.Empty() || o.Crop.Min.X < 0 || o.Crop.Min.Y < 0):
		return badArgument("the crop %v is empty or begins outside of the image", o.Crop)
	case o.Together && o.Quality == Fast:
		return badArgument("pages are denoised together in passes, and there are none at the quality fast: " +
			"take balanced or best")
	case o.Interlaced && (o.Wrap || o.Together):
		return badArgument("the fields of interlaced frames are denoised each on their own: neither wrapped nor " +
			"together")
	case o.Stride < 0 || o.Stride > maxStride:
		return badArgument("stride must be between 1 and %d", maxStride)
	case o.Workers < 0:
		return badArgument("the number of workers must not be negative")
	case o.Workers > maxWorkers:
		return badArgument("%d workers are more than %d", o.Workers, maxWorkers)
	}
	if err := o.Models.checkNoise(o.Noise); err != nil {
		return err
	}
	if err := o.checkProfile(); err != nil {
		return err
	}
	if o.Noise == Poisson && o.Photons != (PhotonNoise{}) {
		return o.Photons.check()
	}
	if o.Photons != (PhotonNoise{}) {
		return badArgument("gain, offset and read noise need noise of the kind poisson")
	}
	return nil
}

// strength returns the share of the denoised plane i in the result: 0 is the gray plane or the luma, others are chroma.
func (o Options) strength(i int) float32 {
	keep := o.KeepLuma
	if i > 0 {
		keep = o.KeepChroma
	}
	return float32((1 - o.Keep) * (1 - keep))
}

// keepsAll reports whether the result is the input, whatever the noise.
func (o Options) keepsAll(planes int) bool {
	return o.strength(0) == 0 && (planes == 1 || o.strength(1) == 0)
}

func isShare(v float64) bool { return v >= 0 && v <= 1 }

// part returns the options for part i of n equal ones, whose progress is a share of the whole.
func (o Options) part(i, n int) Options {
	if whole := o.Progress; whole != nil {
		o.Progress = func(share float64) { whole((float64(i) + share) / float64(n)) }
	}
	return o
}

// checkProfile reports a profile that is wrong, or does not go with the other options.
func (o Options) checkProfile() error {
	switch {
	case o.Profile == nil && o.Noise == Curve:
		return badArgument("noise of the kind curve needs a profile")
	case o.Profile == nil:
		return nil
	case o.Models.forCamera():
		return badArgument("the model %s is for the noise of cameras, not for a noise profile", o.Models)
	case o.Noise != Auto || o.Sigma != 0 || o.Photons != (PhotonNoise{}):
		return badArgument("a noise profile says all of the noise: it goes with no other kind, sigma or gain")
	}
	if err := o.Profile.Check(); err != nil {
		return badArgument("noise profile: %v", err)
	}
	return nil
}
