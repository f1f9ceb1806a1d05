package imageio

import (
	"bytes"
	"encoding/binary"
	"math"
)

// JPEG markers (ITU-T T.81, table B.1).
const (
	markerSOF0 = 0xc0
	markerSOF2 = 0xc2
	markerSOF9 = 0xc9 // arithmetic coding
	markerSOFa = 0xca // the same, progressive
	markerDHT  = 0xc4
	markerJPG  = 0xc8
	markerDAC  = 0xcc
	markerSOFf = 0xcf
	markerRST0 = 0xd0
	markerSOI  = 0xd8
	markerEOI  = 0xd9
	markerSOS  = 0xda
	markerDRI  = 0xdd
	markerAPP1 = 0xe1
	markerAPP3 = 0xe3
	markerTEM  = 0x01
)

// maxScans limits the work in a progressive file. A scan of a few bytes may change the whole image. Encoders write
// about ten scans.
const maxScans = 100

// jpegHeader is what the segments say, except for the pixels.
type jpegHeader struct {
	frame         byte // SOF marker, or 0 if there is none
	precision     byte
	width, height int64
	components    byte
	scans         int
	exif          []byte
	frameBody     []byte
	segments      []segment
	items         int            // number of segments with metadata
	metadataBytes int            // their bytes
	trailer       []byte         // what follows the picture
	trailerAt     int            // where it begins in the file
	mpfAt         int            // where the body of the first MPF segment begins
	tables        [4]*quantTable // at the beginning of the first scan
}

// headJPEG reads all segments that are there. It refuses files that are too large or not supported.
func headJPEG(data []byte, size int64, o ReadOptions) (Info, error) {
	h := scanJPEG(data)
	if h.frame == 0 {
		return Info{}, errShort
	}
	return h.info(), h.check(o, size)
}

func (h *jpegHeader) info() Info {
	n := h.width * h.height * int64(h.components)
	return Info{Format: JPEG, Width: int(h.width), Height: int(h.height), Channels: int(h.components), Depth: Depth8,
		Pages: 1, Samples: n, Scratch: n}
}

func decodeJPEG(data []byte, o ReadOptions) (*Image, error) {
	h := scanJPEG(data)
	if err := h.check(o, int64(len(data))); err != nil {
		return nil, err
	}
	d, err := decodeScans(data, h, jpegOptions{workers: o.Workers, keep: o.KeepDamaged, early: true, ctx: o.Context})
	if err := ended(o.Context); err != nil {
		return nil, err
	}
	if err != nil {
		if d != nil && d.scans > 0 {
			err = salvageable(err)
		}
		return nil, err
	}
	turn := orientation(1)
	if h.exif != nil {
		turn = exifOrientation(h.exif)
	}
	img := d.image()
	if err := ended(o.Context); err != nil {
		return nil, err
	}
	img.Warnings = append(h.warnings(), d.warnings...)
	img.Meta = h.metadata(turn.change(img))
	img.Warnings = append(img.Warnings, img.Meta.lost...)
	img.MissingBottom = d.missing
	if img.Steps = d.steps(h.coding().plain); turn.transposed() {
		img.Steps = img.Steps.transpose()
	}
	turn.apply(img)
	return img, nil
}

// check refuses a file of size bytes if it is too large or not supported.
func (h *jpegHeader) check(o ReadOptions, size int64) error {
	if h.frame == 0 {
		return truncated(JPEG)
	}
	if err := o.checkSize(JPEG, h.width, h.height); err != nil {
		return err
	}
	switch {
	case h.frame > markerSOF2 && h.frame != markerSOF9 && h.frame != markerSOFa:
		return failf(ErrUnsupported, "%s JPEG is not supported", frameName(h.frame))
	case h.precision != 8:
		return failf(ErrUnsupported, "%d-bit JPEG is not supported", h.precision)
	case h.components != 1 && h.components != 3 && h.components != 4:
		return failf(ErrUnsupported, "JPEG of %d components is not supported", h.components)
	case len(h.frameBody) < 6+3*int(h.components):
		return truncated(JPEG)
	case h.scans > maxScans:
		return tooManyScans(h.scans)
	case h.items > maxItems:
		return tooManyItems(JPEG)
	case h.metadataBytes > maxMetadata:
		return tooMuchMetadata()
	}
	if o.KeepDamaged { // the rest may be missing
		return nil
	}
	return checkFill(JPEG, h.width*h.height, size, jpegRatio)
}

func tooManyScans(n int) error {
	return failf(ErrLimit, "JPEG of %d scans, limit is %d", n, maxScans)
}

// isFrame reports whether a marker begins a frame header.
func isFrame(marker byte) bool {
	return marker >= markerSOF0 && marker <= markerSOFf && marker != markerDHT && marker != markerJPG &&
		marker != markerDAC
}

func frameName(marker byte) string {
	switch marker {
	case 0xc3, 0xcb:
		return "lossless"
	}
	return "hierarchical"
}

// scanJPEG reads the segments up to the end of the picture or of data. It skips bytes between segments, as the decoder
// does, and the data of the scans.
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
			h.trailer, h.trailerAt = p, len(data)-len(p)
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
		h.segment(marker, p[2:size], len(data)-len(p)+2)
		p = p[size:]
	}
}

// segment reads a segment whose body begins at an offset of the file.
func (h *jpegHeader) segment(marker byte, body []byte, at int) {
	switch {
	case marker == markerSOS:
		h.scans++
	case marker == markerDQT && h.scans == 0:
		h.quantisation(body)
	case marker >= markerAPP0 && marker <= markerAPP15 || marker == markerCOM:
		h.metadataBytes += len(body)
		if h.items++; h.items > maxItems {
			return
		}
		s := segment{marker, body}
		h.segments = append(h.segments, s)
		if h.mpfAt == 0 && s.has(markerAPP2, headMPF) {
			h.mpfAt = at
		}
		if h.exif == nil && s.has(markerAPP1, headExif) {
			h.exif = s.rest(headExif)
		}
	case isFrame(marker):
		if h.frame != 0 || len(body) < 6 {
			return
		}
		h.frame, h.precision = marker, body[0]
		h.height, h.width = int64(binary.BigEndian.Uint16(body[1:])), int64(binary.BigEndian.Uint16(body[3:]))
		h.components, h.frameBody = body[5], body
	}
}

// quantisation reads quantisation tables (T.81, section B.2.4.1). Steps of 16 bits are limited to 255, the largest that
// a baseline file can have.
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
