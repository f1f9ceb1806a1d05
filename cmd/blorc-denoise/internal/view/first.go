package view

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// A large picture gets a first look: the visible part is denoised at fast quality, with the noise that is measured
// there. Measuring the noise of the whole picture takes longer.

// firstAlign keeps blocks of JPEG files where they are in the whole picture.
const firstAlign = 48

// minFirst is how many times larger than what is visible a picture is that gets a first look.
const minFirst = 4

// firstRows is how many rows of the right half are denoised before the others, so that something is there early. Fewer
// would hardly be there earlier: the margins take time, too.
const firstRows = 4 * firstAlign

// firstLook measures the noise around what is visible, and waits until the engine has denoised that. It returns the
// noise, or false if there was no first look. Errors are left to what follows.
func (s *server) firstLook(ctx context.Context, r *run, o denoise.FileOptions) (found denoise.Result, ok bool) {
	s.mu.Lock()
	around := r.aroundFirst(s.visible)
	s.mu.Unlock()
	if around.Empty() {
		return found, false
	}
	o.Seen = around
	a, err := denoise.Analyse(ctx, r.picture.img, o)
	if err != nil {
		return found, false
	}
	s.mu.Lock()
	r.guess = a
	s.mu.Unlock()
	s.poke()
	select {
	case <-r.looked:
	case <-ctx.Done():
	}
	return a.Result(), true
}

// aroundFirst returns the part of the picture whose noise is measured for a first look, or nothing if there is none.
func (r *run) aroundFirst(visible goimage.Rectangle) goimage.Rectangle {
	p, seen := r.picture, visible.Intersect(r.picture.bounds())
	if seen.Empty() || r.settings.Noise == denoise.None || p.img.MissingBottom > 0 || p.raw != nil {
		return goimage.Rectangle{}
	}
	from := func(at int) int { return max(0, at-margin) / firstAlign * firstAlign }
	around := goimage.Rect(from(seen.Min.X), from(seen.Min.Y), seen.Max.X+margin,
		seen.Max.Y+margin).Intersect(r.picture.bounds())
	if minFirst*around.Dx()*around.Dy() > p.size.X*p.size.Y {
		return goimage.Rectangle{}
	}
	return around
}

// firstJob returns the next part of a first look, or false if there is none. The caller holds the lock.
func (r *run) firstJob(visible goimage.Rectangle) (job, bool) {
	if r.guess == nil {
		return job{}, false
	}
	if !r.aroundFirst(visible).Empty() {
		area, first := widenFirst(r.first, visible.Intersect(r.picture.bounds()))
		if !area.Empty() {
			return job{run: r, noise: r.guess, area: area, quality: denoise.Fast, state: rough, first: first}, true
		}
	}
	r.endFirst()
	return job{}, false
}

// endFirst lets the noise of the whole picture be measured. The caller holds the lock.
func (r *run) endFirst() { r.ended.Do(func() { close(r.looked) }) }

// widenFirst returns what to denoise next of what is visible, if some of it is denoised, and both together. It begins
// right of the slider, where the page shows the picture after denoising. What is denoised stays a rectangle.
func widenFirst(first, visible goimage.Rectangle) (next, both goimage.Rectangle) {
	if !first.Overlaps(visible) {
		next = visible
		next.Min.X += visible.Dx() / 2
		next.Max.Y = next.Min.Y + min(firstRows, (visible.Dy()+1)/2)
		return next, next
	}
	next = first
	switch {
	case first.Max.Y < visible.Max.Y:
		next.Min.Y, next.Max.Y = first.Max.Y, visible.Max.Y
	case first.Min.X > visible.Min.X:
		next.Min.X, next.Max.X = visible.Min.X, first.Min.X
	case first.Max.X < visible.Max.X:
		next.Min.X, next.Max.X = first.Max.X, visible.Max.X
	case first.Min.Y > visible.Min.Y:
		next.Min.Y, next.Max.Y = visible.Min.Y, first.Min.Y
	default:
		return goimage.Rectangle{}, first
	}
	return next, first.Union(next)
}

// alike reports whether parts that were denoised for one noise do for a while where the other is right.
func alike(a, b denoise.Result) bool {
	const most = 1.25
	near := func(v, w float64) bool { return v == w || v < most*w && w < most*v }
	return a.Noise == b.Noise && near(a.Sigma, b.Sigma) && near(a.Photons.Gain, b.Photons.Gain)
}
