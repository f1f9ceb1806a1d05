package losslessjpeg

import "encoding/binary"

// Decode returns the samples of a picture, row by row. It refuses a picture of more samples than most before it
// allocates memory for them.
func Decode(data []byte, most int) ([]uint16, Header, error) {
	d := decoder{data: data}
	if err := d.readHeaders(); err != nil {
		return nil, d.Header, err
	}
	// A sample takes a bit at least.
	if n := d.Samples(); n > most || n > 8*len(d.data) {
		return nil, d.Header, badf("%d x %d samples of %d components in %d bytes", d.Width, d.Height, d.Components,
			len(d.data))
	}
	samples := make([]uint16, d.Samples())
	return samples, d.Header, d.scan(samples)
}

// decoder reads the headers, and then the scan.
type decoder struct {
	Header
	data      []byte // that is not read yet
	id        [maxComponents]byte
	tables    [4]*table // by their numbers in the file
	coded     [maxComponents]*table
	interval  int // pixels between restarts; 0 = there are none
	predictor int
	shift     uint // point transform: so many low bits are not in the file
}

// readHeaders reads all segments up to the scan.
func (d *decoder) readHeaders() error {
	if len(d.data) < 2 || d.data[0] != 0xff || d.data[1] != markerSOI {
		return badf("no start of image")
	}
	d.data = d.data[2:]
	for {
		marker, body, err := d.segment()
		if err != nil {
			return err
		}
		switch {
		case marker == markerSOF3:
			err = d.frame(body)
		case marker > 0xc0 && marker < 0xd0 && marker != markerDHT && marker != 0xc8, marker == 0xc0:
			return badf("JPEG of another process (SOF%d)", marker-0xc0)
		case marker == markerDHT:
			err = d.huffman(body)
		case marker == markerDRI && len(body) >= 2:
			d.interval = int(binary.BigEndian.Uint16(body))
		case marker == markerSOS:
			return d.start(body)
		}
		if err != nil {
			return err
		}
	}
}

// segment takes the next marker and its segment off the data.
func (d *decoder) segment() (marker byte, body []byte, err error) {
	for len(d.data) >= 2 && d.data[0] == 0xff && d.data[1] == 0xff { // fill bytes
		d.data = d.data[1:]
	}
	if len(d.data) < 4 || d.data[0] != 0xff {
		return 0, nil, badf("no marker")
	}
	n := int(binary.BigEndian.Uint16(d.data[2:]))
	if n < 2 || n+2 > len(d.data) {
		return 0, nil, badf("segment outside the data")
	}
	marker, body, d.data = d.data[1], d.data[4:n+2], d.data[n+2:]
	return marker, body, nil
}

func (d *decoder) frame(b []byte) error {
	if len(b) < 6 || d.Components > 0 {
		return badf("bad frame")
	}
	d.Header = Header{Width: int(binary.BigEndian.Uint16(b[3:])), Height: int(binary.BigEndian.Uint16(b[1:])),
		Components: int(b[5]), Bits: int(b[0])}
	if d.Width == 0 || d.Height == 0 || d.Bits < 2 || d.Bits > 16 || d.Components < 1 || d.Components > maxComponents ||
		len(b) < 6+3*d.Components {
		return badf("%d x %d pixels of %d components of %d bits", d.Width, d.Height, d.Components, d.Bits)
	}
	for i := range d.Components {
		c := b[6+3*i:]
		if d.id[i] = c[0]; c[1] != 0x11 {
			return badf("subsampled components")
		}
	}
	return nil
}

func (d *decoder) huffman(b []byte) error {
	for len(b) > 0 {
		if len(b) < 17 || b[0] > 3 {
			return badf("bad Huffman table")
		}
		n := 0
		for _, c := range b[1:17] {
			n += int(c)
		}
		if len(b) < 17+n {
			return badf("bad Huffman table")
		}
		t, err := newTable([16]byte(b[1:17]), b[17:17+n])
		if err != nil {
			return err
		}
		d.tables[b[0]], b = t, b[17+n:]
	}
	return nil
}

// start reads the header of the scan, which must have all components.
func (d *decoder) start(b []byte) error {
	if d.Components == 0 || len(b) < 4+2*d.Components || int(b[0]) != d.Components {
		return badf("bad scan")
	}
	for i := range d.Components {
		c := b[1+2*i:]
		if n := c[1] >> 4; c[0] == d.id[i] && n < 4 {
			d.coded[i] = d.tables[n]
		}
		if d.coded[i] == nil {
			return badf("a component without a Huffman table")
		}
	}
	b = b[1+2*d.Components:]
	d.predictor, d.shift = int(b[0]), uint(b[2]&15)
	if d.predictor < 1 || d.predictor > 7 || int(d.shift) >= d.Bits {
		return badf("predictor %d", d.predictor)
	}
	return nil
}

// scan decodes the samples.
func (d *decoder) scan(samples []uint16) error {
	row := d.Width * d.Components
	r := reader{data: d.data}
	first := true // row after the start or a restart
	left := d.interval
	for y := range d.Height {
		line := samples[y*row:][:row]
		var above []uint16
		if !first {
			above = samples[(y-1)*row:][:row]
		}
		if d.interval == 0 || left >= d.Width {
			d.line(&r, line, above)
			first, left = false, left-d.Width
		} else {
			return badf("restarts within a row")
		}
		if r.overrun() || r.failed {
			return badf("damaged in row %d", y+1)
		}
		if d.interval > 0 && left == 0 && y+1 < d.Height {
			if !r.restart() {
				return badf("no restart after row %d", y+1)
			}
			first, left = true, d.interval
		}
	}
	if d.shift > 0 {
		for i := range samples {
			samples[i] <<= d.shift
		}
	}
	return nil
}

// line decodes a row. Above is the row before, or nil in the first one.
func (d *decoder) line(r *reader, line, above []uint16) {
	n := d.Components
	for i := range n { // the first pixel
		start := uint16(1) << (uint(d.Bits) - d.shift - 1)
		if above != nil {
			start = above[i]
		}
		line[i] = start + d.coded[i].difference(r)
	}
	if above == nil || d.predictor == 1 {
		for x := n; x < len(line); x += n {
			for i := range n {
				line[x+i] = line[x+i-n] + d.coded[i].difference(r)
			}
		}
		return
	}
	for x := n; x < len(line); x += n {
		for i := range n {
			k := x + i
			line[k] = d.predict(int32(line[k-n]), int32(above[k]), int32(above[k-n])) + d.coded[i].difference(r)
		}
	}
}

// predict returns the prediction from the samples on the left, above, and above on the left (T.81, table H.1).
func (d *decoder) predict(left, above, corner int32) uint16 {
	switch d.predictor {
	case 2:
		left = above
	case 3:
		left = corner
	case 4:
		left += above - corner
	case 5:
		left += (above - corner) >> 1
	case 6:
		left = above + (left-corner)>>1
	case 7:
		left = (left + above) >> 1
	}
	return uint16(left)
}
