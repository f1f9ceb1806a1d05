package view

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// firstAlign keeps blocks of JPEG files, and most patches, where they are in the whole picture.
const firstAlign = 48

// leastFirst is how many times larger than what is visible a picture is that gets a first look.
const leastFirst = 4

// firstRows is how many rows of the right half are denoised before the others, so that something is there early. Fewer would hardly be there
// earlier: the margins take time, too.
const firstRows = 4 * firstAlign

// firstLook denoises what is visible of a large picture at fast quality, with the noise that is measured there: to measure that of the whole
// picture takes longer. It begins right of the slider, where the page shows the picture after denoising. It returns the noise, or false if
// there was no first look. Errors are left to what follows.
func (s *server) firstLook(ctx context.Context, r *run, o denoise.FileOptions) (found denoise.Result, ok bool) {
	s.mu.Lock()
	seen := s.visible.Intersect(r.picture.bounds())
	s.mu.Unlock()
	if r.aroundFirst(seen).Empty() {
		return found, false
	}
	s.prepared.Do(func() { s.work.Go(func() { s.prepareFor(r) }) })
	left, right := seen, seen
	left.Max.X = seen.Min.X + seen.Dx()/2
	right.Min.X = left.Max.X
	found, ok = s.lookAtHalf(ctx, r, strips(right), o, func(denoise.Result) bool { return true })
	if ok && !left.Empty() {
		s.lookAtHalf(ctx, r, []goimage.Rectangle{left}, o, func(other denoise.Result) bool { return alike(found, other) })
	}
	return found, ok
}

// lookAtHalf measures the noise around some areas that lie one above the other, and denoises one after the other if the noise is expected.
func (s *server) lookAtHalf(ctx context.Context, r *run, areas []goimage.Rectangle, o denoise.FileOptions, expected func(denoise.Result) bool) (found denoise.Result, ok bool) {
	var half goimage.Rectangle
	for _, area := range areas {
		half = half.Union(area)
	}
	around := r.aroundFirst(half)
	if around.Empty() {
		return found, false
	}
	near := cut(r.picture.img, around)
	a, err := denoise.Analyse(ctx, near, o)
	if err != nil || !expected(a.Result()) {
		return found, false
	}
	for _, area := range areas {
		if !s.lookAt(ctx, r, a, near, area, around.Min, o.Options) {
			return found, false
		}
	}
	return a.Result(), true
}

// lookAt denoises an area of a picture, of which near is the part that begins at a point. It returns false if that failed or if another
// run has begun.
func (s *server) lookAt(ctx context.Context, r *run, a *denoise.Analysis, near *imageio.Image, area goimage.Rectangle, begin goimage.Point, o denoise.Options) bool {
	o.Quality, o.Keep, o.KeepLuma, o.KeepChroma, o.Grain = denoise.Fast, 0, 0, 0, 0
	part, err := a.Part(ctx, near, area.Sub(begin), margin, o)
	if err != nil {
		return false
	}
	s.mu.Lock()
	if s.run != r {
		s.mu.Unlock()
		return false
	}
	changed := r.put(part, area, rough)
	r.first = r.first.Union(area)
	progress := s.progress()
	s.mu.Unlock()
	s.hub.send(tilesEvent{"tiles", r.id, rough, changed.Min.X, changed.Min.Y, changed.Max.X, changed.Max.Y})
	s.hub.send(progress)
	return true
}

// strips divides an area into its first rows and the others.
func strips(area goimage.Rectangle) (list []goimage.Rectangle) {
	first, others := area, area
	first.Max.Y = area.Min.Y + min(firstRows, area.Dy()/2)
	others.Min.Y = first.Max.Y
	for _, strip := range []goimage.Rectangle{first, others} {
		if !strip.Empty() {
			list = append(list, strip)
		}
	}
	return list
}

// aroundFirst returns the part of the picture that a first look at an area needs, or nothing if there is none.
func (r *run) aroundFirst(seen goimage.Rectangle) goimage.Rectangle {
	img := r.picture.img
	if seen.Empty() || r.settings.Noise == denoise.None || img.Missing > 0 {
		return goimage.Rectangle{}
	}
	from := func(at int) int { return max(0, at-margin) / firstAlign * firstAlign }
	around := goimage.Rect(from(seen.Min.X), from(seen.Min.Y), seen.Max.X+margin, seen.Max.Y+margin).Intersect(r.picture.bounds())
	if leastFirst*around.Dx()*around.Dy() > img.Width*img.Height {
		return goimage.Rectangle{}
	}
	return around
}

// cut returns a copy of a part of an image.
func cut(img *imageio.Image, area goimage.Rectangle) *imageio.Image {
	out := *img
	out.Width, out.Height, out.Planes, out.Extra, out.Alpha = area.Dx(), area.Dy(), nil, nil, nil
	for _, p := range img.Planes {
		q := make([]float32, 0, area.Dx()*area.Dy())
		for y := area.Min.Y; y < area.Max.Y; y++ {
			q = append(q, p[y*img.Width+area.Min.X:][:area.Dx()]...)
		}
		out.Planes = append(out.Planes, q)
	}
	return &out
}

// alike reports whether parts that were denoised for one noise do for a while where the other is right.
func alike(a, b denoise.Result) bool {
	const most = 1.25
	near := func(v, w float64) bool { return v == w || v < most*w && w < most*v }
	return a.Noise == b.Noise && near(a.Sigma, b.Sigma) && near(a.Photons.Gain, b.Photons.Gain)
}
