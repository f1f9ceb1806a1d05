package imageio

import (
	"bufio"
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// jpegEncoder codes the samples of an image in one scan, which holds all components. Rows of units are coded side by
// side, a few at a time: first their coefficients, then their bits, which depend on the last blocks of the row above.
// The rows are put together in their order, so the bytes do not depend on the number of workers.
type jpegEncoder struct {
	jpegCoding
	img   *Image
	units int // of a row
	codes [4]*[256]huffmanCode
	steps [][64]float64 // 1 / step of each component, in the order of the file
}

// jpegMostRows limits the memory on machines with many processors.
const jpegMostRows = 64

// encode writes the scan until a context is done.
func (c *jpegCoding) encode(ctx context.Context, w *bufio.Writer, img *Image, workers int) error {
	h, v := c.most()
	e := jpegEncoder{jpegCoding: *c, img: img, units: (img.Width + 8*h - 1) / (8 * h), codes: huffmanCodes()}
	for _, t := range e.tables {
		e.steps = append(e.steps, t.inverse())
	}
	rows := (img.Height + 8*v - 1) / (8 * v)
	workers = min(parallel.Workers(workers), rows)
	scratch := make([]jpegSamples, workers)
	batch := make([]codedRow, min(4*workers, jpegMostRows, rows))
	file, before := bitWriter{}, [4]int16{}
	for from := 0; from < rows; from += len(batch) {
		now := batch[:min(len(batch), rows-from)]
		err := parallel.For(ctx, workers, len(now), func(worker, i int) {
			e.transform(&now[i], &scratch[worker], (from+i)*8*v)
		})
		if err != nil {
			return err
		}
		for i := range now {
			now[i].before, before = before, now[i].last
		}
		err = parallel.For(ctx, workers, len(now), func(_, i int) { e.code(&now[i]) })
		if err != nil {
			return err
		}
		for i := range now {
			file.add(&now[i].bits)
			file.flush(w)
		}
	}
	file.end(w)
	return nil
}

// codedRow is a row of units.
type codedRow struct {
	blocks       []codedBlock // in the order of the file
	before, last [4]int16     // DC coefficient of each component: of its last block above the row, and in the row
	bits         bitWriter
}

// jpegSamples is memory for the samples of a row of units, -128 to 127.
type jpegSamples struct {
	full, part [][]float32 // of each component, before and after subsampling
}

// transform finds the coefficients of the row of units whose first row of samples is y.
func (e *jpegEncoder) transform(row *codedRow, s *jpegSamples, y int) {
	h, v := e.most()
	width := e.units * 8 * h
	if s.full == nil {
		for _, f := range e.factors {
			s.full = append(s.full, make([]float32, width*8*v))
			s.part = append(s.part, make([]float32, e.units*8*f[0]*8*f[1]))
		}
	}
	for dy := range 8 * v {
		e.convert(s.full, min(y+dy, e.img.Height-1), dy*width, width)
	}
	for i, f := range e.factors {
		reduce(s.part[i], s.full[i], width, h/f[0], v/f[1])
	}
	if row.blocks == nil {
		row.blocks = make([]codedBlock, e.units*e.blocksOfUnit())
	}
	at := 0
	for u := range e.units {
		for i, f := range e.factors {
			stride := e.units * 8 * f[0]
			for b := range f[0] * f[1] {
				x, dy := u*f[0]+b%f[0], b/f[0]
				block := &row.blocks[at]
				at++
				block.transform(s.part[i][8*dy*stride+8*x:], stride, &e.steps[i])
				row.last[i] = block.coefficients[0]
			}
		}
	}
}

// code finds the bits of a row of units.
func (e *jpegEncoder) code(row *codedRow) {
	row.bits.reset()
	last, at := row.before, 0
	for range e.units {
		for i, f := range e.factors {
			codes := e.codes[2*e.codesOf(i):]
			for range f[0] * f[1] {
				b := &row.blocks[at]
				at++
				b.code(&row.bits, codes[0], codes[1], last[i])
				last[i] = b.coefficients[0]
			}
		}
	}
}

// convert converts row y of the image to components and stores them from index at. It repeats the last pixel up to the
// width. Luma and chroma are defined by JFIF. With the transform, the inks of CMYK are inverted first.
func (e *jpegEncoder) convert(full [][]float32, y, at, width int) {
	w, p := e.img.Width, e.img.Planes
	ycc := len(p) >= 3 && !e.plain
	for c := range p {
		line := full[c][at:][:w]
		factor, offset := float32(255), float32(0)
		if ycc && len(p) == 4 && c < 3 {
			factor, offset = -255, 255
		}
		if !ycc || c == 3 {
			offset -= 128
		}
		for x, v := range p[c][y*w:][:w] {
			if v < 0 {
				v = 0
			} else if v > 1 {
				v = 1
			}
			line[x] = factor*v + offset
		}
	}
	if ycc {
		toLuma(full[0][at:][:w], full[1][at:][:w], full[2][at:][:w])
	}
	for c := range p {
		line := full[c][at:][:width]
		for x := w; x < width; x++ {
			line[x] = line[w-1]
		}
	}
}

// toLuma turns, in place, red, green and blue of 0 to 255 into luma and two chroma of -128 to 127.
func toLuma(red, green, blue []float32) {
	green, blue = green[:len(red)], blue[:len(red)]
	for x, r := range red {
		g, b := green[x], blue[x]
		red[x] = 0.299*r + 0.587*g + 0.114*b - 128
		green[x] = 0.5*b - 0.168735892*r - 0.331264108*g
		blue[x] = 0.5*r - 0.418687589*g - 0.081312411*b
	}
}

// reduce stores the mean of each h x v samples of src in dst. Rows of src have width samples.
func reduce(dst, src []float32, width, h, v int) {
	if h == 1 && v == 1 {
		copy(dst, src)
		return
	}
	w, one := width/h, 1/float32(h*v)
	for y := range len(dst) / w {
		for x := range w {
			sum := float32(0)
			for dy := range v {
				for _, s := range src[(y*v+dy)*width+x*h:][:h] {
					sum += s
				}
			}
			dst[y*w+x] = sum * one
		}
	}
}
