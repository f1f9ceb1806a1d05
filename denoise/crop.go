package denoise

import (
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/dither"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// margins are the samples around a crop that the models need.
type margins struct {
	align int  // samples; a part that begins at a multiple has the patches of the whole image
	after int  // reach in samples to the right and below
	whole bool // the models need the whole image
}

// marginsOf returns the margins of the models of all planes of an image.
func marginsOf(models []planeModel) margins {
	m := margins{align: 1}
	for _, p := range models {
		if p.ownSteps() {
			m = m.union(margins{align: p.steps.Alignment(), after: p.steps.Reach() + 1})
		}
	}
	if len(models) == 3 && models[1].chroma != nil {
		return models[1].chroma.margins(m)
	}
	return m
}

// union returns margins that are enough for both.
func (m margins) union(n margins) margins {
	return margins{stage.LeastCommonMultiple(m.align, n.align), max(m.after, n.after), m.whole || n.whole}
}

// around returns the part of an image that decides the samples of a crop.
func (m margins) around(crop goimage.Rectangle, width, height int) goimage.Rectangle {
	if m.whole {
		return goimage.Rect(0, 0, width, height)
	}
	from := func(at int) int { return max(0, at-m.after) / m.align * m.align }
	return goimage.Rect(from(crop.Min.X), from(crop.Min.Y), min(width, crop.Max.X+m.after),
		min(height, crop.Max.Y+m.after))
}

// grainReach is the distance of samples on which the grain at a sample depends.
const grainReach = 2

// reachAfter returns the distance of denoised samples on which grain and dither at a sample depend.
func (j job) reachAfter() (reach int) {
	if j.Grain > 0 {
		reach = grainReach
	}
	if j.file.dither > 0 {
		reach += dither.Reach
	}
	return reach
}

// removePart denoises an area of an image. It returns the samples and the name of the model. With the margins of the
// noise, the samples equal those of the whole denoised image. There is the part of the image that the file has; no
// other samples are read.
func (j job) removePart(n noiseModel, img image, there, area goimage.Rectangle, m margins) (model string,
	samples [][]float32, err error) {
	used := area.Inset(-j.reachAfter()).Intersect(there)
	wide := m.around(used.Sub(there.Min), there.Dx(), there.Dy()).Add(there.Min)
	window := image{cutAll(img.planes, img.width, wide), wide.Dx(), wide.Dy()}
	if err := checkFinite(window.planes, window.width); err != nil {
		return "", nil, err
	}
	j.within.at = wide.Min.Sub(there.Min)
	if model, err = n.remove(j, window); err != nil {
		return "", nil, err
	}
	j.dither(window, area.Sub(there.Min))
	return model, cutAll(window.planes, window.width, area.Sub(wide.Min)), nil
}

// cutOut copies a part of a plane.
func cutOut(p []float32, width int, area goimage.Rectangle) []float32 {
	out := make([]float32, 0, area.Dx()*area.Dy())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		out = append(out, p[y*width+area.Min.X:][:area.Dx()]...)
	}
	return out
}

// cutAll copies a part of each plane.
func cutAll(planes [][]float32, width int, area goimage.Rectangle) (parts [][]float32) {
	for _, p := range planes {
		parts = append(parts, cutOut(p, width, area))
	}
	return parts
}

// pasteAll writes parts into planes.
func pasteAll(planes [][]float32, width int, parts [][]float32, at goimage.Rectangle) {
	for i, part := range parts {
		for y := range at.Dy() {
			copy(planes[i][(at.Min.Y+y)*width+at.Min.X:], part[y*at.Dx():][:at.Dx()])
		}
	}
}

// cropTo leaves only a part of an image.
func cropTo(img *imageio.Image, area goimage.Rectangle) {
	if area == (goimage.Rectangle{}) {
		return
	}
	img.Planes = cutAll(img.Planes, img.Width, area)
	img.Extra = cutAll(img.Extra, img.Width, area)
	if img.Alpha != nil {
		img.Alpha = cutOut(img.Alpha, img.Width, area)
	}
	bound := func(missing, outside, size int) int { return min(max(missing-outside, 0), size) }
	img.MissingBottom = bound(img.MissingBottom, img.Height-area.Max.Y, area.Dy())
	img.MissingTop = bound(img.MissingTop, area.Min.Y, area.Dy())
	img.MissingLeft = bound(img.MissingLeft, area.Min.X, area.Dx())
	img.MissingRight = bound(img.MissingRight, img.Width-area.Max.X, area.Dx())
	var holes []goimage.Rectangle
	for _, hole := range img.Holes {
		if hole = hole.Intersect(area).Sub(area.Min); !hole.Empty() {
			holes = append(holes, hole)
		}
	}
	img.Holes = holes
	img.Width, img.Height = area.Dx(), area.Dy()
}

// checkCrop reports a crop that is not inside an image.
func (o Options) checkCrop(width, height int) error {
	if !o.Crop.In(goimage.Rect(0, 0, width, height)) {
		return badArgument("the crop %d,%d,%d,%d is not inside the image of %d x %d pixels", o.Crop.Min.X, o.Crop.Min.Y,
			o.Crop.Dx(), o.Crop.Dy(), width, height)
	}
	return nil
}
