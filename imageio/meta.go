package imageio

import (
	"bytes"
	"encoding/binary"
	"regexp"
)

// Metadata is the metadata of a file, as the bytes that were in it. If it is written to the same format again, everything
// is kept except what the new pixels make false:
//
//   - The orientation becomes 1, because the pixels are upright. Horizontal and vertical resolution are exchanged if rows
//     became columns.
//   - Thumbnails and previews are removed: those of Exif, JFIF and Photoshop, pictures after the end of a JPEG, and
//     Photoshop's layers in TIFF.
//   - Tables, strips, palettes and everything else that describes the coding of the old file is written anew.
//
// If the format changes, metadata is kept where the new format has a standard place for it: ICC profile, Exif, XMP and
// resolution, and between JPEG and TIFF also IPTC and Photoshop resources. Descriptive tags of TIFF become Exif. A profile
// is kept if it has the colour space of the pixels. An item that is longer than a segment of JPEG (64 KB) is not written
// to JPEG, except for a profile, which may take many segments. Colour that a PNG describes without a profile is lost.
//
// A Metadata never changes and may be shared by images. A nil Metadata is empty.
type Metadata struct {
	png  *pngMeta
	jpeg *jpegMeta
	tiff *tiffMeta
	// other is what a file of another format has.
	other *shared
}

// shared is the metadata that more than one format can hold.
type shared struct {
	icc       []byte // profile
	exif      []byte // block with the structure of a TIFF file
	xmp       []byte // packet
	photoshop []byte // image resources, which include IPTC
	density   density
}

// density is the resolution: pixels per unit, across and down. The zero value means that it is unknown.
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

// shared returns the metadata that other formats can hold.
func (m *Metadata) shared() (shared, error) {
	switch {
	case m == nil:
	case m.png != nil:
		return m.png.shared()
	case m.jpeg != nil:
		return m.jpeg.shared(), nil
	case m.tiff != nil:
		return m.tiff.shared(), nil
	case m.other != nil:
		return *m.other, nil
	}
	return shared{}, nil
}

// ICC returns the colour profile, or nil if there is none. The error is ErrFormat or ErrLimit if a compressed profile
// cannot be expanded.
func (m *Metadata) ICC() ([]byte, error) {
	s, err := m.shared()
	return s.icc, err
}

// EXIF returns the Exif block, which has the structure of a TIFF file, or nil if there is none. For a TIFF page it is
// built from the descriptive tags.
func (m *Metadata) EXIF() []byte {
	s, _ := m.shared()
	return s.exif
}

// XMP returns the XMP packet, or nil if there is none.
func (m *Metadata) XMP() []byte {
	s, _ := m.shared()
	return s.xmp
}

var xmpOrientation = regexp.MustCompile(`(tiff:Orientation\s*(?:=\s*["']|>)\s*)[2-8]`)

// uprightXMP sets the orientation in a packet to upright.
func uprightXMP(packet []byte) []byte {
	if !bytes.Contains(packet, []byte("tiff:Orientation")) {
		return packet
	}
	return xmpOrientation.ReplaceAll(packet, []byte("${1}1"))
}

// Numbers of Photoshop resources (Adobe Photoshop File Formats Specification, 2019).
const (
	resourceThumbnail4 = 1033
	resourceThumbnail  = 1036
	resourceIPTC       = 1028
)

// withoutThumbnails removes the previews from Photoshop resources. It keeps bytes that it cannot read.
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

// nextResource returns the first resource and its size in bytes. The size is 0 if there is none.
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

// resource returns the bytes of a Photoshop resource without a name.
func resource(id uint16, data []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte("8BIM"), id)
	b = binary.BigEndian.AppendUint32(append(b, 0, 0), uint32(len(data)))
	b = append(b, data...)
	if len(data)&1 == 1 {
		b = append(b, 0)
	}
	return b
}
