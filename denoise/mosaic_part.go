package denoise

import (
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// rawAnalysis is what parts of a raw picture need of the whole.
type rawAnalysis struct {
	noise   Noise // None if the picture stays as it is
	profile *Profile
	sensor  sensor
}

func (j job) analyseMosaic(img *imageio.Image) (*rawAnalysis, Result, error) {
	j, r, err := j.forMosaic(img)
	return &rawAnalysis{j.Noise, j.Profile, j.sensorOf(img)}, r, err
}

// part denoises a part of a raw picture. Around the active area, samples stay as they are.
func (a *rawAnalysis) part(j job, img *imageio.Image, area goimage.Rectangle, margin int) (*imageio.Image, error) {
	out, inside := cutMosaic(img, area), area.Intersect(img.Mosaic.Active)
	if j.Noise, j.Profile = a.noise, a.profile; j.Noise == None || j.keepsAll(3) || inside.Empty() {
		return out, nil
	}
	wide := img.Mosaic.Active
	if margin > 0 {
		least := previewAlign // more than what the network has around its own parts changes nothing
		if img.Mosaic.Gray {
			least = previewReach
		}
		wide = aroundMosaic(inside, wide, max(margin, least))
	}
	window, s := cutMosaic(img, wide), a.sensor
	if s.rows != nil {
		s.rows = s.rows[wide.Min.Y-img.Mosaic.Active.Min.Y:][:wide.Dy()]
	}
	if _, err := j.removeFromMosaic(window, s); err != nil {
		return nil, err
	}
	pasteAll(out.Planes, out.Width, cutAll(window.Planes, window.Width, inside.Sub(wide.Min)), inside.Sub(area.Min))
	return out, nil
}

// cutMosaic copies a part of a raw picture.
func cutMosaic(img *imageio.Image, area goimage.Rectangle) *imageio.Image {
	out := *img
	out.Mosaic = img.Mosaic.Part(area)
	cropTo(&out, area)
	return &out
}

// aroundMosaic returns the part of an active area that decides the samples of a smaller one. It lies at multiples of
// the alignment from all edges, from which the network sees turned mosaics.
func aroundMosaic(area, active goimage.Rectangle, margin int) goimage.Rectangle {
	from := func(distance int) int { return max(0, distance-margin) / previewAlign * previewAlign }
	active.Min.X += from(area.Min.X - active.Min.X)
	active.Min.Y += from(area.Min.Y - active.Min.Y)
	active.Max.X -= from(active.Max.X - area.Max.X)
	active.Max.Y -= from(active.Max.Y - area.Max.Y)
	return active
}
