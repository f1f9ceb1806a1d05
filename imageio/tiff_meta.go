package imageio

import (
	"encoding/binary"
	"image"
)

// tiffMeta is the metadata of a TIFF page.
type tiffMeta struct {
	tiffForm
	packing
	jpeg   *jpegCoding // of blocks that were JPEG files, if they are to be so again
	levels []level
	below  bool // the levels follow the page as pages of their own
	// levels have samples of the page, each from this share of what it covers, and no means; 0 = they have means
	picked  float64
	cloud   bool   // the file begins as those of GDAL for the cloud
	tile    [2]int // width and height of the tiles, or zero if the pixels were in strips
	stack   int    // number of images if the page is from an ImageJ stack, all of one kind
	chained bool   // each image of the stack has a directory of its own
	shape   pageShape
	tags    directory
}

// fromTIFF returns what the page tells that the image was read from: nothing if that was no TIFF file.
func (m *Image) fromTIFF() *tiffMeta {
	if m.Meta == nil || m.Meta.tiff == nil {
		return &tiffMeta{}
	}
	return m.Meta.tiff
}

// structural holds the tags that are not copied. Most describe how the pixels are stored, and are written anew. The
// orientation has been applied. Image source data (37724) holds Photoshop's layers: a copy of the old picture, which
// would be shown instead of the new one. The tags of MetaMorph belong to one directory for all images, and hold
// offsets.
var structural = func() map[uint16]bool {
	m := map[uint16]bool{}
	for _, t := range []uint16{
		tagImageWidth, tagImageLength, tagBitsPerSample, tagCompression, tagPhotometric, tagFillOrder, tagStripOffsets,
		tagOrientation, tagSamplesPerPixel, tagRowsPerStrip, tagStripByteCounts, tagPlanarConfig, tagPredictor,
		tagColorMap, tagTileWidth, tagTileLength, tagTileOffsets, tagTileByteCounts, tagSubIFDs, tagExtraSamples,
		tagSampleFormat, 288, 289, 292, 293, 326, 327, 328, 347, 512, 513, 514, 515, 517, 518, 519, 520, 521, 529, 530,
		531, 37439, 37724,
		tagUIC1, tagUIC2, tagUIC3, tagUIC4,
	} {
		m[t] = true
	}
	return m
}()

// appearance lists the tags that are kept even if metadata is stripped, because the picture would look different
// without them: page type, page number, resolution and colours.
var appearance = []uint16{254, 255, tagXResolution, tagYResolution, tagResolutionUnit, 297, 301, 318, 319, tagInkSet,
	tagICC}

// Tags of metadata that other formats hold too.
const (
	tagXMP       = 700
	tagIPTC      = 33723
	tagPhotoshop = 34377
	tagUIC1      = 33628
	tagUIC2      = 33629
	tagUIC3      = 33630
	tagUIC4      = 33631
	tagSoftware  = 305
	tagICC       = 34675
	tagMakerNote = 37500 // in the Exif directory
	tagPrivate   = 50740 // a copy of the maker's note in DNG and in what is made of it
)

// tiffMetadata reads the metadata of a page and changes it to suit an upright picture.
func tiffMetadata(d *ifd, l *tiffLayout) (*Metadata, error) {
	if _, err := d.metadataSize(); err != nil {
		return nil, err
	}
	tags, err := d.tree(func(t uint16) bool { return !structural[t] }, 0)
	if err != nil {
		return nil, err
	}
	tags = tags.changed(d.order, change{turn: l.turn, was: image.Pt(int(l.width), int(l.height))})
	if note := tags.exif().find(tagMakerNote); note != nil {
		blankPictures(note.data)
	}
	if t := tags.find(tagPrivate); t != nil {
		blankPictures(t.data)
	}
	if t := tags.find(tagPhotoshop); t != nil {
		t.data = withoutThumbnails(t.data)
		t.count = uint64(len(t.data)) / typeSizes[t.typ]
	}
	return &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: d.order, big: d.big}, packing: l.packing(),
		jpeg: l.jpegCoding(d.tiffFile), tile: l.tile(), levels: l.levels, below: l.chained, shape: l.shape(),
		tags: tags}}, nil
}

// swap exchanges the values of two tags, if both exist.
func (d directory) swap(a, b uint16) {
	if x, y := d.find(a), d.find(b); x != nil && y != nil {
		x.typ, y.typ, x.count, y.count, x.data, y.data = y.typ, x.typ, y.count, x.count, y.data, x.data
	}
}

// form returns the form of the file that the metadata comes from. If it was not a TIFF file, it is TIFF in the byte
// order of its Exif block.
func (m *Metadata) form() tiffForm {
	if m != nil && m.tiff != nil {
		return m.tiff.tiffForm
	}
	if f, _ := exifDirectory(m.EXIF()); f != nil {
		return tiffForm{order: f.order}
	}
	return tiffForm{order: binary.LittleEndian}
}
