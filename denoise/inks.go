package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/dither"
	"github.com/blorc-denoise/blorc-denoise/internal/ink"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// A photograph in cyan, magenta, yellow and black was converted from red, green and blue, with its noise. The inks
// share that noise: where black takes a part, the conversion stretches the rest over the other inks. So no single ink
// looks like a noisy photograph. Therefore the program converts the inks to the light that they leave (red, green and
// blue), denoises the light, and converts it back. The black ink depends on the denoised light as it did around each
// sample; the other inks are then computed from the light and the black ink.

// inks is the light that the inks of a picture leave, as a picture of red, green and blue.
type inks struct {
	light  *picture
	before *imageio.Image // the light before denoising, with its invalid samples
}

// lightOf returns the light that the inks of an image leave, as an image of red, green and blue, or nil if its planes
// are no inks of a photograph.
func (j job) lightOf(img *imageio.Image, how preparing) *imageio.Image {
	if how.raw || len(img.Planes) != 4 || img.Premultiplied || len(img.NoData) > 0 || img.Depth.Max() == 0 ||
		j.Profile != nil {
		return nil
	}
	light := *img
	light.Planes = nil
	black := img.Planes[3]
	for _, ink := range img.Planes[:3] {
		p := make([]float32, len(ink))
		for i, v := range ink {
			p[i] = v * black[i]
		}
		light.Planes = append(light.Planes, p)
	}
	if !j.isPhotograph(&light) {
		return nil
	}
	return &light
}

// isPhotograph reports whether red, green and blue are denoised together, or are one gray picture.
func (j job) isPhotograph(light *imageio.Image) bool {
	g, err := j.groupsOf(image{light.Planes, light.Width, light.Height}, false)
	return err == nil && len(g.groups) == 1 && (len(g.groups[0]) == 3 || g.tint != nil || g.from[1] == 0 &&
		g.from[2] == 0)
}

// prepareInks prepares the light that the inks of an image leave.
func (j job) prepareInks(img, light *imageio.Image, how preparing) (*picture, error) {
	ofLight := j
	ofLight.file.dither, ofLight.file.tone = 0, j.toneCurveOf(light)
	how.change = false
	p, err := ofLight.prepare(light, how)
	if err != nil {
		return nil, err
	}
	return &picture{j: j, img: img, scale: 1, there: p.there, inks: &inks{p, light}}, nil
}

// removeInks is remove for a picture of inks: it denoises the light, and computes the inks from it.
func (p *picture) removeInks(j job, out *imageio.Image, area goimage.Rectangle, margin int) (model string, err error) {
	inside := area.Intersect(p.there)
	wide := inside.Inset(-dither.Reach).Intersect(p.there)
	used := wide.Inset(-ink.Reach).Intersect(p.there)
	ofLight := j
	ofLight.file.dither = 0
	light := *p.inks.light.img
	if out.Extra == nil {
		light.Extra = nil
	}
	cropTo(&light, used)
	if model, err = p.inks.light.remove(ofLight, &light, used, margin); err != nil || model == "" {
		return "", err
	}
	c := inkPicture{cutAll(p.img.Planes, p.img.Width, used), cutAll(p.inks.before.Planes, p.img.Width, used),
		light.Planes, used.Dx()}
	c.follow(wide.Sub(used.Min), j.Workers)
	j.ditherInks(c.planes, c.width, used.Min.Sub(p.there.Min), c.unchanged, inside.Sub(p.there.Min))
	pasteAll(out.Planes, out.Width, cutAll(c.planes, c.width, inside.Sub(used.Min)), inside.Sub(area.Min))
	if light.Extra != nil {
		extra := cutAll(light.Extra, light.Width, inside.Sub(used.Min))
		pasteAll(out.Extra, out.Width, extra, inside.Sub(area.Min))
	}
	out.Depth = max(out.Depth, imageio.Depth8)
	return model, nil
}

// inkPicture is a part of a picture of four inks and the light that they leave, before and after it was denoised.
type inkPicture struct {
	planes, before, light [][]float32
	width                 int
}

// unchanged reports whether denoising left the light of a pixel as it was.
func (p inkPicture) unchanged(i int) bool {
	for c, l := range p.light {
		if l[i] != p.before[c][i] {
			return false
		}
	}
	return true
}

// follow computes the inks of an area from the denoised light.
func (p inkPicture) follow(area goimage.Rectangle, workers int) {
	black := ink.Black(p.planes[3], p.light, p.width, area, workers)
	_ = parallel.For(context.Background(), workers, area.Dy(), func(_, row int) { // too short to stop
		for x := area.Min.X; x < area.Max.X; x++ {
			i := (area.Min.Y+row)*p.width + x
			if p.unchanged(i) {
				continue
			}
			most := max(p.light[0][i], p.light[1][i], p.light[2][i])
			k := min(max(black[row*area.Dx()+x-area.Min.X], most), 1)
			if k <= 0 { // then the inks do not matter
				continue
			}
			for c, l := range p.light {
				p.planes[c][i] = min(max(l[i]/k, 0), 1)
			}
			p.planes[3][i] = k
		}
	})
}

// ditherInks rounds the smooth samples of an area of inks, except pixels that must stay. The first sample lies at a
// point of the picture.
func (j job) ditherInks(planes [][]float32, width int, at goimage.Point, stays func(i int) bool,
	area goimage.Rectangle) {
	if j.file.dither == 0 {
		return
	}
	exact := clonePlanes(planes)
	dither.Picture{Planes: planes, Width: width, At: at, Levels: j.file.dither}.Round(area, j.Workers)
	for i := range exact[0] {
		if stays(i) {
			for c, p := range planes {
				p[i] = exact[c][i]
			}
		}
	}
}
