package imageio

import (
	"bytes"
	"math"
	"slices"
)

// dngPreview is a smaller, developed picture in a DNG file.
type dngPreview struct {
	dir           *ifd
	place         block
	jpeg          bool // else red, green and blue of 8 bits
	width, height int
	data          []byte // that takes its place; nil = none
}

// EachPreview calls change with each developed picture of the file that this package reads, one after the other. What
// is left of it then is written with the raw picture, in the same size and form. Others stay as they are in the file.
// An error of change is returned.
func (m *Mosaic) EachPreview(change func(*Image) error) error {
	if m.previews == nil {
		return nil
	}
	return m.previews(change)
}

// eachPreview is EachPreview for a file and its bytes.
func (d *dngFile) eachPreview(data []byte, o ReadOptions) func(change func(*Image) error) error {
	return func(change func(*Image) error) error {
		d.changed = nil
		for _, p := range d.previews() {
			img, err := p.decode(data[p.place.at:p.place.at+p.place.size], o)
			if err != nil {
				continue // it is no part of the raw picture, and programs make another one
			}
			if err := change(img); err != nil {
				return err
			}
			if p.data = p.encode(img); p.data != nil {
				d.changed = append(d.changed, p)
			}
		}
		return nil
	}
}

// previews lists the pictures of one strip that are stored as JPEG or plainly.
func (d *dngFile) previews() (list []dngPreview) {
	for _, dir := range d.others {
		t := tags{dir: dir}
		p := dngPreview{dir: dir, width: int(t.uint(tagImageWidth, 0)), height: int(t.uint(tagImageLength, 0)),
			place: block{int64(t.uint(tagStripOffsets, 0)), int64(t.uint(tagStripByteCounts, 0))},
			jpeg:  t.uint(tagCompression, compressionNone) == compressionJPEG}
		bits, colour := t.same("sample size", tagBitsPerSample, 1), t.uint(tagPhotometric, blackIsZero)
		plain := t.uint(tagCompression, compressionNone) == compressionNone && colour == rgb &&
			t.uint(tagPlanarConfig, 1) == 1 && int64(p.width)*int64(p.height)*3 == p.place.size
		if t.err == nil && dir.count(tagStripOffsets) == 1 && dir.count(tagStripByteCounts) == 1 && bits == 8 &&
			t.uint(tagSamplesPerPixel, 1) == 3 && (plain || p.jpeg && (colour == rgb || colour == ycbcr)) &&
			d.holds(uint64(p.place.at), uint64(p.place.size)) {
			list = append(list, p)
		}
	}
	return list
}

func (p *dngPreview) decode(data []byte, o ReadOptions) (*Image, error) {
	if p.jpeg {
		if _, err := headJPEG(data, int64(len(data)), o); err != nil {
			return nil, err
		}
		return decodeJPEG(data, o)
	}
	if err := o.checkSize(DNG, int64(p.width), int64(p.height)); err != nil {
		return nil, err
	}
	img := newImage(p.width, p.height, 3, noAlpha, Depth8, TIFF)
	for i, v := range data {
		img.Planes[i%3][i/3] = float32(v) / 255
	}
	return img, nil
}

// previewQuality is the quality of JPEG files of previews: at that of usual sources, weak noise that is removed gains
// less than writing the picture again loses.
const previewQuality = 97

// encode returns the bytes of a preview, or nil if it is another picture by now. JPEG files of small pictures lose much
// each time that the chroma gets half the size, so it keeps its size.
func (p *dngPreview) encode(img *Image) []byte {
	if img.Width != p.width || img.Height != p.height || len(img.Planes) != 3 {
		return nil
	}
	if p.jpeg {
		var b bytes.Buffer
		o := WriteOptions{Format: JPEG, Quality: previewQuality}
		if p.dir.has(tagYCbCrSampling) { // else readers may expect the chroma at half the size
			o.Subsampling = Subsampling444
		}
		if err := Encode(&b, img, o); err != nil {
			return nil
		}
		return b.Bytes()
	}
	b := make([]byte, 3*len(img.Planes[0]))
	for i := range b {
		b[i] = byte(min(max(math.Round(255*float64(img.Planes[i%3][i/3])), 0), 255))
	}
	return b
}

// putPreviews puts the changed previews where the old ones were, or at the end if they are longer.
func (w *dngWriter) putPreviews() {
	for _, p := range w.changed {
		at, n := p.place.at, int64(len(p.data))
		w.put(at, make([]byte, p.place.size))
		if n > p.place.size {
			at = w.append(nil)
		}
		w.put(at, p.data)
		w.setLong(p.dir, tagStripOffsets, uint32(at))
		w.setLong(p.dir, tagStripByteCounts, uint32(n))
		if e := p.dir.find(tagYCbCrSampling); p.jpeg && e != nil && e.typ == typeShort && e.count == 2 {
			full := w.data[p.dir.valueAt(e):]
			w.order.PutUint16(full, 1)
			w.order.PutUint16(full[2:], 1)
		}
	}
}

// setLong changes a tag with one number.
func (w *dngWriter) setLong(dir *ifd, tag uint16, v uint32) {
	i := slices.IndexFunc(dir.entries, func(e entry) bool { return e.tag == tag })
	e := dir.entries[i]
	b := make([]byte, 2)
	w.order.PutUint16(b, typeLong)
	w.put(e.at+2, b)
	b = make([]byte, w.inlineSize())
	w.order.PutUint32(b, v)
	w.put(e.at+w.entrySize()-w.inlineSize(), b)
}
