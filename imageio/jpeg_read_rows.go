package imageio

import (
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/crash"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// jpegRows computes samples on other goroutines while a scan is being read. Reading takes the codes of a file one after
// the other, so it cannot be divided; all that comes after can. It works in rows of units.
type jpegRows struct {
	list []*jpegComponent
	// gets the rows of the picture as soon as their samples are there; nil if the scan has not all components
	img     *Image
	convert bool // see jpegDecoder.row
	height  int  // of a row in the picture

	free    chan []jpegBlock // buffers of zeros
	due     chan jpegRow
	workers crash.Group

	mu    sync.Mutex
	state []rowState
}

// jpegRow is the coefficients of a row of units, component by component.
type jpegRow struct {
	y      int
	blocks []jpegBlock
}

type rowState byte

const (
	rowDue     rowState = iota
	rowSampled          // its samples are there
	rowPut              // it is in the image
)

// minAhead is the least number of rows for which other goroutines are worth their cost.
const minAhead = 4

// rowsAhead returns what computes the samples of a scan with some rows of units, or nil if they are computed one by
// one. A damaged file is read that way: blocks that it lacks are left as they are.
func (s *jpegScan) rowsAhead(down int) *jpegRows {
	workers := parallel.Workers(s.workers)
	size := 0
	for _, c := range s.list {
		size += c.rowBlocks(len(s.list))
	}
	if s.progressive || s.keep || workers < 2 || down < minAhead {
		return nil
	}
	p := &jpegRows{list: s.list, height: 8, convert: s.converts(), free: make(chan []jpegBlock, 2*workers),
		due: make(chan jpegRow, 2*workers), state: make([]rowState, down)}
	for _, c := range s.list {
		p.height = max(p.height, c.down*8*c.rowBlocks(len(s.list))/c.across)
	}
	if len(s.list) == len(s.components) && s.early && s.scans == 1 {
		p.img = s.newImage()
	}
	for range cap(p.free) {
		p.free <- make([]jpegBlock, size)
	}
	for range workers - 1 {
		p.workers.Go(func() {
			for row := range p.due {
				p.compute(s.jpegDecoder, row)
			}
		})
	}
	return p
}

// rowBlocks is the number of blocks in a row of units, in a scan of some components.
func (c *jpegComponent) rowBlocks(components int) int {
	if components == 1 {
		return c.across
	}
	return c.across * c.v
}

// begin gives the components room for the next row. If no buffer is free, it computes a row first.
func (p *jpegRows) begin(d *jpegDecoder, y int) jpegRow {
	row := jpegRow{y: y}
	for row.blocks == nil {
		select {
		case row.blocks = <-p.free:
			continue
		default:
		}
		select {
		case row.blocks = <-p.free:
		case other := <-p.due:
			p.compute(d, other)
		}
	}
	rest := row.blocks
	for _, c := range p.list {
		n := c.rowBlocks(len(p.list))
		c.ahead, rest = rest[:n], rest[n:]
	}
	return row
}

// end waits for all samples.
func (p *jpegRows) end() {
	close(p.due)
	p.workers.Wait()
	for _, c := range p.list {
		c.ahead = nil
	}
}

// compute computes the samples of a row, and puts all rows of the picture into the image that were waiting for these.
func (p *jpegRows) compute(d *jpegDecoder, row jpegRow) {
	rest := row.blocks
	for _, c := range p.list {
		n := c.rowBlocks(len(p.list))
		for i := range rest[:n] {
			x, y := i%c.across, row.y*(n/c.across)+i/c.across
			inverseDCT(c.samples[8*y*c.stride+8*x:], c.stride, &rest[i], c.steps)
		}
		rest = rest[n:]
	}
	clear(row.blocks)
	p.free <- row.blocks
	if p.img == nil {
		return
	}
	scratch := d.rowScratch()
	for _, ready := range p.sampled(row.y) {
		for y := ready * p.height; y < min(p.img.Height, (ready+1)*p.height); y++ {
			d.row(p.img, y, scratch, p.convert)
		}
	}
}

// sampled notes that the samples of a row are there. It returns the rows that can be put into the image now: enlarging
// looks at samples of the rows above and below.
func (p *jpegRows) sampled(y int) (ready []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state[y] = rowSampled
	there := func(y int) bool { return y < 0 || y >= len(p.state) || p.state[y] != rowDue }
	for i := max(0, y-1); i <= min(y+1, len(p.state)-1); i++ {
		if p.state[i] == rowSampled && there(i-1) && there(i+1) {
			p.state[i] = rowPut
			ready = append(ready, i)
		}
	}
	return ready
}
