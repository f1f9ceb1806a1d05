package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/dither"
	"github.com/blorc-denoise/blorc-denoise/internal/ink"
)

// inkAnalysis is the noise in the light that inks leave.
type inkAnalysis struct {
	*Analysis
	img *imageio.Image // the light
}

// analyseInks returns the analysis of a picture of inks by the light that they leave.
func (o FileOptions) analyseInks(ctx context.Context, light *imageio.Image, area goimage.Rectangle) (*Analysis, error) {
	exact := o
	exact.NoDither, exact.Seen = true, area
	of, err := Analyse(ctx, light, exact)
	if err != nil {
		return nil, err
	}
	return &Analysis{there: of.there, planes: 4, o: o, inks: &inkAnalysis{of, light}, result: of.result}, nil
}

// part is Analysis.Part for a picture of inks.
func (a *inkAnalysis) part(ctx context.Context, img *imageio.Image, area goimage.Rectangle, margin int,
	o Options) (*imageio.Image, error) {
	out := *img
	out.Extra = nil
	cropTo(&out, area)
	inside := area.Intersect(a.there)
	if inside.Empty() || !a.changes(o) {
		return &out, nil
	}
	wide := inside.Inset(-dither.Reach).Intersect(a.there)
	seen := wide.Inset(-ink.Reach).Intersect(a.there)
	light, err := a.Part(ctx, a.img, seen, margin, o)
	if err != nil {
		return nil, err
	}
	inks := inkPicture{cutAll(img.Planes, img.Width, seen), cutAll(a.img.Planes, img.Width, seen), light.Planes,
		seen.Dx()}
	inks.follow(wide.Sub(seen.Min), o.Workers)
	o.ditherInks(inks.planes, inks.width, seen.Min.Sub(a.there.Min), inks.unchanged, inside.Sub(a.there.Min))
	pasteAll(out.Planes, out.Width, cutAll(inks.planes, inks.width, inside.Sub(seen.Min)), inside.Sub(area.Min))
	out.Depth = max(out.Depth, imageio.Depth8)
	return &out, nil
}
