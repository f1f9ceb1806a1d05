package imageio

import (
	"bytes"
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// jpegDecoder decodes the scans of a baseline, extended or progressive JPEG file with Huffman coding.
type jpegDecoder struct {
	head        *jpegHeader
	progressive bool
	components  []jpegComponent
	unitsAcross int // units of the whole picture (MCU), each with h x v blocks of every component
	unitsDown   int
	tables      [4]*[64]int32 // quantisation steps in row-major order
	dc, ac      [4]*huffmanDecoder
	interval    int  // units between restart markers, or 0
	framed      bool // the frame header has been read
	scans       int
	workers     int
}

// jpegOptions says how scans are decoded.
type jpegOptions struct {
	workers int
	tables  []byte // a JPEG file that holds nothing but tables for this one, or nil
}

// decodeScans decodes the samples of all components.
func decodeScans(data []byte, h *jpegHeader, o jpegOptions) (*jpegDecoder, error) {
	d := &jpegDecoder{head: h, progressive: h.frame == markerSOF2, workers: o.workers}
	std := standardDecoders()
	d.dc, d.ac = [4]*huffmanDecoder{std[0], std[2]}, [4]*huffmanDecoder{std[1], std[3]}
	if err := d.setComponents(); err != nil {
		return nil, err
	}
	if len(o.tables) > 2 {
		if err := d.segments(o.tables); err != nil {
			return nil, err
		}
	}
	if err := d.segments(data); err != nil {
		return nil, err
	}
	for i := range d.components {
		if !d.components[i].scanned {
			return nil, damagedf(JPEG, "no scan of component %d", i+1)
		}
	}
	if d.progressive {
		d.transform()
	}
	return d, nil
}

// setComponents reads the sampling factors.
func (d *jpegDecoder) setComponents() error {
	h, n := d.head, int(d.head.components)
	right, down := 1, 1
	for i := range n {
		p := h.frameBody[6+3*i:]
		c := jpegComponent{h: int(p[1] >> 4), v: int(p[1] & 15), table: p[2]}
		if c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4 || c.table > 3 {
			return damagedf(JPEG, "bad component %d", i+1)
		}
		for j := range i {
			if h.frameBody[6+3*j] == p[0] {
				return damagedf(JPEG, "two components of one name")
			}
		}
		d.components, right, down = append(d.components, c), max(right, c.h), max(down, c.v)
	}
	w, height := int(h.width), int(h.height)
	d.unitsAcross, d.unitsDown = (w+8*right-1)/(8*right), (height+8*down-1)/(8*down)
	for i := range d.components {
		c := &d.components[i]
		if right%c.h != 0 || down%c.v != 0 {
			return failf(ErrUnsupported, "JPEG with sampling factors %d x %d of %d x %d is not supported", c.h, c.v, right, down)
		}
		c.right, c.down = right/c.h, down/c.v
		c.width, c.height = (w*c.h+right-1)/right, (height*c.v+down-1)/down
		c.across = d.unitsAcross * c.h
		c.blocks, c.stride = c.across*d.unitsDown*c.v, 8*c.across
	}
	return nil
}

// jpegScan is a scan that is being decoded.
type jpegScan struct {
	bitReader
	list        []*jpegComponent
	progressive bool
	refine      bool
}

// scan decodes a scan. body is its header (T.81, section B.2.3), and data follows that. It returns the number of bytes
// of data that the scan takes.
func (d *jpegDecoder) scan(body, data []byte) (int, error) {
	s, err := d.scanHeader(body)
	if err != nil {
		return 0, err
	}
	s.data = data
	across, down := d.unitsAcross, d.unitsDown
	if len(s.list) == 1 { // units are blocks, without padding
		c := s.list[0]
		across, down = (c.width+7)/8, (c.height+7)/8
	}
	left, number := d.interval, byte(0)
	for y := range down {
		for x := range across {
			if d.interval > 0 {
				if left == 0 {
					if err := s.restart(number); err != nil {
						return 0, err
					}
					left, number = d.interval, (number+1)&7
				}
				left--
			}
			s.unit(x, y)
		}
		if s.failed {
			return 0, damagedf(JPEG, "bad Huffman code")
		}
		if s.overrun() {
			return 0, s.end()
		}
	}
	return s.at, nil
}

// end returns the error for a scan that has too few bits.
func (s *jpegScan) end() error {
	if s.at+1 >= len(s.data) {
		return truncated(JPEG)
	}
	return damagedf(JPEG, "a scan ends too early")
}

// scanHeader reads the header of a scan and prepares its components.
func (d *jpegDecoder) scanHeader(body []byte) (*jpegScan, error) {
	if len(body) < 1 || len(body) != 4+2*int(body[0]) || body[0] < 1 || body[0] > 4 {
		return nil, damagedf(JPEG, "bad scan header")
	}
	if !d.framed {
		return nil, damagedf(JPEG, "a scan before the frame header")
	}
	if d.scans++; d.scans > maxScans {
		return nil, tooManyScans(d.scans)
	}
	n := int(body[0])
	s := &jpegScan{progressive: d.progressive}
	from, to, high, low := int(body[1+2*n]), int(body[2+2*n]), int(body[3+2*n]>>4), int(body[3+2*n]&15)
	if d.progressive {
		bad := from > to || to > 63 || from == 0 && to != 0 || from > 0 && n > 1 || low > 13 || high != 0 && high != low+1
		if bad {
			return nil, damagedf(JPEG, "bad progressive scan")
		}
		s.refine = high != 0
	}
	blocks := 0
	for i := range n {
		c, err := d.scanComponent(body[1+2*i], body[2+2*i], s.list)
		if err != nil {
			return nil, err
		}
		c.coding.from, c.coding.to, c.coding.low = from, to, uint(low)
		s.list, blocks = append(s.list, c), blocks+c.h*c.v
	}
	if n > 1 && blocks > 10 {
		return nil, damagedf(JPEG, "a scan with units of %d blocks", blocks)
	}
	return s, nil
}

// scanComponent prepares the component with a name for a scan. selectors are the numbers of its Huffman tables.
func (d *jpegDecoder) scanComponent(name, selectors byte, before []*jpegComponent) (*jpegComponent, error) {
	for i := range d.components {
		c := &d.components[i]
		if d.head.frameBody[6+3*i] != name {
			continue
		}
		for _, b := range before {
			if b == c {
				return nil, damagedf(JPEG, "a scan with the same component twice")
			}
		}
		dc, ac := selectors>>4, selectors&15
		if dc > 3 || ac > 3 || d.dc[dc] == nil || d.ac[ac] == nil {
			return nil, damagedf(JPEG, "a scan without Huffman tables")
		}
		c.coding = scanCoding{dc: d.dc[dc], ac: d.ac[ac]}
		if c.scanned {
			return c, nil
		}
		if c.steps = d.tables[c.table]; c.steps == nil {
			return nil, damagedf(JPEG, "no quantisation table")
		}
		c.scanned = true
		if d.progressive {
			c.coefficients = make([]jpegBlock, c.blocks)
		} else {
			c.samples = make([]byte, 64*c.blocks)
		}
		return c, nil
	}
	return nil, damagedf(JPEG, "a scan of an unknown component")
}

// restart goes on after restart marker number, which resets the state of the decoder.
func (s *jpegScan) restart(number byte) error {
	if s.overrun() {
		return s.end()
	}
	for {
		i := bytes.IndexByte(s.data[s.at:], 0xff)
		if i < 0 || s.at+i+1 >= len(s.data) {
			return truncated(JPEG)
		}
		s.at += i + 1
		marker := s.data[s.at]
		if marker == 0 || marker == 0xff {
			continue
		}
		if marker != markerRST0+number {
			return damagedf(JPEG, "bad restart marker")
		}
		s.at++
		break
	}
	s.bits, s.count, s.zeros = 0, 0, 0
	for _, c := range s.list {
		c.coding.last, c.coding.zeros = 0, 0
	}
	return nil
}

// unit decodes the blocks of unit (x, y).
func (s *jpegScan) unit(x, y int) {
	if len(s.list) == 1 {
		s.block(s.list[0], x, y)
		return
	}
	for _, c := range s.list {
		for dy := range c.v {
			for dx := range c.h {
				s.block(c, x*c.h+dx, y*c.v+dy)
			}
		}
	}
}

// block decodes block (x, y) of a component.
func (s *jpegScan) block(c *jpegComponent, x, y int) {
	if s.progressive {
		c.coding.progressive(&s.bitReader, &c.coefficients[y*c.across+x], s.refine)
		return
	}
	var b jpegBlock
	c.coding.sequential(&s.bitReader, &b)
	inverseDCT(c.samples[8*y*c.stride+8*x:], c.stride, &b, c.steps)
}

// transform computes the samples of a progressive file from its coefficients, and frees those.
func (d *jpegDecoder) transform() {
	for i := range d.components {
		c := &d.components[i]
		c.samples = make([]byte, 64*c.blocks)
		_ = parallel.For(context.Background(), d.workers, c.blocks/c.across, func(_, y int) {
			for x := range c.across {
				inverseDCT(c.samples[8*y*c.stride+8*x:], c.stride, &c.coefficients[y*c.across+x], c.steps)
			}
		})
		c.coefficients = nil
	}
}
