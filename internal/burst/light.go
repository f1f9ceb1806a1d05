package burst

import (
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/series"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// A camera may choose another exposure for each shot, and a lamp may flicker. Shots get the brightness of the reference
// before they are compared.

const (
	// minChange is the least mean square of the change of samples that is made: half a level of 8 bits.
	minChange = 0.25 / (255 * 255)
	// maxCompared is on how many samples the brightness is fitted.
	maxCompared = 1 << 14
)

// roughly returns the brightness plane of a shot as bright as the reference, so that it can be aligned.
func (m *Mean) roughly(gray patchify.Plane) patchify.Plane {
	shot, reference := pyramid(gray), m.aligner.levels
	l, _ := series.Fit(shot[len(shot)-1].Pix, reference[len(reference)-1].Pix)
	if !changes(l, shot[len(shot)-1].Pix) {
		return gray
	}
	lit := gray
	lit.Pix = slices.Clone(gray.Pix)
	l.Apply(lit.Pix)
	return lit
}

// light gives the shot that lies over the reference its brightness.
func (m *Mean) light() {
	for i, p := range m.scratch {
		from, to := m.compared(p), m.compared(m.reference[i])
		if len(from) == 0 {
			return
		}
		l, _ := series.Fit(from, to)
		if i == 0 && !changes(l, from) {
			return
		}
		l.Apply(p.Pix)
	}
}

// compared returns means of squares of 4 x 4 samples of a plane, where the shot has all of them.
func (m *Mean) compared(p patchify.Plane) (some []float32) {
	p = halved(halved(p))
	w := m.taken.Width
	for i := 0; i < len(p.Pix); i += 1 + len(p.Pix)/maxCompared {
		if x, y := 4*(i%p.Width), 4*(i/p.Width); m.inside[y*w+x] && m.inside[(y+3)*w+x+3] {
			some = append(some, p.Pix[i])
		}
	}
	return some
}

func changes(l series.Level, samples []float32) bool {
	sum := 0.0
	for _, v := range samples {
		d := float64(l.Of(v) - v)
		sum += d * d
	}
	return sum > minChange*float64(len(samples))
}
