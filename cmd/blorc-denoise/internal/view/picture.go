package view

import (
	"context"
	goimage "image"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/chart"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/display"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// tileSide is the side of a tile in pixels of the level that it belongs to.
const tileSide = 256

// maxLevels is the number of levels of tiles. Each shows the picture at half the size of the one before.
const maxLevels = 12

// tile is 4 bytes for each of tileSide x tileSide pixels. Pixels outside the picture are 0.
type tile []byte

func newTile() tile { return make(tile, 4*tileSide*tileSide) }

// place is a tile of a level: level 0 has the pixels of the picture.
type place struct{ level, x, y int }

// children returns the four tiles of the level below.
func (p place) children() [4]place {
	return [4]place{{p.level - 1, 2 * p.x, 2 * p.y}, {p.level - 1, 2*p.x + 1, 2 * p.y},
		{p.level - 1, 2 * p.x, 2*p.y + 1}, {p.level - 1, 2*p.x + 1, 2*p.y + 1}}
}

// picture is a decoded page of a file.
type picture struct {
	file, page, pages int
	img               *imageio.Image
	raw               *display.Raw // develops img; nil if it is shown as it is
	size              goimage.Point
	planes            int // that are shown
	shown             display.Range

	mu    sync.Mutex
	small map[place]tile // tiles of levels above 0: red, green, blue, alpha

	analyses  map[settings]*denoise.Analysis
	curveOnce sync.Once
	curveData noisecurve.Curve
}

// curve returns the noise over brightness, measured at the first call.
func (p *picture) curve(workers int) noisecurve.Curve {
	p.curveOnce.Do(func() { p.curveData = chart.MeasureNoise(p.img, workers) })
	return p.curveData
}

func newPicture(file, page, pages int, img *imageio.Image) *picture {
	p := &picture{file: file, page: page, pages: pages, img: img, size: goimage.Pt(img.Width, img.Height),
		planes: len(img.Planes), small: map[place]tile{}, analyses: map[settings]*denoise.Analysis{}}
	if img.Mosaic == nil {
		p.shown = display.Of(img)
		return p
	}
	p.raw, p.shown = display.NewRaw(img), display.Range{High: 1}
	if p.size = p.raw.Bounds().Max; !img.Mosaic.Gray {
		p.planes = 3
	}
	return p
}

func (p *picture) bounds() goimage.Rectangle { return goimage.Rectangle{Max: p.size} }

// before returns an area as it is shown before denoising.
func (p *picture) before(area goimage.Rectangle) *imageio.Image {
	if p.raw != nil {
		return p.raw.Developed(p.img, goimage.Point{}, area)
	}
	return display.Part(p.img, area)
}

// after returns an area as it is shown after denoising.
func (p *picture) after(ctx context.Context, noise *denoise.Analysis, area goimage.Rectangle,
	o denoise.Options) (*imageio.Image, error) {
	if p.raw == nil {
		return noise.Part(ctx, p.img, area, margin, o)
	}
	from := p.raw.Source(area)
	part, err := noise.Part(ctx, p.img, from, margin, o)
	if err != nil {
		return nil, err
	}
	return p.raw.Developed(part, from.Min, area), nil
}

// grid returns the number of tiles of a level in x and y.
func (p *picture) grid(level int) (columns, rows int) {
	side := tileSide << level
	return (p.size.X + side - 1) / side, (p.size.Y + side - 1) / side
}

// has says whether there is such a tile.
func (p *picture) has(at place) bool {
	if at.level < 0 || at.level >= maxLevels {
		return false
	}
	columns, rows := p.grid(at.level)
	return at.x >= 0 && at.y >= 0 && at.x < columns && at.y < rows
}

// area returns the pixels of a tile of level 0.
func (p *picture) area(x, y int) goimage.Rectangle {
	return goimage.Rect(x*tileSide, y*tileSide, (x+1)*tileSide, (y+1)*tileSide).Intersect(p.bounds())
}

// tile returns the tile of the input at a place.
func (p *picture) tile(at place) tile {
	if at.level == 0 {
		t := newTile()
		fill(t, p.shown, p.before(p.area(at.x, at.y)))
		return t
	}
	p.mu.Lock()
	t, ok := p.small[at]
	p.mu.Unlock()
	if ok {
		return t
	}
	t = p.joined(at, p.tile)
	p.mu.Lock()
	p.small[at] = t
	p.mu.Unlock()
	return t
}

// joined returns a tile of the four of the level below.
func (p *picture) joined(at place, of func(place) tile) tile {
	t := newTile()
	for i, child := range at.children() {
		if p.has(child) {
			shrink(t, of(child), i)
		}
	}
	return t
}

// shrink fills a quarter of a tile with the means of 2 x 2 pixels of one of its children.
func shrink(to, from tile, quarter int) {
	const half = tileSide / 2
	for y := range half {
		out := to[4*((y+quarter/2*half)*tileSide+quarter%2*half):][:4*half]
		above, below := from[4*2*y*tileSide:], from[4*(2*y+1)*tileSide:]
		for x := range half {
			for c := range 4 {
				i := 8*x + c
				out[4*x+c] = byte((int(above[i]) + int(above[i+4]) + int(below[i]) + int(below[i+4]) + 2) / 4)
			}
		}
	}
}

// fill writes the pixels of an image, which is at most a tile, with their opacity.
func fill(t tile, d display.Range, img *imageio.Image) {
	draw(t, goimage.Point{}, d, img, goimage.Rect(0, 0, img.Width, img.Height))
	extend(t, img.Width, img.Height)
}

// draw is fill for a part of a tile that begins at a point.
func draw(t tile, at goimage.Point, d display.Range, img *imageio.Image, area goimage.Rectangle) {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		out := t[4*((y-area.Min.Y+at.Y)*tileSide+at.X):]
		for x := area.Min.X; x < area.Max.X; x++ {
			i := y*img.Width + x
			r, g, b := d.Pixel(img.Planes, i)
			out[0], out[1], out[2], out[3] = r, g, b, 255
			if img.Alpha != nil {
				out[3] = byte(min(max(img.Alpha[i]*255+0.5, 0), 255))
			}
			out = out[4:]
		}
	}
}

// extend repeats the last pixels of the first w x h ones to the edges of the tile, so that smaller levels have no dark
// rim.
func extend(t tile, w, h int) {
	const row = 4 * tileSide
	for y := range h {
		for x := w; x < tileSide; x++ {
			copy(t[y*row+4*x:][:4], t[y*row+4*(w-1):])
		}
	}
	for y := h; y < tileSide; y++ {
		copy(t[y*row:][:row], t[(h-1)*row:])
	}
}
