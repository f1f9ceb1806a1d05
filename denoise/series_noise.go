package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Images of a series have one noise. Measured on each of them it wanders, and with it the strength of denoising.
// Measured on some of them at once it is more certain.

// seriesNoise is the noise of all images of a series.
type seriesNoise struct {
	found  []foundNoise // of each group of planes that is denoised together
	planes []int        // of these groups
	rules  []string
}

// of returns the noise of a group of planes, or nil if it is not known.
func (s *seriesNoise) of(job, planes int) foundNoise {
	if s == nil || job >= len(s.found) || s.planes[job] != planes {
		return nil
	}
	return s.found[job]
}

// noiseOf measures some images of a series as if they were one, with the images below each other. It returns nil if
// they differ in kind, or if the context is done.
func (o FileOptions) noiseOf(ctx context.Context, images []*imageio.Image) *seriesNoise {
	if len(images) == 0 {
		return nil
	}
	first := images[0]
	run := o.withFile(first)
	run.Photons, run.ctx = run.Photons.over(first.FullScale(o.Read.White)), ctx
	var tall [][][]float32 // of each group
	for k, img := range images {
		if checkImage(img) != nil || img.Width != first.Width || img.Height != first.Height ||
			img.Depth != first.Depth {
			return nil
		}
		area := goimage.Rect(0, 0, img.Width, img.Height)
		if present(img) != area {
			return nil
		}
		e := run.emptyOf(img, area, o.Read.White)
		if run.ended() {
			return nil
		}
		e.fill()
		planes, extra := e.planes[:len(img.Planes)], e.planes[len(img.Planes):]
		jobs := jobsOf(run.groupsOf(image{planes, img.Width, img.Height}), planes, extra)
		if k == 0 {
			tall = make([][][]float32, len(jobs))
		}
		if len(jobs) != len(tall) {
			return nil
		}
		for i, job := range jobs {
			if k == 0 {
				tall[i] = make([][]float32, len(job))
			}
			if len(job) != len(tall[i]) || checkFinite(job, img.Width) != nil || o.Profile.fits(len(job)) != nil {
				return nil
			}
			for c, p := range job {
				tall[i][c] = append(tall[i][c], p...)
			}
		}
		e.restore()
	}
	s := new(seriesNoise)
	for _, planes := range tall {
		var rule string
		run.decided = &rule
		found := run.measureWhole(image{planes, first.Width, len(planes[0]) / first.Width})
		if run.ended() || dependsOnPlace(found) {
			return nil
		}
		s.found, s.planes, s.rules = append(s.found, found), append(s.planes, len(planes)), append(s.rules, rule)
	}
	return s
}
