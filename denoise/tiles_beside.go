package denoise

import (
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// For a single page, chroma needs no passes after the network. With neighbouring pages, passes gain more: chroma takes
// part in the groups of the luma.

// takeColours makes chroma take part in the passes of luma if the image has neighbours and a network has made the
// pilots.
func (t *tiler) takeColours(tasks []task) {
	if t.page == nil || t.chroma == nil || len(tasks) != 3 || tasks[1].pilot.Pix == nil || tasks[1].ownSteps() {
		return
	}
	for _, k := range tasks[1:] {
		passes := k.model.Stages.NonLocal()
		if len(passes) < tasks[0].steps.Passes() {
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
		t.inUnits(&b.Noisy, firstColour+2*i, t.read(p, xs, ys), p.sigma)
		t.inUnits(&b.Pilot, firstColour+2*i+1, t.pilotOf(p, xs, ys), p.sigma)
	}
	return t.colours
}

// inUnits sets dst to a window in units of its noise, in a buffer.
func (t *tiler) inUnits(dst *patchify.Plane, buffer int, w patchify.Plane, sigma float64) {
	dst.Pix = t.scratch.Buffer(buffer, len(w.Pix))
	scaled(dst, w, 1/sigma, t.workers)
}
