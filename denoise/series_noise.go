package denoise

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Images of a series have one noise. Measured on each of them it wanders, and with it the strength of denoising.
// Measured on some of them at once it is more certain.

// noiseOf measures some images of a series as if they were one, with the images below each other. It returns nil if
// they differ in kind, if noise differs by place, or after an error, which denoising them meets, too.
func (o FileOptions) noiseOf(ctx context.Context, images []*imageio.Image) *seriesNoise {
	var all []channel
	var j job
	for i, img := range images {
		if checkImage(img) != nil || img.Width != images[0].Width || img.Height != images[0].Height ||
			img.Depth != images[0].Depth || present(img) != bounds(img) {
			return nil
		}
		if i == 0 {
			j = o.jobFor(ctx, img)
		}
		p, err := j.prepare(img, preparing{white: o.Read.White})
		if err != nil || p.inks != nil || i > 0 && !slices.EqualFunc(all, p.channels, channel.fits) {
			return nil
		}
		if i == 0 {
			all = p.channels
			for c := range all {
				all[c].image, all[c].empty = all[c].clone(), nil
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
		f, err := j.noiseOf(all[c])
		if err != nil || f.noise.dependsOnPlace() || j.Profile.fits(len(all[c].planes)) != nil {
			return nil
		}
		all[c].noise, all[c].detector = f.noise, f.detector
		all[c].planes = make([][]float32, len(all[c].planes)) // only their number is needed
	}
	if len(all) == 0 {
		return nil
	}
	return &seriesNoise{all}
}
