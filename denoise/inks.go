package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/dither"
	"github.com/blorc-denoise/blorc-denoise/internal/ink"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// A photograph in cyan, magenta, yellow and black was made of one in red, green and blue, and its noise with it. The
// inks have shared that noise among each other: where black takes a share, what is left for the others is stretched.
// Seen alone, none of them looks like a noisy photograph. So the light that is left over by the inks is denoised, as
// red, green and blue, and then given back to them. The black ink follows the denoised light as it did around each
// sample; the other inks make the light right, whatever black takes.

// inksOf returns the light that the inks of an image leave, as an image of red, green and blue, or nil if its planes
// are no inks of a photograph.
func (o Options) inksOf(img *imageio.Image) *imageio.Image {
	if len(img.Planes) != 4 || img.Premultiplied || img.NoData != nil || img.Depth.Max() == 0 || o.Profile != nil {
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
	if !o.isPhotograph(&light) {
		return nil
	}
	return &light
}

// isPhotograph reports whether red, green and blue are denoised together, or are one gray picture.
func (o Options) isPhotograph(light *imageio.Image) bool {
	sets := o.groupsOf(image{light.Planes, light.Width, light.Height})
	return len(sets.groups) == 1 && (len(sets.groups[0]) == 3 || sets.tint != nil || sets.from[1] == 0 &&
		sets.from[2] == 0)
}

// denoiseInks denoises an area of a picture of four inks by the light that they leave.
func (o Options) denoiseInks(ctx context.Context, img, light *imageio.Image, area goimage.Rectangle,
	white float64) (Result, error) {
	run, crop := o, goimage.Rect(0, 0, area.Dx(), area.Dy())
	run.levels, run.curve = 0, o.curveOf(light)
	if !o.Crop.Empty() {
		crop = o.Crop.Inset(-o.reachAfter()).Intersect(crop)
		run.Crop = crop.Inset(-ink.Reach).Intersect(goimage.Rect(0, 0, area.Dx(), area.Dy()))
	}
	before := clonePlanes(light.Planes)
	r, err := run.denoiseArea(ctx, light, area, white)
	if err != nil || r.Model == "" {
		return r, err
	}
	inks := inkPicture{areaOf(img, img.Planes, area), areaOf(img, before, area), areaOf(img, light.Planes, area),
		area.Dx()}
	inks.follow(crop, o.Workers)
	o.ditherInks(inks.planes, inks.width, goimage.Point{}, inks.unchanged, crop)
	putBack(img.Planes, inks.planes, img.Width, area)
	return r, nil
}

// inkPicture is a part of a picture of four inks and the light that they leave, before and after it was denoised.
type inkPicture struct {
	planes, before, light [][]float32
	width                 int
}

// unchanged reports whether a pixel has the light that it had.
func (p inkPicture) unchanged(i int) bool {
	for c, l := range p.light {
		if l[i] != p.before[c][i] {
			return false
		}
	}
	return true
}

// follow makes the inks of an area leave the denoised light.
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
			if k <= 0 { // no ink changes anything
				continue
			}
			for c, l := range p.light {
				p.planes[c][i] = min(max(l[i]/k, 0), 1)
			}
			p.planes[3][i] = k
		}
	})
}

// ditherInks rounds the smooth samples of an area of inks, but for pixels that are to stay. The first sample lies at a
// point of the picture.
func (o Options) ditherInks(planes [][]float32, width int, at goimage.Point, stays func(i int) bool,
	area goimage.Rectangle) {
	if o.levels == 0 {
		return
	}
	exact := clonePlanes(planes)
	dither.Picture{Planes: planes, Width: width, At: at, Levels: o.levels}.Round(area, o.Workers)
	for i := range exact[0] {
		if stays(i) {
			for c, p := range planes {
				p[i] = exact[c][i]
			}
		}
	}
}
