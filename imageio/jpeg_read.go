package imageio

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"image/jpeg"
	"math"
)

// JPEG markers (ITU-T T.81, table B.1).
const (
	markerSOF0 = 0xc0
	markerSOF2 = 0xc2
	markerDHT  = 0xc4
	markerJPG  = 0xc8
	markerDAC  = 0xcc
	markerSOFf = 0xcf
	markerRST0 = 0xd0
	markerSOI  = 0xd8
	markerEOI  = 0xd9
	markerSOS  = 0xda
	markerAPP1 = 0xe1
	markerTEM  = 0x01
)

// maxScans bounds the work in a progressive file: every scan may touch the whole image and take a
// few bytes only. Encoders write about ten.
const maxScans = 100

// jpegHeader is what the segments around the pixels say.
type jpegHeader struct {
	frame         byte // SOF marker, 0 if there was none
	precision     byte
	width, height int64
	components    byte
	scans         int
	exif          []byte
	frameBody     []byte
	segments      []segment
	tables        [4]*quantTable // as they are when the first scan begins
}

func headJPEG(data []byte, o ReadOptions) (*jpegHeader, error) {
	h := scanJPEG(data)
	return h, h.check(o, len(data))
}

func sizeJPEG(data []byte, o ReadOptions) (width, height int64, err error) {
	h, err := headJPEG(data, o)
	return h.width, h.height, err
}

func decodeJPEG(data []byte, o ReadOptions) (*Image, error) {
	h, err := headJPEG(data, o)
	if err != nil {
		return nil, err
	}
	// The stock parser has the last word on the size, lest it reads another frame than the walk.
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, decoderError(JPEG, err)
	}
	if int64(config.Width) != h.width || int64(config.Height) != h.height {
		return nil, damagedf(JPEG, "contradictory frame headers")
	}
	src, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, decoderError(JPEG, err)
	}
	turn := orientation(1)
	if h.exif != nil {
		turn = exifOrientation(h.exif)
	}
	img := fromImage(src, config.ColorModel == color.GrayModel, false, JPEG)
	img.Meta = h.metadata(turn)
	turn.apply(img)
	return img, nil
}

// check refuses what is too large or not supported.
func (h *jpegHeader) check(o ReadOptions, size int) error {
	if h.frame == 0 {
		return truncated(JPEG)
	}
	if err := o.gate(JPEG, h.width, h.height); err != nil {
		return err
	}
	switch {
	case h.frame > markerSOF2:
		return failf(ErrUnsupported, "%s JPEG is not supported", frameName(h.frame))
	case h.precision != 8:
		return failf(ErrUnsupported, "%d-bit JPEG is not supported", h.precision)
	case h.components != 1 && h.components != 3 && h.components != 4:
		return failf(ErrUnsupported, "JPEG of %d components is not supported", h.components)
	case len(h.frameBody) < 6+3*int(h.components):
		return truncated(JPEG)
	case h.scans > maxScans:
		return failf(ErrLimit, "JPEG of %d scans, limit is %d", h.scans, maxScans)
	}
	return canFill(JPEG, h.width*h.height, int64(size), jpegRatio)
}

func frameName(marker byte) string {
	switch marker {
	case 0xc3:
		return "lossless"
	case 0xc5, 0xc6, 0xc7:
		return "hierarchical"
	}
	return "arithmetic-coded"
}

// scanJPEG walks the markers to the end of the file, as leniently as the stock decoder: bytes
// between segments are passed over, and so is the data of the scans.
func scanJPEG(data []byte) *jpegHeader {
	h := &jpegHeader{}
	for p := data[2:]; ; {
		i := bytes.IndexByte(p, 0xff)
		if i < 0 || i+1 >= len(p) {
			return h
		}
		marker := p[i+1]
		if marker == 0xff { // fill byte
			p = p[i+1:]
			continue
		}
		p = p[i+2:]
		if marker == markerEOI {
			return h
		}
		if marker == 0 || marker == markerTEM || marker >= markerRST0 && marker <= markerSOI {
			continue
		}
		if len(p) < 2 {
			return h
		}
		size := int(binary.BigEndian.Uint16(p))
		if size < 2 || size > len(p) {
			return h
		}
		h.segment(marker, p[2:size])
		p = p[size:]
	}
}

func (h *jpegHeader) segment(marker byte, body []byte) {
	switch {
	case marker == markerSOS:
		h.scans++
	case marker == markerDQT && h.scans == 0:
		h.quantisation(body)
	case marker >= markerAPP0 && marker <= markerAPP15 || marker == markerCOM:
		h.segments = append(h.segments, segment{marker, body})
		if block, ok := bytes.CutPrefix(body, []byte(headExif)); ok && marker == markerAPP1 && h.exif == nil {
			h.exif = block
		}
	case marker >= markerSOF0 && marker <= markerSOFf &&
		marker != markerDHT && marker != markerJPG && marker != markerDAC:
		if h.frame != 0 || len(body) < 6 {
			return
		}
		h.frame, h.precision = marker, body[0]
		h.height, h.width = int64(binary.BigEndian.Uint16(body[1:])), int64(binary.BigEndian.Uint16(body[3:]))
		h.components, h.frameBody = body[5], body
	}
}

// quantisation takes tables in (T.81, section B.2.4.1). Steps of 16 bits are cut to what a baseline file can
// have.
func (h *jpegHeader) quantisation(p []byte) {
	for len(p) > 0 {
		size, at := 1+int(p[0]>>4), p[0]&3
		if p = p[1:]; size > 2 || len(p) < 64*size {
			return
		}
		t := new(quantTable)
		for i := range t {
			v := uint16(p[i])
			if size == 2 {
				v = binary.BigEndian.Uint16(p[2*i:])
			}
			t[i] = uint8(min(max(v, 1), math.MaxUint8))
		}
		h.tables[at], p = t, p[64*size:]
	}
}
