package denoise

import (
	"fmt"
	"math"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// warnOfOffset warns of an offset above all samples, such as one for files of another depth.
func (o Options) warnOfOffset(img *imageio.Image, full float64) []string {
	if o.Noise != Poisson || o.Photons.Gain == 0 || o.Photons.ReadNoise > 0 {
		return nil
	}
	most := float32(math.Inf(-1))
	for _, p := range img.Planes {
		for _, v := range p {
			if v > most { // which NaN is not
				most = v
			}
		}
	}
	if float64(most)*full >= o.Photons.Offset {
		return nil
	}
	return []string{fmt.Sprintf("all samples are below the offset, %g: without read noise there is no light in them",
		o.Photons.Offset)}
}

// warnOfKind warns of photon noise that was asked for and does not fit.
func (o Options) warnOfKind(r Result) []string {
	if o.Noise != Poisson || r.Noise == Poisson || r.Noise == None {
		return nil
	}
	kind, _, _ := strings.Cut(r.noise(), ",")
	return []string{"photon noise, as given, does not fit the picture; taken instead: " + kind}
}

// warnOfWhite warns of a given level that is larger than the range of the samples, and of floats whose full scale seems
// to be another one, as of samples of 0 to 255 without ReadOptions.White. A given noise level is far too low for them.
// A level that is found suits samples of any range. Light brighter than white is usual in pictures of a high dynamic
// range, but it is the smaller part of them.
func (o Options) warnOfWhite(img *imageio.Image, full float64) []string {
	most := img.Depth.Max()
	if o.Sigma == 0 || most > 0 && most <= 255 { // 8 bits have no such doubt
		return nil
	}
	if span, _ := dynamicRange(img.Planes); span > 0 && span < o.Sigma/255 {
		return []string{fmt.Sprintf("nearly all samples lie within %s, less than the given sigma, %s: it is meant "+
			"for another range", short(span*full), short(o.Sigma*full/255))}
	}
	if most > 0 {
		return nil
	}
	sample := someSamples(img.Planes)
	if len(sample) == 0 || sample[len(sample)/2] <= 1 {
		return nil
	}
	return []string{fmt.Sprintf("samples reach %.4g, but %g counts as white, and the given sigma as a share of it",
		float64(sample[len(sample)-1])*full, full)}
}
