package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Denoiser removes white Gaussian noise from gray planes.
type Denoiser interface {
	// Name returns a short name in lower case, as ByName takes it.
	Name() string
	// Denoise returns the restored plane, which has the size of noisy. It leaves noisy unchanged. The samples are on a
	// scale of 0 to 1; sigma > 0 is the standard deviation of the noise on the same scale. workers is the number of
	// goroutines; 0 = one for each processor. The error is of kind ErrArgument, or the error of the context.
	Denoise(ctx context.Context, noisy patchify.Plane, sigma float64, workers int) (patchify.Plane, error)
}

// Kinds of errors, for errors.Is.
var (
	ErrUnknown  = errors.New("unknown baseline") // no denoiser has the name
	ErrArgument = errors.New("bad argument")     // a plane, sigma or parameter that no denoiser can work with
)

// All returns all denoisers with their default parameters. The best known comes first.
func All() []Denoiser { return []Denoiser{BM3D{}, AnalysisKSVD{}, TV{}, DCT{}} }

// ByName returns the denoiser with the given name and its default parameters. The error is of kind ErrUnknown and lists
// the names that exist.
func ByName(name string) (Denoiser, error) {
	var names []string
	for _, d := range All() {
		if d.Name() == name {
			return d, nil
		}
		names = append(names, d.Name())
	}
	return nil, fmt.Errorf("%w %q: there are %s", ErrUnknown, name, strings.Join(names, ", "))
}

// check returns an error of kind ErrArgument unless the plane has at least one sample, as many as its size says, all
// finite, and sigma is positive and finite.
func check(p patchify.Plane, sigma float64) error {
	if !(sigma > 0) || math.IsInf(sigma, 0) {
		return fmt.Errorf("%w: sigma %g is not positive and finite", ErrArgument, sigma)
	}
	if p.Width < 1 || p.Height < 1 {
		return fmt.Errorf("%w: plane of %d x %d samples", ErrArgument, p.Width, p.Height)
	}
	if n := len(p.Pix); n%p.Width != 0 || n/p.Width != p.Height { // the product could overflow
		return fmt.Errorf("%w: plane of %d x %d has %d samples", ErrArgument, p.Width, p.Height, n)
	}
	for i, v := range p.Pix {
		if v-v != 0 { // NaN and Inf both give NaN
			return fmt.Errorf("%w: sample %d, %d is %g", ErrArgument, i%p.Width, i/p.Width, v)
		}
	}
	return nil
}
