package imageio

import (
	"bytes"
	"encoding/binary"
)

// segments reads the segments and scans up to the end of the picture.
func (d *jpegDecoder) segments(data []byte) error {
	skipped := 0 // bytes that belong to nothing
	for at := 2; ; {
		i := bytes.IndexByte(data[at:], 0xff)
		if i < 0 || at+i+1 >= len(data) {
			if d.complete() {
				d.warn("the file lacks its end marker, and the picture is whole")
				return nil
			}
			return truncated(JPEG)
		}
		at += i + 1
		skipped += i
		marker := data[at]
		switch {
		case marker == 0xff: // a fill byte
			continue
		case marker == 0:
			at, skipped = at+1, skipped+2
			continue
		}
		if skipped > 0 {
			d.warn("%d bytes before a marker that belong to nothing", skipped)
			skipped = 0
		}
		switch {
		case marker == markerEOI:
			return nil
		case marker == markerTEM || marker >= markerRST0 && marker <= markerSOI:
			at++
			continue
		}
		body, err := segmentBody(data[at+1:])
		if err != nil && d.complete() {
			d.warn("what follows the picture belongs to nothing")
			return nil
		}
		if err != nil {
			return err
		}
		at += 3 + len(body)
		if marker != markerSOS {
			if err := d.segment(marker, body); err != nil {
				return err
			}
			continue
		}
		n, err := d.scan(body, data[at:])
		if err != nil {
			return err
		}
		at += n
		skipped = d.unused
	}
}

// complete reports whether the scans so far give every bit of the picture. Arithmetic coding does not tell: it leaves
// out zeros at the end of a scan.
func (d *jpegDecoder) complete() bool {
	if d.arithmetic != nil || d.lacking {
		return false
	}
	for i := range d.components {
		c := &d.components[i]
		if !c.scanned || d.progressive && (c.bits == nil || *c.bits != [64]int8{}) {
			return false
		}
	}
	return true
}

// segmentBody returns the bytes of a segment that follow its length.
func segmentBody(data []byte) ([]byte, error) {
	if len(data) < 2 {
		return nil, truncated(JPEG)
	}
	size := int(binary.BigEndian.Uint16(data))
	if size < 2 {
		return nil, damagedf(JPEG, "short segment")
	}
	if size > len(data) {
		return nil, truncated(JPEG)
	}
	return data[2:size], nil
}

// segment reads a segment with tables, and ignores those without.
func (d *jpegDecoder) segment(marker byte, body []byte) error {
	switch {
	case marker == markerDQT:
		return d.quantisation(body)
	case marker == markerDHT:
		return d.huffman(body)
	case marker == markerDAC:
		return d.conditions.read(body)
	case marker == markerDRI:
		if len(body) != 2 {
			return damagedf(JPEG, "restart interval of %d bytes", len(body))
		}
		d.interval = int(binary.BigEndian.Uint16(body))
	case isFrame(marker):
		if d.framed {
			return damagedf(JPEG, "more than one frame header")
		}
		d.framed = true
	}
	return nil
}

// quantisation reads quantisation tables (T.81, section B.2.4.1).
func (d *jpegDecoder) quantisation(p []byte) error {
	for len(p) > 0 {
		size, at := 1+int(p[0]>>4), p[0]&15
		if p = p[1:]; size > 2 || at > 3 || len(p) < 64*size {
			return damagedf(JPEG, "bad quantisation table")
		}
		t := new([64]int32)
		for i, place := range zigzag {
			if size == 1 {
				t[place] = int32(p[i])
			} else {
				t[place] = int32(binary.BigEndian.Uint16(p[2*i:]))
			}
		}
		d.tables[at], p = t, p[64*size:]
	}
	return nil
}

// huffman reads Huffman tables (T.81, section B.2.4.2).
func (d *jpegDecoder) huffman(p []byte) error {
	for len(p) > 0 {
		n := 0
		for i := 1; i < min(17, len(p)); i++ {
			n += int(p[i])
		}
		if len(p) < 17+n || n > 256 || p[0]>>4 > 1 || p[0]&15 > 3 {
			return damagedf(JPEG, "bad Huffman table")
		}
		t := newHuffmanDecoder(p[1:17], p[17:17+n])
		if t == nil {
			return damagedf(JPEG, "bad Huffman table")
		}
		if p[0]>>4 == 0 {
			d.dc[p[0]&15] = t
		} else {
			d.ac[p[0]&15] = t
		}
		p = p[17+n:]
	}
	return nil
}
