package denoise

import (
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// margins say how far around a crop the models look.
type margins struct {
	align int  // samples; a part that begins at a multiple has the patches of the whole image
	after int  // samples to the right and below
	whole bool // the whole image
}

// before returns the margin to the left and above: it keeps the alignment.
func (m margins) before() int { return roundUp(m.after, m.align) }

// margins returns the margins of the models that choose returns for planes planes.
func (o Options) margins(planes int, choose func(i int) (planeModel, error)) (margins, error) {
	stages := make([]stage.Sequence, planes)
	for i := range planes {
		p, err := choose(i)
		if err != nil {
			return margins{}, err
		}
		stages[i] = p.stages
	}
	return marginsOf(stages, o.stages()), nil
}

// marginsOf returns the margins of the stages of all planes of an image.
func marginsOf(stages []stage.Sequence, run stage.Options) margins {
	m := margins{align: 1}
	chroma := newChromaTiles(stages, run)
	for i, q := range stages {
		run := run
		if i > 0 && chroma != nil {
			q, run = chroma.pilot, chroma.run
		}
		m = m.with(q, run)
	}
	if chroma != nil { // which looks at the results of these stages
		m.align = stage.LeastCommonMultiple(m.align, chroma.guided.Alignment(run))
		m.after += chroma.guided.Reach(run)
	}
	return m
}

// with returns margins that are enough for some stages too.
func (m margins) with(q stage.Sequence, run stage.Options) margins {
	return margins{stage.LeastCommonMultiple(m.align, q.Alignment(run)), max(m.after, q.Reach(run)+1), m.whole}
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
	from := func(at int) int { return max(0, at-m.before()) / m.align * m.align }
	return goimage.Rect(from(crop.Min.X), from(crop.Min.Y), min(width, crop.Max.X+m.after), min(height, crop.Max.Y+m.after))
}

// grainReach is how far around a sample the grain depends on others.
const grainReach = 2

// removeCropped denoises the samples of o.Crop alone. They get the values that they have if the whole image is denoised.
func (img image) removeCropped(found foundNoise, o Options, remove func(part image) error) error {
	m, err := found.margins(len(img.planes), o)
	if err != nil {
		return err
	}
	crop := o.Crop
	if o.Grain > 0 {
		crop = crop.Inset(-grainReach).Intersect(goimage.Rect(0, 0, img.width, img.height))
	}
	area := m.around(crop, img.width, img.height)
	part := image{cutAll(img.planes, img.width, area), area.Dx(), area.Dy()}
	if err := remove(part); err != nil {
		return err
	}
	pasteAll(img.planes, img.width, cutAll(part.planes, part.width, o.Crop.Sub(area.Min)), o.Crop)
	return nil
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
	img.Width, img.Height = area.Dx(), area.Dy()
}

// checkCrop reports a crop that is not inside an image.
func (o Options) checkCrop(width, height int) error {
	if !o.Crop.In(goimage.Rect(0, 0, width, height)) {
		return badArgument("the crop %d,%d,%d,%d is not inside the image of %d x %d pixels", o.Crop.Min.X, o.Crop.Min.Y, o.Crop.Dx(), o.Crop.Dy(), width, height)
	}
	return nil
}
