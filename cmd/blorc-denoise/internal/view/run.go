package view

import (
	goimage "image"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/chart"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic"
)

// How far a tile is.
const (
	waiting byte = iota
	partly       // denoised at fast quality where the first look was
	rough        // denoised at fast quality
	done         // denoised at the chosen quality
)

// run is the denoised samples of a picture for one choice of noise and quality. The engine's lock guards it.
type run struct {
	id       int
	picture  *picture
	settings settings
	options  denoise.Options
	white    float64
	analysis *denoise.Analysis // nil until the noise is known
	guess    *denoise.Analysis // of the first look; nil if there is none, or if the noise of the picture is another
	looked   chan struct{}     // closed when the first look has denoised what is visible
	ended    sync.Once         // closes it

	columns, rows int
	first         goimage.Rectangle // where partly denoised tiles are denoised; empty if it was for another noise
	state         []byte
	tiles         []tile         // of level 0: red, green, blue, and the fine part of what was removed (see fine.go)
	small         map[place]tile // of levels above; dropped where a tile of level 0 changes
	counts        []*chart.Histogram
	curve         bool // the curve has been drawn
	curveSVG      string
	failed        bool // an area cannot be denoised
}

func newRun(id int, p *picture, s settings, o denoise.Options, white float64) *run {
	columns, rows := p.grid(0)
	n := columns * rows
	return &run{id: id, picture: p, settings: s, options: o, white: white, columns: columns, rows: rows,
		state: make([]byte, n),
		tiles: make([]tile, n), small: map[place]tile{}, counts: make([]*chart.Histogram, n),
		looked: make(chan struct{})}
}

// takeOver uses tiles of a run for the same noise at another quality.
func (r *run) takeOver(old *run) {
	for i, state := range old.state {
		switch {
		case state == waiting:
			continue
		case state == partly:
			r.first = old.first
		case old.settings.Quality == denoise.Fast, state == rough:
			state = rough
			if r.settings.Quality == denoise.Fast {
				state = done
			}
		default: // of a higher quality than fast, and so no worse as a start
			state = rough
			if r.settings.Quality == denoise.Fast {
				continue
			}
		}
		r.state[i], r.tiles[i], r.counts[i] = state, old.tiles[i], old.counts[i]
	}
}

// tile returns the denoised tile at a place; where nothing is denoised yet, it holds the input.
func (r *run) tile(at place) tile {
	if at.level == 0 {
		if t := r.tiles[at.y*r.columns+at.x]; t != nil {
			return t
		}
		return undone(r.picture.tile(at))
	}
	if t, ok := r.small[at]; ok {
		return t
	}
	t := r.picture.joined(at, r.tile)
	if at.level < 3 || r.allDone(at) { // tiles of many others change often
		r.small[at] = t
	}
	return t
}

// untouched says whether no pixel of a tile is denoised, so that the tile of the input can be used.
func (r *run) untouched(at place) bool { return r.least(at, waiting) }

func (r *run) allDone(at place) bool { return r.least(at, done) }

// least says whether all tiles of level 0 in a place have a state.
func (r *run) least(at place, state byte) bool {
	for y := at.y << at.level; y < min((at.y+1)<<at.level, r.rows); y++ {
		for x := at.x << at.level; x < min((at.x+1)<<at.level, r.columns); x++ {
			if r.state[y*r.columns+x] != state {
				return false
			}
		}
	}
	return true
}

// undone turns a tile of the input into a denoised one from which nothing was removed.
func undone(t tile) tile {
	out := append(tile(nil), t...)
	for i := 3; i < len(out); i += 4 {
		out[i] = fineZero
	}
	return out
}

// stateOf returns how far the visible part of a tile is.
func (r *run) stateOf(x, y int, visible goimage.Rectangle) byte {
	state := r.state[y*r.columns+x]
	if state == partly && r.picture.area(x, y).Intersect(visible).In(r.first) {
		return rough
	}
	return state
}

// put takes over an area, before and after denoising. A tile of which the area has but a part is partly denoised.
func (r *run) put(before, part *imageio.Image, area goimage.Rectangle, state byte) (changed goimage.Rectangle) {
	p := r.picture
	removed := removedFrom(before, part)
	fine := finePart(removed, area.Dx(), area.Dy())
	changed = r.tilesOf(area)
	for y := changed.Min.Y; y < changed.Max.Y; y++ {
		for x := changed.Min.X; x < changed.Max.X; x++ {
			i, state, at := y*r.columns+x, state, p.area(x, y)
			inside := at.Intersect(area)
			if inside != at {
				state = partly
			}
			if r.state[i] > state {
				continue
			}
			t := newTile()
			if state == partly {
				copy(t, r.tile(place{0, x, y}))
			}
			draw(t, inside.Min.Sub(at.Min), p.shown, part, inside.Sub(area.Min))
			for y := inside.Min.Y; y < inside.Max.Y; y++ {
				for x := inside.Min.X; x < inside.Max.X; x++ {
					t[4*((y-at.Min.Y)*tileSide+x-at.Min.X)+3] = fineByte(p.shown,
						fine[(y-area.Min.Y)*area.Dx()+x-area.Min.X])
				}
			}
			extend(t, at.Dx(), at.Dy())
			if r.analysis != nil {
				r.counts[i] = r.count(removed, area, inside)
			}
			r.tiles[i], r.state[i] = t, state
			for level := 1; level < maxLevels; level++ {
				delete(r.small, place{level, x >> level, y >> level})
			}
		}
	}
	return changed
}

// count returns the histogram of what was removed from a part of an area.
func (r *run) count(removed []float32, area, at goimage.Rectangle) *chart.Histogram {
	h := chart.NewHistogram(r.level())
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			h.Add(255 * float64(removed[(y-area.Min.Y)*area.Dx()+x-area.Min.X]))
		}
	}
	return h
}

// level returns about the noise in levels of 0-255, for the width of the histogram.
func (r *run) level() float64 {
	const least = 0.05
	found := r.analysis.Result()
	if m := r.picture.img.Mosaic; m != nil {
		sigma, _ := found.At(m.Black(0, 0) + mosaic.Gray*m.Range())
		return max(mosaic.Seen(sigma/m.Range()), least)
	}
	middle := float64(r.picture.shown.Low+r.picture.shown.High) / 2
	full := r.picture.img.FullScale(r.white)
	sigma, ok := found.At(full * middle)
	if !ok {
		return max(found.Sigma/2, least) // the level for the models is about twice what they remove
	}
	if found.Noise == denoise.Poisson || found.Noise == denoise.Curve {
		return 255 * sigma / full // may be small, as in the lowest bits of 16
	}
	return max(255*sigma/full, least)
}

// histogram returns that of all tiles.
func (r *run) histogram() *chart.Histogram {
	h := chart.NewHistogram(r.level())
	for _, c := range r.counts {
		if c != nil {
			h.AddHistogram(c)
		}
	}
	return h
}

// share returns how much of the picture has at least a state.
func (r *run) share(state byte) float64 {
	n := 0
	for _, s := range r.state {
		if s >= state {
			n++
		}
	}
	return float64(n) / float64(len(r.state))
}
