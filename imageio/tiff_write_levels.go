package imageio

import (
	"math"
	"slices"
)

// level is a smaller copy of a page, one of a pyramid.
type level struct {
	width, height int
	tile          [2]int // as in tiffMeta
}

// readLevels reads the sizes of the smaller copies of a page. Their pixels are not read: new ones are made from the new
// picture. Directories inside the directory that hold something else are refused.
func (l *tiffLayout) readLevels(dir *ifd) error {
	e := dir.find(tagSubIFDs)
	if e == nil || e.count == 0 {
		return nil
	}
	subs, err := dir.subs(e)
	if err != nil {
		return notLevels()
	}
	for _, s := range subs {
		t := tags{dir: s}
		sub := tiffLayout{width: int64(t.uint(tagImageWidth, 0)), height: int64(t.uint(tagImageLength, 0)),
			tiled: s.has(tagTileWidth), turn: l.turn,
			blockWidth: int64(t.uint(tagTileWidth, 0)), blockHeight: int64(t.uint(tagTileLength, 0))}
		kind := t.uint(tagNewSubfileType, 0)
		photometric := t.uint(tagPhotometric, blackIsZero)
		switch {
		case t.err != nil:
			return t.err
		case photometric == rawSensor || photometric == rawLinear:
			return rawFile()
		case kind&1 == 0 || sub.width < 1 || sub.height < 1 || sub.width > l.width || sub.height > l.height:
			return notLevels()
		}
		v := level{int(sub.width), int(sub.height), sub.tile()}
		if l.turn.transposed() {
			v.width, v.height = v.height, v.width
		}
		l.levels = append(l.levels, v)
	}
	return nil
}

func notLevels() error { return unsupportedTIFF("sub-images (SubIFDs) that are no pyramid levels") }

// levels plans the smaller copies of a page, each made from the one before if that is larger.
func (t *tiffWriter) levels(whole *tiffPlan) []*tiffPlan {
	img := whole.img
	var plans []*tiffPlan
	last := img
	for _, v := range img.fromTIFF().levels {
		if v.width > img.Width || v.height > img.Height {
			continue
		}
		if v.width > last.Width || v.height > last.Height {
			last = img
		}
		if share := img.fromTIFF().picked; share > 0 {
			last = last.pickedAt(v.width, v.height, share)
		} else {
			last = last.shrunk(v.width, v.height)
		}
		p := &tiffPlan{packing: whole.packing, coding: whole.coding, img: last}
		p.divide(v.tile)
		plans = append(plans, p)
	}
	return plans
}

// shrunk returns the image at a smaller size. A pixel is the mean of the area that it covers.
func (m *Image) shrunk(w, h int) *Image {
	across, down := spans(m.Width, w), spans(m.Height, h)
	return m.Mapped(w, h, func(number int, p []float32) []float32 {
		if number >= 0 {
			if holes := m.NoDataSamples(number, m.stored.white); len(holes) > 0 {
				return shrinkAround(p, m.Width, across, down, holes)
			}
		}
		return shrink(p, m.Width, across, down)
	})
}

// span is the part of a row that a pixel of a smaller row covers: whole pixels, of which the first and the last count
// less.
type span struct {
	from, to    int
	first, last float64
}

// spans divides n pixels into m parts.
func spans(n, m int) []span {
	list := make([]span, m)
	for i := range list {
		a, b := float64(i)*float64(n)/float64(m), float64(i+1)*float64(n)/float64(m)
		s := span{from: int(a), to: min(int(math.Ceil(b)), n)}
		s.first, s.last = float64(s.from+1)-a, b-float64(s.to-1)
		list[i] = s
	}
	return list
}

// mean returns the mean of the samples of a span, which are step apart.
func (s span) mean(p []float32, step int) float32 {
	if s.to-s.from == 1 {
		return p[s.from*step]
	}
	sum := s.first*float64(p[s.from*step]) + s.last*float64(p[(s.to-1)*step])
	for i := s.from + 1; i < s.to-1; i++ {
		sum += float64(p[i*step])
	}
	return float32(sum / (s.first + s.last + float64(s.to-s.from-2)))
}

// shrink returns a smaller copy of a plane of rows of w samples.
func shrink(p []float32, w int, across, down []span) []float32 {
	h := len(p) / w
	narrow := make([]float32, h*len(across))
	for y := range h {
		row := p[y*w : (y+1)*w]
		for x, s := range across {
			narrow[y*len(across)+x] = s.mean(row, 1)
		}
	}
	out := make([]float32, len(down)*len(across))
	for y, s := range down {
		for x := range across {
			out[y*len(across)+x] = s.mean(narrow[x:], len(across))
		}
	}
	return out
}

// shrinkAround is shrink for a plane with missing values, which no mean may hold: a pixel is the mean of the others
// that it covers, or has the first of those values if there are no others.
func shrinkAround(p []float32, w int, across, down []span, holes []float32) []float32 {
	out := make([]float32, 0, len(down)*len(across))
	for _, y := range down {
		for _, x := range across {
			sum, n := 0.0, 0
			for at := y.from; at < y.to; at++ {
				for _, v := range p[at*w+x.from : at*w+x.to] {
					if !slices.Contains(holes, v) {
						sum, n = sum+float64(v), n+1
					}
				}
			}
			mean := p[y.from*w+x.from]
			if n > 0 {
				mean = float32(sum / float64(n))
			}
			out = append(out, mean)
		}
	}
	return out
}
