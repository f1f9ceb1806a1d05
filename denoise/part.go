package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Analysis is the noise of a whole image. With it, a part of the image is denoised as it is within the whole.
type Analysis struct {
	noise  []foundNoise // of all planes together, or of each ink
	inks   bool         // the planes are denoised one by one
	result Result
	o      FileOptions
}

// Analyse measures the noise of an image that package imageio has read, or takes it from the options. It changes nothing.
func Analyse(ctx context.Context, img *imageio.Image, o FileOptions) (*Analysis, error) {
	if img == nil {
		return nil, badArgument("no image")
	}
	if err := o.check(ctx); err != nil {
		return nil, err
	}
	full := FullScale(img, o.Read.White)
	run := o.withSteps(img)
	run.Photons = run.Photons.Over(full)
	a := &Analysis{inks: len(img.Planes) == 4, o: o}
	for _, planes := range a.groups(img.Planes) {
		if err := checkPlanes(ctx, planes, img.Width, img.Height); err != nil {
			return nil, err
		}
		part := image{planes, img.Width, img.Height}
		n := run.measure(part)
		if e, ok := n.(evenedNoise); ok {
			n = e.of(planes)
		}
		a.noise = append(a.noise, n)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	a.result = a.noise[0].result().over(1 / full)
	return a, nil
}

// groups returns the planes that are denoised together.
func (a *Analysis) groups(planes [][]float32) [][][]float32 {
	if !a.inks {
		return [][][]float32{planes}
	}
	var each [][][]float32
	for i := range planes {
		each = append(each, planes[i:i+1])
	}
	return each
}

// Result returns the noise, without the name of a model.
func (a *Analysis) Result() Result { return a.result }

// Part returns the denoised samples of an area of the image that was analysed. The options say how, but the noise is that of the
// analysis. Models look at samples up to margin around the area; with a margin of 0, as far as they would in the whole image.
// Then the samples equal those that Decoded gives. A smaller margin takes less time, and may change samples a little.
func (a *Analysis) Part(ctx context.Context, img *imageio.Image, area goimage.Rectangle, margin int, o Options) (*imageio.Image, error) {
	if img == nil {
		return nil, badArgument("no image")
	}
	o.Noise, o.Sigma, o.Photons, o.Profile = a.o.Noise, a.o.Sigma, a.o.Photons, a.o.Profile
	switch bounds := goimage.Rect(0, 0, img.Width, img.Height); {
	case ctx == nil:
		return nil, badArgument("no context")
	case area.Empty() || !area.In(bounds):
		return nil, badArgument("the area %v is no part of an image of %d x %d", area, img.Width, img.Height)
	case margin < 0:
		return nil, badArgument("margin %d is negative", margin)
	case len(a.groups(img.Planes)) != len(a.noise):
		return nil, badArgument("the analysis is of another image")
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	out := *img
	out.Width, out.Height, out.Planes, out.Alpha = area.Dx(), area.Dy(), nil, nil
	for i, planes := range a.groups(img.Planes) {
		done, err := denoisePart(ctx, a.noise[i], image{planes, img.Width, img.Height}, area, margin, o.part(i, len(a.noise)))
		if err != nil {
			return nil, err
		}
		out.Planes = append(out.Planes, done...)
	}
	if img.Alpha != nil {
		out.Alpha = cut(image{[][]float32{img.Alpha}, img.Width, img.Height}, area).planes[0]
	}
	return &out, nil
}

func denoisePart(ctx context.Context, n foundNoise, img image, area goimage.Rectangle, margin int, o Options) ([][]float32, error) {
	if _, none := n.(noNoise); none || o.keepsAll(len(img.planes)) {
		return cut(img, area).planes, nil
	}
	m, err := n.margins(len(img.planes), o)
	if err != nil {
		return nil, err
	}
	bounds := goimage.Rect(0, 0, img.width, img.height)
	seen := area.Inset(-grainReach).Intersect(bounds)
	if margin > 0 && (m.whole || margin < m.after) {
		m = margins{align: min(m.align, previewAlign), after: margin}
	}
	wide := m.around(seen, img.width, img.height)
	window := cut(img, wide)
	if _, err := n.remove(ctx, window, o); err != nil {
		return nil, err
	}
	return cut(window, area.Sub(wide.Min)).planes, nil
}

// previewAlign is the alignment of parts with a smaller margin than models need. It keeps the patches of local stages where they
// are in the whole image at most strides.
const previewAlign = 48

// cut returns a copy of a part of the image.
func cut(img image, area goimage.Rectangle) image {
	out := image{nil, area.Dx(), area.Dy()}
	for _, p := range img.planes {
		q := make([]float32, 0, area.Dx()*area.Dy())
		for y := area.Min.Y; y < area.Max.Y; y++ {
			q = append(q, p[y*img.width:][area.Min.X:area.Max.X]...)
		}
		out.planes = append(out.planes, q)
	}
	return out
}
