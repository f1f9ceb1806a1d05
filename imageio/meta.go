package imageio

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"slices"
)

// Metadata is the metadata of a file, as the bytes that were in it. If it is written to the same format again,
// everything is kept except what the new pixels make false:
//
//   - The orientation becomes 1, because the pixels are upright. Horizontal and vertical resolution are exchanged if
//     rows became columns. Where Exif and XMP tell the size of the picture, they tell that of the new one. The place of
//     the subject in Exif is that in the upright picture. GeoTIFF ties the upright picture to the earth; its
//     polynomials (RPC) are left out if the picture was turned.
//   - Thumbnails and previews are removed: those of Exif, JFIF, XMP and Photoshop, JPEG files in the notes of a maker,
//     pictures after the end of a JPEG that are smaller than its own, and Photoshop's layers in TIFF. Previews that are
//     no JPEG files stay in the notes of a maker, and so do pictures in segments and trailers that this package does
//     not know.
//   - The levels of a pyramid are made again from the new picture. If the picture was cropped, they are smaller in
//     proportion.
//   - Tables, strips, palettes and everything else that describes the coding of the old file is written anew.
//
// What follows the end of a JPEG is kept, such as records of FotoStation and the film of a motion photo. A list of
// several pictures (MPF) is made right again. If the picture was turned or cropped, a map of light that belongs to it
// (a gain map) is left out. The notes of a maker keep their place in the file, because they may hold offsets; in TIFF
// only those of the first page do.
//
// If the format changes, metadata is kept where the new format has a standard place for it: ICC profile, Exif, XMP and
// resolution, and between JPEG and TIFF also IPTC and Photoshop resources. Descriptive tags of TIFF become Exif. A
// profile is kept if it has the colour space of the pixels. An item that is longer than a segment of JPEG (64 KB) is
// not written to JPEG, except for a profile, which may take many segments. If a PNG gives gamma and primaries but no
// profile, a profile is made from them. PQ and HLG are lost.
//
// A Metadata never changes and may be shared by images. A nil Metadata is empty.
type Metadata struct {
	png  *pngMeta
	jpeg *jpegMeta
	tiff *tiffMeta
	note string   // a line that is added when the metadata is written
	lost []string // what is known to be lost when the metadata is written to the same format, a line for each item
	// other is what a file of another format has.
	other *shared
	// width and height are the size of the upright picture that was read, or 0 if it is unknown.
	width, height int
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
func (m *Metadata) shared() shared {
	switch {
	case m == nil:
	case m.png != nil:
		return m.png.shared()
	case m.jpeg != nil:
		return m.jpeg.shared()
	case m.tiff != nil:
		return m.tiff.shared()
	case m.other != nil:
		return *m.other
	}
	return shared{}
}

// withDensityOfExif returns the metadata with the resolution that Exif tells, if nothing else tells one.
func (s shared) withDensityOfExif() shared {
	if tags, order := exifTags(s.exif); !s.density.known() && order != nil {
		s.density = (&tiffMeta{tiffForm: tiffForm{order: order}, tags: tags}).density()
	}
	return s
}

// Lost lists what is known to be lost when the metadata is written to the same format, a line for each item.
// Image.Warnings has these lines, too: all others are about the file that was read. m may be nil.
func (m *Metadata) Lost() []string {
	if m == nil {
		return nil
	}
	return slices.Clone(m.lost)
}

// ICC returns the colour profile, or nil if there is none. The error is ErrFormat or ErrLimit if a compressed profile
// cannot be expanded.
func (m *Metadata) ICC() ([]byte, error) {
	if m != nil && m.png != nil {
		return m.png.profile()
	}
	return m.shared().icc, nil
}

// EXIF returns the Exif block, which has the structure of a TIFF file, or nil if there is none. For a TIFF page it is
// built from the descriptive tags.
func (m *Metadata) EXIF() []byte {
	return m.shared().exif
}

// XMP returns the XMP packet, or nil if there is none.
func (m *Metadata) XMP() []byte {
	return m.shared().xmp
}

var xmpOrientation = regexp.MustCompile(`(tiff:Orientation\s*(?:=\s*["']|>)\s*)[2-8]`)

// uprightXMP sets the orientation in a packet to upright, exchanges width and height if rows became columns, and
// removes previews.
func uprightXMP(packet []byte, turn orientation) []byte {
	packet = withoutXMPThumbnails(packet)
	if turn.transposed() {
		packet = transposedXMP(packet)
	}
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
