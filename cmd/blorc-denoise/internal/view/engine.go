package view

import (
	"context"
	goimage "image"
	"time"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/chart"
	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// margin is how many samples around a part models look at. It changes samples by about a level at most, compared with
// the whole image, and makes a part at best quality several times faster.
const margin = 48

// Sides of the parts that are denoised at a time, in tiles. A small part is soon seen and soon cancelled; a large one
// wastes less on its margins.
const (
	roughTiles   = 3
	visibleTiles = 2
	restTiles    = 4
)

// job is a part of the current run to denoise.
type job struct {
	run     *run
	noise   *denoise.Analysis
	area    goimage.Rectangle
	quality denoise.Quality
	state   byte              // that its tiles get
	rest    bool              // nobody sees it yet
	first   goimage.Rectangle // of a first look: what is denoised after it
}

func (j job) isFirst() bool { return !j.first.Empty() }

// engine denoises what the page shows, and then the rest. It runs until the context ends.
func (s *server) engine(ctx context.Context) {
	for ctx.Err() == nil {
		j, ok := s.next()
		if !ok {
			select {
			case <-s.wake:
			case <-ctx.Done():
			}
			continue
		}
		s.denoise(ctx, j)
	}
}

// poke tells the engine that there may be other work.
func (s *server) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// next returns the most urgent part.
func (s *server) next() (job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run
	if r == nil || r.failed {
		return job{}, false
	}
	if r.analysis == nil {
		return r.firstJob(s.visible)
	}
	seen := r.tilesOf(s.visible)
	if j, ok := r.due(seen, s.visible, partly, roughTiles); ok {
		if j.quality, j.state = denoise.Fast, rough; r.settings.Quality == denoise.Fast {
			j.state = done
		}
		return j, true
	}
	if j, ok := r.due(seen, s.visible, rough, visibleTiles); ok {
		return j, true
	}
	if !r.curve {
		r.curve = true
		s.work.Go(func() {
			s.drawCurve(r)
			s.readAhead(r)
		})
	}
	if s.saving > 0 {
		return job{}, false
	}
	j, ok := r.due(goimage.Rect(0, 0, r.columns, r.rows), s.visible, rough, restTiles)
	j.rest = true
	return j, ok
}

// due returns the part that is nearest to what is visible, of those with at most a state. See nearest.
func (r *run) due(within, visible goimage.Rectangle, most byte, side int) (job, bool) {
	at, ok := r.nearest(within, visible, most, side)
	return job{run: r, noise: r.analysis, area: r.pixels(at), quality: r.settings.Quality, state: done}, ok
}

// tilesOf returns the tiles of level 0 that an area of pixels touches.
func (r *run) tilesOf(area goimage.Rectangle) goimage.Rectangle {
	area = area.Intersect(r.picture.bounds())
	if area.Empty() {
		return goimage.Rectangle{}
	}
	return goimage.Rect(area.Min.X/tileSide, area.Min.Y/tileSide, (area.Max.X+tileSide-1)/tileSide,
		(area.Max.Y+tileSide-1)/tileSide)
}

// pixels returns the area of a rectangle of tiles.
func (r *run) pixels(tiles goimage.Rectangle) goimage.Rectangle {
	return goimage.Rect(tiles.Min.X*tileSide, tiles.Min.Y*tileSide, tiles.Max.X*tileSide,
		tiles.Max.Y*tileSide).Intersect(r.picture.bounds())
}

// nearest returns a rectangle of up to side x side tiles within others, around the tile with at most the state that is
// nearest to the middle of what is visible. It leaves out rows and columns of tiles that are further.
func (r *run) nearest(within, visible goimage.Rectangle, most byte, side int) (goimage.Rectangle, bool) {
	middle := visible.Min.Add(visible.Max).Div(2)
	best, at := -1, goimage.Point{}
	for y := within.Min.Y; y < within.Max.Y; y++ {
		for x := within.Min.X; x < within.Max.X; x++ {
			if r.stateOf(x, y, visible) > most {
				continue
			}
			d := goimage.Pt(x*tileSide+tileSide/2, y*tileSide+tileSide/2).Sub(middle)
			if far := d.X*d.X + d.Y*d.Y; best < 0 || far < best {
				best, at = far, goimage.Pt(x, y)
			}
		}
	}
	if best < 0 {
		return goimage.Rectangle{}, false
	}
	corner := goimage.Pt(within.Min.X+(at.X-within.Min.X)/side*side, within.Min.Y+(at.Y-within.Min.Y)/side*side)
	block := goimage.Rectangle{Min: corner, Max: corner.Add(goimage.Pt(side, side))}.Intersect(within)
	var due goimage.Rectangle
	for y := block.Min.Y; y < block.Max.Y; y++ {
		for x := block.Min.X; x < block.Max.X; x++ {
			if r.stateOf(x, y, visible) <= most {
				due = due.Union(goimage.Rect(x, y, x+1, y+1))
			}
		}
	}
	return due, true
}

// denoise does a part, unless what it is for is no longer wanted.
func (s *server) denoise(ctx context.Context, j job) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	if s.run != j.run {
		s.mu.Unlock()
		return
	}
	s.running, s.cancelPart = j, cancel
	s.mu.Unlock()
	o := j.run.options
	o.Quality, o.Keep, o.KeepLuma, o.KeepChroma, o.Grain = j.quality, 0, 0, 0, 0
	part, err := j.run.picture.after(ctx, j.noise, j.area, o)
	before := j.run.picture.before(j.area)
	s.mu.Lock()
	s.cancelPart = nil
	switch {
	case ctx.Err() != nil || s.run != j.run:
		s.mu.Unlock()
		return
	case j.isFirst() && (err != nil || j.run.guess != j.noise): // what follows denoises it again
		j.run.guess = nil
		j.run.endFirst()
		s.mu.Unlock()
		return
	case err != nil:
		j.run.failed = true
		s.mu.Unlock()
		s.hub.send(failEvent{"failed", j.run.id, err.Error()})
		return
	}
	changed := j.run.put(before, part, j.area, j.state)
	if j.isFirst() {
		j.run.first = j.first
	}
	progress := s.progress()
	idle := progress.All == 1 || progress.Visible == 1
	var histogram string
	if now := time.Now(); j.run.analysis != nil && (idle && !j.rest || progress.All == 1 ||
		now.Sub(s.drawn) > time.Second) {
		histogram, s.drawn = j.run.histogram().SVG(), now
	}
	s.mu.Unlock()
	s.hub.send(tilesEvent{"tiles", j.run.id, j.state, changed.Min.X, changed.Min.Y, changed.Max.X, changed.Max.Y})
	s.hub.send(progress)
	if histogram != "" {
		s.hub.send(chartEvent{"histogram", j.run.id, histogram})
	}
}

// progress says how far the current run is. The caller holds the lock.
func (s *server) progress() progressEvent {
	r := s.run
	seen := r.tilesOf(s.visible)
	var counts [done + 1]int
	for y := seen.Min.Y; y < seen.Max.Y; y++ {
		for x := seen.Min.X; x < seen.Max.X; x++ {
			counts[r.stateOf(x, y, s.visible)]++
		}
	}
	n := float64(max(1, seen.Dx()*seen.Dy()))
	return progressEvent{"progress", r.id, float64(counts[rough]+counts[done]) / n, float64(counts[done]) / n,
		r.share(done)}
}

// drawCurve measures the noise over brightness for the chart.
func (s *server) drawCurve(r *run) {
	svg := chart.OfCurve(r.picture.img, r.picture.curve(r.options.Workers), r.analysis.Result(), r.white).SVG()
	s.mu.Lock()
	r.curveSVG = svg
	s.mu.Unlock()
	s.hub.send(chartEvent{"curve", r.id, svg})
}

// look changes what is visible, and stops a part that is not.
func (s *server) look(area goimage.Rectangle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visible = area
	r := s.run
	if r == nil || r.analysis == nil && r.guess == nil {
		return
	}
	seen := r.tilesOf(area)
	_, undone := r.nearest(seen, area, rough, 1)
	if s.cancelPart != nil && undone && (s.running.rest || !s.running.area.Overlaps(area)) {
		s.cancelPart()
	}
	s.hub.send(s.progress())
	s.poke()
}
