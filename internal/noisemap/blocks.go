package noisemap

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
)

// Side is the side of a block in samples. A smaller picture is one block.
const Side = 16

// Scales is how many sizes noise is measured at: full, half and quarter size.
const Scales = 3

// Block is the noise in a block of a plane.
type Block struct {
	X, Y    int             // of its first sample
	Level   float64         // mean of the picture without noise
	Squares [Scales]float64 // mean square of the noise, and of its means over 2 x 2 and 4 x 4 samples
	// Above and Below are the noise that raises samples and that which lowers them: the square of what most of them
	// have at most (see within). They differ if the noise is clipped. A line or a spot that was removed with the
	// noise counts little.
	Above, Below float64
}

// Parts are the blocks of each plane. Three planes together also have their brightness, which is their mean, and
// their colours, which are what differs from it: the mean square over the planes.
type Parts struct {
	Planes        [][]Block
	Luma, Colours []Block
}

// Picture is a picture with and without its noise. Left says which samples carry no picture; nil means that all do.
// Planes are left together.
type Picture struct {
	Noisy, Result [][]float32
	Width, Height int
	Left          func(i int) bool
}

// Measure measures what was removed from a picture. When the context is done, it returns soon, with less.
func Measure(ctx context.Context, p Picture, workers int) Parts {
	return p.parts(ctx, workers, func(m *memory, x, y, w, h int, row *Parts) {
		p.measured(m, x, y, w, h, row)
		if len(p.Noisy) != 3 {
			return
		}
		level := 0.0
		for _, blocks := range row.Planes {
			level += blocks[len(blocks)-1].Level / 3
		}
		noisy, result := p.Noisy, p.Result
		row.together(p.block(m, x, y, w, h, level, func(at int) float32 {
			return (noisy[0][at] - result[0][at] + noisy[1][at] - result[1][at] + noisy[2][at] - result[2][at]) / 3
		}))
	})
}

// MeasurePlanes measures what was removed from the planes of pictures of equally many planes.
func MeasurePlanes(ctx context.Context, pictures []Picture, workers int) [][]Block {
	var all Parts
	for _, p := range pictures {
		all.add(p.parts(ctx, workers, p.measured))
	}
	return all.Planes
}

// Known returns the noise of a picture, of which sigma tells the standard deviation in a plane at a level. It is white,
// and independent in the planes. Result is not looked at: the levels are means of noisy samples. The context is as for
// Measure.
func Known(ctx context.Context, p Picture, sigma func(plane int, level float64) float64, workers int) Parts {
	p.Result = p.Noisy
	return p.parts(ctx, workers, func(m *memory, x, y, w, h int, row *Parts) {
		p.measured(m, x, y, w, h, row)
		luma := Block{X: x, Y: y}
		n := float64(len(p.Noisy))
		for i, blocks := range row.Planes {
			b := &blocks[len(blocks)-1]
			s := sigma(i, b.Level)
			b.Squares, b.Above, b.Below = white(s*s), s*s, s*s
			luma.Level += b.Level / n
			luma.Above += s * s / n / n
		}
		luma.Below, luma.Squares = luma.Above, white(luma.Above)
		row.together(luma)
	})
}

// white returns the mean squares of white noise at all sizes.
func white(square float64) (all [Scales]float64) {
	for i := range all {
		all[i] = square
		square /= 4
	}
	return all
}

func (all *Parts) add(more Parts) {
	if all.Planes == nil {
		all.Planes = make([][]Block, len(more.Planes))
	}
	for i, b := range more.Planes {
		all.Planes[i] = append(all.Planes[i], b...)
	}
	all.Luma = append(all.Luma, more.Luma...)
	all.Colours = append(all.Colours, more.Colours...)
}

// together adds the block of the brightness, and that of the colours, to those of the planes that were added last.
func (all *Parts) together(luma Block) {
	if len(all.Planes) != 3 {
		return
	}
	colours := Block{X: luma.X, Y: luma.Y, Level: luma.Level}
	for _, p := range all.Planes {
		for i, s := range p[len(p)-1].Squares {
			colours.Squares[i] += s / float64(len(all.Planes))
		}
	}
	for i, s := range luma.Squares {
		colours.Squares[i] = max(0, colours.Squares[i]-s)
	}
	colours.Above, colours.Below = colours.Squares[0], colours.Squares[0]
	all.Luma, all.Colours = append(all.Luma, luma), append(all.Colours, colours)
}

// memory is what measuring a block needs.
type memory struct {
	removed      []float64
	above, below []float64 // squares of what was removed
}

// parts calls of for each block that has enough samples, and joins what it adds to rows of blocks.
func (p Picture) parts(ctx context.Context, workers int, of func(m *memory, x, y, w, h int, row *Parts)) Parts {
	w, h := min(Side, p.Width), min(Side, p.Height)
	rows := make([]Parts, p.Height/h)
	memories := make([]memory, parallel.Workers(workers))
	_ = parallel.For(ctx, workers, len(rows), func(worker, i int) {
		row := &rows[i]
		row.Planes = make([][]Block, len(p.Noisy))
		for x := 0; x+w <= p.Width; x += w {
			if p.has(x, i*h, w, h) {
				of(&memories[worker], x, i*h, w, h, row)
			}
		}
	})
	all := Parts{Planes: make([][]Block, len(p.Noisy))}
	for _, r := range rows {
		all.add(r)
	}
	return all
}

// has reports whether most samples of a block carry the picture.
func (p Picture) has(x, y, w, h int) bool {
	if p.Left == nil {
		return true
	}
	left := 0
	for j := range h {
		for i := range w {
			if p.Left((y+j)*p.Width + x + i) {
				left++
			}
		}
	}
	return 2*left < w*h
}

// measured measures a block of each plane.
func (p Picture) measured(m *memory, x, y, w, h int, row *Parts) {
	for i, noisy := range p.Noisy {
		result := p.Result[i]
		b := p.block(m, x, y, w, h, p.mean(result, x, y, w, h), func(at int) float32 { return noisy[at] - result[at] })
		row.Planes[i] = append(row.Planes[i], b)
	}
}

// mean returns the mean of the samples of a block that carry the picture.
func (p Picture) mean(plane []float32, x, y, w, h int) float64 {
	sum, count := 0.0, 0
	for j := y; j < y+h; j++ {
		for at := j*p.Width + x; at < j*p.Width+x+w; at++ {
			if p.Left == nil || !p.Left(at) {
				sum += float64(plane[at])
				count++
			}
		}
	}
	return sum / float64(count)
}

// block measures a block, given what was removed from each sample.
func (p Picture) block(m *memory, x, y, w, h int, level float64, of func(at int) float32) Block {
	b := Block{X: x, Y: y, Level: level}
	removed, above, below := m.removed[:0], m.above[:0], m.below[:0]
	count := 0.0
	for j := y; j < y+h; j++ {
		for at := j*p.Width + x; at < j*p.Width+x+w; at++ {
			if p.Left != nil && p.Left(at) {
				removed = append(removed, 0)
				continue
			}
			d := float64(of(at))
			removed = append(removed, d)
			b.Squares[0] += d * d
			count++
			if d > 0 {
				above = append(above, d*d)
			} else {
				below = append(below, d*d)
			}
		}
	}
	m.removed, m.above, m.below = removed, above, below
	b.Squares[0] /= count
	b.Above, b.Below = quantile.Of(above, within), quantile.Of(below, within)
	for s := 1; s < Scales; s++ {
		removed, w = halve(removed, w)
		for _, d := range removed {
			b.Squares[s] += d * d / count * float64(int(1)<<(2*s))
		}
	}
	return b
}

// within is the share of samples with normal noise that lie within its standard deviation.
const within = 0.683

// halve returns the means of 2 x 2 samples, in their place. What is left over at the edges counts as nothing.
func halve(p []float64, width int) (means []float64, half int) {
	if half = width / 2; half == 0 {
		return nil, 0
	}
	n := 0
	for y := 0; y+2 <= len(p)/width; y += 2 {
		for x := range half {
			at := y*width + 2*x
			p[n] = (p[at] + p[at+1] + p[at+width] + p[at+width+1]) / 4
			n++
		}
	}
	return p[:n], half
}
