package denoise

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// All images of a series get the same noise. An estimate for each image would vary, and with it the strength of
// denoising. An estimate from several images at once is more accurate.

// noiseOf measures some images of a series as one image, stacked below each other. It returns nil if they differ in
// kind, if the noise depends on the place, or after an error, which denoising will meet again.
func (o FileOptions) noiseOf(ctx context.Context, images []*imageio.Image) *seriesNoise {
	var all []channel
	var first *picture
	for i, img := range images {
		if checkImage(img) != nil || img.Width != images[0].Width || img.Height != images[0].Height ||
			img.Depth != images[0].Depth || present(img) != bounds(img) {
			return nil
		}
		p, err := o.jobFor(ctx, images[0]).prepare(img, preparing{white: o.Read.White})
		if err != nil || p.inks != nil || i > 0 && !p.fits(first) {
			return nil
		}
		if i == 0 {
			first, all = p, p.channels
			for c := range all {
				all[c].image, all[c].invalid = all[c].clone(), nil
			}
			continue
		}
		for c, other := range p.channels {
			for k, plane := range other.planes {
				all[c].planes[k] = append(all[c].planes[k], plane...)
			}
			all[c].height += other.height
		}
	}
	for c := range all {
		if first.j.Profile.fits(len(all[c].planes)) != nil {
			return nil
		}
		f, err := first.j.noiseOf(all[c])
		if err != nil || f.noise.dependsOnPlace() {
			return nil
		}
		all[c].noise, all[c].detector = f.noise, f.detector
		all[c].planes = make([][]float32, len(all[c].planes)) // only the number of planes is needed
	}
	if len(all) == 0 {
		return nil
	}
	return &seriesNoise{all, first.scale}
}

// fits reports whether two pictures have the same channels and scale.
func (p *picture) fits(other *picture) bool {
	return p.scale == other.scale && slices.EqualFunc(p.channels, other.channels, channel.fits)
}
