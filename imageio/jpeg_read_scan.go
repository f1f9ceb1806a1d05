package imageio

import (
	"bytes"
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// jpegDecoder decodes the scans of a baseline, extended or progressive JPEG file.
type jpegDecoder struct {
	head        *jpegHeader
	progressive bool
	components  []jpegComponent
	unitsAcross int // units of the whole picture (MCU), each with h x v blocks of every component
	unitsDown   int
	tables      [4]*[64]int32 // quantisation steps in row-major order
	dc, ac      [4]*huffmanDecoder
	arithmetic  *arithmeticReader // of a file with arithmetic coding
	conditions  arithmeticTables
	interval    int  // units between restart markers, or 0
	framed      bool // the frame header has been read
	scans       int  // whose headers make sense
	lacking     bool // the data of a scan ended before its last unit
	unused      int  // bytes at the end of a scan that nothing needed
	missing     int  // rows at the bottom of a file without progression that no scan has given
	jpegOptions
	warnings []string
	damaged  string // the first of the warnings that only a file which is kept has, or empty
	img      *Image // made while the first scan was read; nil if it was not
	made     bool   // img has the samples of all scans
}

// jpegOptions says how scans are decoded.
type jpegOptions struct {
	ctx     context.Context // may be nil
	workers int
	tables  []byte // a JPEG file that holds nothing but tables for this one, or nil
	keep    bool   // read what is there of a damaged file
	early   bool   // make the image while scans are read
}

// decodeScans decodes the samples of all components. With an error it returns what it had come to, if anything.
func decodeScans(data []byte, h *jpegHeader, o jpegOptions) (*jpegDecoder, error) {
	d := &jpegDecoder{head: h, progressive: h.frame == markerSOF2 || h.frame == markerSOFa,
		conditions: standardConditions(), jpegOptions: o}
	if h.frame >= markerSOF9 {
		d.arithmetic = &arithmeticReader{tab: &d.conditions}
	}
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
		if !o.keep || d.scans == 0 || ended(o.ctx) != nil {
			return d, err
		}
		d.warnOf(err)
	}
	for i := range d.components {
		c := &d.components[i]
		switch {
		case c.scanned:
		case !o.keep || d.scans == 0:
			return nil, damagedf(JPEG, "no scan of component %d", i+1)
		default:
			d.damage("no scan of component %d", i+1)
			c.makeGray()
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
			return failf(ErrUnsupported, "JPEG with sampling factors %d x %d of %d x %d is not supported", c.h, c.v,
				right, down)
		}
		c.right, c.down = right/c.h, down/c.v
		c.width, c.height = (w*c.h+right-1)/right, (height*c.v+down-1)/down
		c.across = d.unitsAcross * c.h
		c.blocks, c.stride = c.across*d.unitsDown*c.v, 8*c.across
	}
	return nil
}

// warnOf makes a warning of an error that ended a file which is kept.
func (d *jpegDecoder) warnOf(err error) {
	text := err.Error()
	if text == truncated(JPEG).Error() {
		text = "the file is cut short, and a part of the picture is missing"
	}
	d.damage("%s", text)
}

// makeGray fills a component that no scan describes.
func (c *jpegComponent) makeGray() {
	c.scanned, c.steps, c.coefficients = true, new([64]int32), nil
	c.samples = bytes.Repeat([]byte{128}, 64*c.blocks)
}

// jpegScan is a scan that is being decoded.
type jpegScan struct {
	bitReader
	*jpegDecoder
	list    []*jpegComponent
	refine  bool
	stopped bool // the data have ended, and the blocks up to the next restart are left as they are
	left    int  // units before the next restart marker, if there are any
	marker  byte // number of that marker
	given   int  // rows of units before the last one that the data ended in
}

// scan decodes a scan. body is its header (T.81, section B.2.3), and data follows that. It returns the number of bytes
// of data that the scan takes.
func (d *jpegDecoder) scan(body, data []byte) (int, error) {
	s, err := d.scanHeader(body)
	if err != nil {
		return 0, err
	}
	s.data = data
	if d.arithmetic != nil {
		d.arithmetic.data, d.arithmetic.at = data, 0
		d.arithmetic.reset()
	}
	across, down := d.unitsAcross, d.unitsDown
	if len(s.list) == 1 { // units are blocks, without padding
		c := s.list[0]
		across, down = (c.width+7)/8, (c.height+7)/8
	}
	d.unused = 0
	s.left = d.interval
	ahead := s.rowsAhead(down)
	d.made = ahead != nil && ahead.img != nil
	if ahead != nil {
		defer ahead.end()
	}
	if d.made {
		d.img = ahead.img
	}
	for y := range down {
		if err := ended(d.ctx); err != nil {
			return 0, err
		}
		var row jpegRow
		if ahead != nil {
			row = ahead.begin(d, y)
		}
		if err := s.units(y, across); err != nil {
			return 0, err
		}
		if ahead != nil {
			ahead.due <- row
		}
	}
	if s.stopped && !d.progressive {
		rows := (s.given + 1) * int(d.head.height) / down // about
		d.missing = max(d.missing, int(d.head.height)-rows)
	}
	d.unused = s.unread()
	return s.position(), nil
}

// units decodes a row of units.
func (s *jpegScan) units(y, across int) error {
	for x := range across {
		if err := s.restartIfDue(); err != nil {
			return err
		}
		if s.stopped {
			continue
		}
		s.given = y
		s.unit(x, y)
		if s.keep {
			s.goOn()
		}
	}
	return s.check()
}

// restartIfDue reads the restart marker before a unit if there is to be one.
func (s *jpegScan) restartIfDue() error {
	if s.interval == 0 {
		return nil
	}
	if s.left == 0 {
		if err := s.restart(s.marker); err != nil {
			return err
		}
		s.left, s.marker = s.interval, (s.marker+1)&7
	}
	s.left--
	return nil
}

// check returns the error for damage in the units so far.
func (s *jpegScan) check() error {
	switch {
	case s.keep:
		return nil
	case s.arithmetic != nil && s.arithmetic.count == arithmeticBad:
		return damagedf(JPEG, "bad arithmetic code")
	case s.failed:
		return damagedf(JPEG, "bad Huffman code")
	case s.overrun():
		return s.end()
	}
	return nil
}

// position returns the place of the next byte.
func (s *jpegScan) position() int {
	if s.arithmetic != nil {
		return s.arithmetic.at
	}
	return s.at
}

func (s *jpegScan) setPosition(at int) {
	if s.at = at; s.arithmetic != nil {
		s.arithmetic.at = at
	}
}

// end returns the error for a scan that has too few bits.
func (s *jpegScan) end() error {
	if s.at+1 >= len(s.data) {
		return truncated(JPEG)
	}
	return damagedf(JPEG, "a scan ends too early")
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
		b := &c.coefficients[y*c.across+x]
		if s.arithmetic != nil {
			s.arithmetic.block(&c.coding, b, true, s.refine)
			return
		}
		c.coding.progressive(&s.bitReader, b, s.refine)
		return
	}
	if c.ahead != nil {
		s.sequential(c, &c.ahead[y*c.across%len(c.ahead)+x])
		return
	}
	var b jpegBlock
	s.sequential(c, &b)
	inverseDCT(c.samples[8*y*c.stride+8*x:], c.stride, &b, c.steps)
}

// sequential decodes a block of a file without progression.
func (s *jpegScan) sequential(c *jpegComponent, b *jpegBlock) {
	if s.arithmetic != nil {
		s.arithmetic.block(&c.coding, b, false, false)
	} else {
		c.coding.sequential(&s.bitReader, b)
	}
}

// transform computes the samples of a progressive file from its coefficients, and frees those.
func (d *jpegDecoder) transform() {
	for i := range d.components {
		c := &d.components[i]
		if c.coefficients == nil {
			continue
		}
		c.samples = make([]byte, 64*c.blocks)
		_ = parallel.For(running(d.ctx), d.workers, c.blocks/c.across, func(_, y int) {
			for x := range c.across {
				inverseDCT(c.samples[8*y*c.stride+8*x:], c.stride, &c.coefficients[y*c.across+x], c.steps)
			}
		})
		c.coefficients = nil
	}
}
