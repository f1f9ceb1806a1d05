package imageio

import (
	"bytes"
	"encoding/binary"
	"regexp"
)

// Metadata is what a file carries besides its pixels, as the bytes that it had. Written to the kind of file
// that it came from, everything is there again but what the new pixels have made false:
//
//   - The orientation is 1, for the pixels are upright; resolutions change places if rows became columns.
//   - Thumbnails and previews are gone (of Exif, JFIF, Photoshop, and pictures behind the end of a JPEG), so
//     are Photoshop's layers in TIFF.
//   - What describes the coding of the old file is made anew: tables, strips, palettes.
//
// Another kind of file gets what it has a standard place for: ICC profile, Exif, XMP, resolution; JPEG and
// TIFF also hand each other IPTC and Photoshop resources. TIFF hands its own descriptive tags on as Exif. A
// profile goes only with pixels of its own colour space, and what is longer than a segment of JPEG (64 KB; a
// profile may take many) does not go into one. Colour that a PNG states without a profile stays with PNG.
//
// A Metadata is not changed once it is made, and may be shared by images. The nil one is empty.
type Metadata struct {
	png  *pngMeta
	jpeg *jpegMeta
	tiff *tiffMeta
}

// shared is what more than one kind of file can hold.
type shared struct {
	icc       []byte // profile
	exif      []byte // laid out as a TIFF file
	xmp       []byte // packet
	photoshop []byte // image resources, IPTC among them
	density   density
}

// density is the resolution: pixels across and down per unit. The zero one is unknown.
type density struct {
	x, y float64
	unit densityUnit
}

type densityUnit int

const (
	perNothing densityUnit = iota // only the aspect ratio is known
	perInch
	perCentimetre
)

func (d density) known() bool { return d.x > 0 && d.y > 0 }

// shared collects what can be handed to other kinds of file.
func (m *Metadata) shared() (shared, error) {
	switch {
	case m == nil:
	case m.png != nil:
		return m.png.shared()
	case m.jpeg != nil:
		return m.jpeg.shared(), nil
	case m.tiff != nil:
		return m.tiff.shared(), nil
	}
	return shared{}, nil
}

// ICC gives the colour profile, or nil. The error is of kind ErrFormat or ErrLimit.
func (m *Metadata) ICC() ([]byte, error) {
	s, err := m.shared()
	return s.icc, err
}

// EXIF gives the Exif block, which begins as a TIFF file does, or nil. That of a TIFF page is made of its
// descriptive tags.
func (m *Metadata) EXIF() []byte {
	s, _ := m.shared()
	return s.exif
}

// XMP gives the packet, or nil.
func (m *Metadata) XMP() []byte {
	s, _ := m.shared()
	return s.xmp
}

var xmpOrientation = regexp.MustCompile(`(tiff:Orientation\s*(?:=\s*["']|>)\s*)[2-8]`)

// uprightXMP sets the orientation that a packet repeats.
func uprightXMP(packet []byte) []byte {
	if !bytes.Contains(packet, []byte("tiff:Orientation")) {
		return packet
	}
	return xmpOrientation.ReplaceAll(packet, []byte("${1}1"))
}

// Photoshop resources (Adobe Photoshop File Formats Specification, 2019): previews of the old pixels, and
// the records of IPTC.
const (
	resourceThumbnail4 = 1033
	resourceThumbnail  = 1036
	resourceIPTC       = 1028
)

// withoutThumbnails leaves the previews out of Photoshop's resources. What makes no sense is kept.
func withoutThumbnails(resources []byte) []byte {
	var out []byte
	for p := resources; ; {
		id, _, size := nextResource(p)
		if size == 0 {
			return append(out, p...)
		}
		if id != resourceThumbnail && id != resourceThumbnail4 {
			out = append(out, p[:size]...)
		}
		p = p[size:]
	}
}

// nextResource gives the first resource and the bytes that it takes; 0 if there is none.
func nextResource(p []byte) (id uint16, data []byte, size int) {
	if len(p) < 12 || string(p[:4]) != "8BIM" {
		return 0, nil, 0
	}
	id = binary.BigEndian.Uint16(p[4:])
	at := 6 + int(even(int64(p[6])+1)) // the name, with its length
	if at+4 > len(p) {
		return 0, nil, 0
	}
	n := int64(binary.BigEndian.Uint32(p[at:]))
	if at += 4; n > int64(len(p)-at) {
		return 0, nil, 0
	}
	return id, p[at : at+int(n)], min(len(p), at+int(even(n)))
}

// resource makes a Photoshop resource without a name.
func resource(id uint16, data []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte("8BIM"), id)
	b = binary.BigEndian.AppendUint32(append(b, 0, 0), uint32(len(data)))
	b = append(b, data...)
	if len(data)&1 == 1 {
		b = append(b, 0)
	}
	return b
}
