package compare

import (
	goimage "image"
	"math"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// spot is a part of an image worth looking at.
type spot struct {
	Name string
	Area goimage.Rectangle
}

// cellSide is the side of the cells in which structure is measured, in pixels.
const cellSide = 16

// cell is what is known about a part of an image.
type cell struct {
	mean, flat, edge, texture, change float64
}

// chooseSpots chooses up to four parts of an image of about width x height pixels each: a flat area, an edge, texture,
// and where most was changed. Structure is measured in the denoised image. Parts hardly overlap, so a small image has
// fewer.
func chooseSpots(before, after *imageio.Image, width, height int) []spot {
	return choose(before, after, width, height, flat, edge, texture, change)
}

// kind is a kind of spot. The one with the highest mean score is chosen.
type kind struct {
	name  string
	score func(cell) float64
}

var (
	edge    = kind{"edge", func(c cell) float64 { return c.edge - c.texture/2 }}
	texture = kind{"texture", func(c cell) float64 { return c.texture - c.edge/2 }}
	flat    = kind{"flat", func(c cell) float64 { return c.flat }}
	change  = kind{"greatest change", func(c cell) float64 { return c.change }}
)

// choose chooses spots of the kinds, the first one freely and the others where there is room.
func choose(before, after *imageio.Image, width, height int, kinds ...kind) []spot {
	whole := goimage.Rect(0, 0, after.Width, after.Height)
	if width >= whole.Dx() && height >= whole.Dy() {
		return []spot{{"the whole picture", whole}}
	}
	width, height = min(width, whole.Dx()), min(height, whole.Dy())
	cells, columns, rows := measure(before, after)
	var spots []spot
	for _, k := range kinds {
		scores := newSums(columns, rows, func(i int) float64 { return k.score(cells[i]) })
		if area, ok := scores.best(whole, width, height, spots); ok {
			spots = append(spots, spot{k.name, area})
		}
	}
	return spots
}

// measure divides an image into cells.
func measure(before, after *imageio.Image) (cells []cell, columns, rows int) {
	columns, rows = max(1, after.Width/cellSide), max(1, after.Height/cellSide)
	cells = make([]cell, columns*rows)
	for y := range rows {
		for x := range columns {
			area := goimage.Rect(x*cellSide, y*cellSide, (x+1)*cellSide,
				(y+1)*cellSide).Intersect(goimage.Rect(0, 0, after.Width, after.Height))
			cells[y*columns+x] = measureCell(before, after, area)
		}
	}
	return cells, columns, rows
}

// measureCell takes the gradients of the means of 2 x 2 pixels. Their two principal directions tell an edge, which has
// one, from texture, which has both.
func measureCell(before, after *imageio.Image, area goimage.Rectangle) cell {
	const half = cellSide / 2
	var small [half][half]float64
	w, h := area.Dx()/2, area.Dy()/2
	var c cell
	for y := range h {
		for x := range w {
			i := (area.Min.Y+2*y)*after.Width + area.Min.X + 2*x
			for _, j := range []int{i, i + 1, i + after.Width, i + after.Width + 1} {
				a, b := light(after, j), light(before, j)
				small[y][x] += a / 4
				c.change += (a - b) * (a - b)
			}
			c.mean += small[y][x]
		}
	}
	n := float64(max(1, w*h))
	c.mean /= n
	c.change /= n
	var xx, yy, xy float64
	for y := 1; y < h; y++ {
		for x := 1; x < w; x++ {
			dx, dy := small[y][x]-small[y][x-1], small[y][x]-small[y-1][x]
			xx, yy, xy = xx+dx*dx, yy+dy*dy, xy+dx*dy
		}
	}
	energy := (xx + yy) / n
	coherence := 0.0
	if energy > 0 {
		coherence = math.Hypot(xx-yy, 2*xy) / (xx + yy)
	}
	strength := math.Sqrt(energy)
	c.edge, c.texture = strength*coherence*coherence, strength*(1-coherence)
	c.flat = -energy * energy           // so that the mean of a flat area is that of its worst cells, such as letters
	if c.mean < 0.04 || c.mean > 0.96 { // black and white show no noise
		c.flat -= 1
	}
	return c
}

// light is the mean of the colours, not further from 0 to 1 than shown.
func light(img *imageio.Image, i int) float64 {
	sum := float32(0)
	for _, p := range img.Planes {
		sum += min(max(p[i], -1), 2)
	}
	return float64(sum) / float64(len(img.Planes))
}

// sums holds the sums of all rectangles that begin at the first cell, so that those of others take no time.
type sums struct {
	columns, rows int
	total         []float64 // (columns+1) x (rows+1)
}

func newSums(columns, rows int, value func(i int) float64) sums {
	s := sums{columns, rows, make([]float64, (columns+1)*(rows+1))}
	for y := range rows {
		row := 0.0
		for x := range columns {
			row += value(y*columns + x)
			s.total[(y+1)*(columns+1)+x+1] = s.total[y*(columns+1)+x+1] + row
		}
	}
	return s
}

func (s sums) of(x0, y0, x1, y1 int) float64 {
	w := s.columns + 1
	return s.total[y1*w+x1] - s.total[y0*w+x1] - s.total[y1*w+x0] + s.total[y0*w+x0]
}

// maxShared is the share of a spot that may lie in another.
const maxShared = 0.25

// best returns the area with the highest mean that hardly touches those taken.
func (s sums) best(whole goimage.Rectangle, width, height int, taken []spot) (best goimage.Rectangle, ok bool) {
	most := math.Inf(-1)
	w, h := min(max(1, width/cellSide), s.columns), min(max(1, height/cellSide), s.rows)
	for y := 0; y+h <= s.rows; y++ {
		for x := 0; x+w <= s.columns; x++ {
			score := s.of(x, y, x+w, y+h)
			if score <= most {
				continue
			}
			area := goimage.Rect(0, 0, width, height).Add(goimage.Pt(x*cellSide, y*cellSide))
			area = area.Sub(goimage.Pt(max(0, area.Max.X-whole.Max.X), max(0, area.Max.Y-whole.Max.Y)))
			if shares(area, taken) {
				continue
			}
			most, best, ok = score, area, true
		}
	}
	return best, ok
}

func shares(area goimage.Rectangle, taken []spot) bool {
	for _, t := range taken {
		common := area.Intersect(t.Area).Size()
		if float64(common.X*common.Y) > maxShared*float64(area.Dx()*area.Dy()) {
			return true
		}
	}
	return false
}
