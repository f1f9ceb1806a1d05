package imageio

import (
	"encoding/binary"
	"maps"
)

// tiffMeta is what a TIFF page carries besides its pixels.
type tiffMeta struct {
	tiffForm
	packed bool // the pixels were compressed
	stack  int  // images of the file's only directory, in the manner of ImageJ
	tags   directory
}

// structural tags say how the pixels lie in the file, and are made anew for the file that is written; so is
// the orientation, which has been applied. Image source data (37724) are Photoshop's layers: another copy of
// the noisy picture, which would be shown in place of the new one.
var structural = func() map[uint16]bool {
	m := map[uint16]bool{}
	for _, t := range []uint16{
		tagImageWidth, tagImageLength, tagBitsPerSample, tagCompression, tagPhotometric, tagFillOrder, tagStripOffsets,
		tagOrientation, tagSamplesPerPixel, tagRowsPerStrip, tagStripByteCounts, tagPlanarConfig, tagPredictor,
		tagColorMap, tagTileWidth, tagTileLength, tagTileOffsets, tagTileByteCounts, tagSubIFDs, tagExtraSamples,
		tagSampleFormat, 288, 289, 347, 512, 513, 514, 515, 517, 518, 519, 520, 521, 37724,
	} {
		m[t] = true
	}
	return m
}()

// appearance are the tags that are kept even if metadata are to be left out: the picture would look
// different without them. They are its kind, size on paper, number, and colours.
var appearance = func() map[uint16]bool {
	m := maps.Clone(structural)
	clear(m)
	for _, t := range []uint16{254, 255, tagXResolution, tagYResolution, tagResolutionUnit, 297, 301, 318, 319, tagInkSet, tagICC} {
		m[t] = true
	}
	return m
}()

// Tags of metadata that other formats hold too.
const (
	tagXMP       = 700
	tagIPTC      = 33723
	tagPhotoshop = 34377
	tagICC       = 34675
)

func tiffMetadata(d *ifd, l *tiffLayout) (*Metadata, error) {
	if _, err := d.weigh(0); err != nil {
		return nil, err
	}
	tags, err := d.tree(func(t uint16) bool { return !structural[t] }, 0)
	if err != nil {
		return nil, err
	}
	if l.turn.transposed() {
		tags.swap(tagXResolution, tagYResolution)
		if t := tags.find(tagExif); t != nil && len(t.subs) > 0 {
			t.subs[0].swap(tagPixelsAcross, tagPixelsDown)
		}
	}
	if t := tags.find(tagXMP); t != nil {
		t.data = uprightXMP(t.data)
	}
	if t := tags.find(tagPhotoshop); t != nil {
		t.data = withoutThumbnails(t.data)
		t.count = uint64(len(t.data)) / typeSizes[t.typ]
	}
	return &Metadata{tiff: &tiffMeta{
		tiffForm: tiffForm{order: d.order, big: d.big}, packed: l.compression != compressionNone, tags: tags,
	}}, nil
}

// swap exchanges the values of two tags that are both there.
func (d directory) swap(a, b uint16) {
	if x, y := d.find(a), d.find(b); x != nil && y != nil {
		x.typ, y.typ, x.count, y.count, x.data, y.data = y.typ, x.typ, y.count, x.count, y.data, x.data
	}
}

// form is how the file of this metadata is laid out; little-endian TIFF if it comes from elsewhere.
func (m *Metadata) form() tiffForm {
	if m != nil && m.tiff != nil {
		return m.tiff.tiffForm
	}
	return tiffForm{order: binary.LittleEndian}
}
