package denoise

import (
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Alone, chroma needs no passes after the network. Among other pages, they find more of it: groups of the luma serve chroma, too.

// takeColours makes chroma take part in the passes of luma if the image has neighbours and a network has made the pilots.
func (t *tiler) takeColours(jobs []job) {
	if t.page == nil || t.chroma == nil || len(jobs) != 3 || jobs[0].pilot.Pix == nil || jobs[1].ownSteps() {
		return
	}
	for _, j := range jobs[1:] {
		passes := j.model.Stages.NonLocal()
		if len(passes) < jobs[0].steps.Passes() {
			return
		}
		t.colours = append(t.colours, stage.Beside{Passes: passes})
	}
	if len(t.colours) != 2 {
		t.colours = nil
	}
}

// beside returns the windows of chroma for the passes of luma.
func (t *tiler) beside(xs, ys span) []stage.Beside {
	for i := range t.colours {
		p, b := t.planes[1+i], &t.colours[i]
		scaled(&b.Noisy, t.read(p, xs, ys), 1/p.sigma)
		scaled(&b.Pilot, t.pilotOf(p, xs, ys), 1/p.sigma)
	}
	return t.colours
}

// fromUnits sets a window to a plane in units of its noise, which may be padded.
func fromUnits(w, p patchify.Plane, sigma float64) {
	for y := range w.Height {
		row := w.Row(y)
		for x, v := range p.Row(y)[:len(row)] {
			row[x] = v * float32(sigma)
		}
	}
}
