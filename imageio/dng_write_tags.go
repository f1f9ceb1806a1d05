package imageio

import (
	"crypto/md5"
	"encoding/binary"
	"math"
	"slices"
)

// digestTile is the side of the parts of a raw picture of which NewRawImageDigest is made.
const digestTile = 256

// digest returns NewRawImageDigest of samples: the MD5 of the MD5s of tiles.
func (d *dngFile) digest(samples []uint16) [md5.Size]byte {
	w, h := int(d.layout.width), int(d.layout.height)
	all := md5.New()
	var tile []byte
	for top := 0; top < h; top += digestTile {
		for left := 0; left < w; left += digestTile {
			tile = tile[:0]
			for y := top; y < min(top+digestTile, h); y++ {
				for _, v := range samples[y*w+left : y*w+min(left+digestTile, w)] {
					if tile = append(tile, byte(v)); d.bits() > 8 {
						tile = append(tile, byte(v>>8))
					}
				}
			}
			sum := md5.Sum(tile)
			all.Write(sum[:])
		}
	}
	return [md5.Size]byte(all.Sum(nil))
}

// leastNoise is the least share of the variance that NoiseProfile says is left. It is never 0: some noise always stays.
const leastNoise = 0.01

// changeTags changes values in their places: digests, the noise that is left, and how far it was reduced.
func (w *dngWriter) changeTags(samples []uint16, reduced float64) {
	digest := w.digest(samples)
	if b := w.value(tagRawDigest); len(b) == md5.Size {
		copy(b, digest[:])
	}
	if b := w.value(tagRawDataUniqueID); len(b) == md5.Size { // this is another picture
		id := md5.Sum(append(slices.Clone(b), digest[:]...))
		copy(b, id[:])
	}
	left := max((1-reduced)*(1-reduced), leastNoise)
	if dir := w.holder(tagNoiseProfile); dir != nil && dir.find(tagNoiseProfile).typ == typeDouble {
		for b := w.value(tagNoiseProfile); len(b) >= 8; b = b[8:] {
			w.order.PutUint64(b, math.Float64bits(left*math.Float64frombits(w.order.Uint64(b))))
		}
	}
	if b := w.value(tagNoiseReduction); len(b) == 8 {
		copy(b, w.strength(reduced))
	}
	if w.first != w.raw { // which is written anew
		w.remove(w.first, tagOldRawDigest)
	}
}

// strength returns the value of NoiseReductionApplied.
func (w *dngWriter) strength(reduced float64) []byte {
	const parts = 100
	a := w.order.(binary.AppendByteOrder)
	return a.AppendUint32(a.AppendUint32(nil, uint32(math.Round(reduced*parts))), parts)
}

// value returns the bytes of a value in the file, which may be changed, or nil if there is none.
func (w *dngWriter) value(tag uint16) []byte {
	dir := w.holder(tag)
	if dir == nil {
		return nil
	}
	e := dir.find(tag)
	at, size := dir.valueAt(e), int64(typeSizes[e.typ]*e.count)
	if at < 0 || at+size > int64(len(w.data)) {
		return nil
	}
	return w.data[at : at+size]
}

// remove takes a tag out of a directory in its place.
func (w *dngWriter) remove(dir *ifd, tag uint16) {
	i := slices.IndexFunc(dir.entries, func(e entry) bool { return e.tag == tag })
	if i < 0 {
		return
	}
	at, size, end := dir.entries[i].at, dir.entrySize(), dir.nextAt+dir.inlineSize()
	copy(w.data[at:end-size], w.data[at+size:end])
	clear(w.data[end-size : end])
	from, _ := dir.area()
	count := w.data[from:]
	if w.big {
		w.order.PutUint64(count, uint64(len(dir.entries)-1))
	} else {
		w.order.PutUint16(count, uint16(len(dir.entries)-1))
	}
}

// storageTags say how the old samples are stored.
var storageTags = []uint16{tagStripOffsets, tagStripByteCounts, tagRowsPerStrip, tagTileWidth, tagTileLength,
	tagTileOffsets, tagTileByteCounts, tagCompression, tagBitsPerSample, tagPredictor, tagFillOrder, tagLinearization}

// putDirectory writes the directory of the raw picture at the end, with the tags of the new samples. Values of the
// others stay where they are.
func (w *dngWriter) putDirectory(tiles [][]byte, places []int64, reduced float64) {
	var table directory
	for _, e := range w.raw.entries {
		if slices.Contains(storageTags, e.tag) || e.tag == tagOldRawDigest {
			continue
		}
		t := tag{id: e.tag, typ: e.typ, count: e.count}
		if inline := w.inlineSize(); w.raw.isInline(&e) {
			t.data = w.data[e.at+w.entrySize()-inline:][:inline]
		} else { // only the place of the value matters, which has more bytes than fit in an entry
			t.data, t.place = make([]byte, inline+1), w.raw.valueAt(&e)
		}
		table = append(table, t)
	}
	a := w.order.(binary.AppendByteOrder)
	var at, sizes []byte
	for i, t := range tiles {
		at, sizes = a.AppendUint32(at, uint32(places[i])), a.AppendUint32(sizes, uint32(len(t)))
	}
	short := func(id uint16, v int) tag { return tag{id, typeShort, 1, a.AppendUint16(nil, uint16(v)), nil, 0} }
	width, height := w.tileSize()
	n := uint64(len(tiles))
	table = append(table, short(tagCompression, compressionJPEG), short(tagBitsPerSample, w.bits()),
		short(tagTileWidth, width), short(tagTileLength, height), tag{tagTileOffsets, typeLong, n, at, nil, 0},
		tag{tagTileByteCounts, typeLong, n, sizes, nil, 0})
	if w.holder(tagNoiseReduction) == nil {
		table = append(table, tag{tagNoiseReduction, typeRational, 1, w.strength(reduced), nil, 0})
	}
	slices.SortStableFunc(table, func(a, b tag) int { return int(a.id) - int(b.id) })
	form := tiffForm{w.order, w.big}
	end := w.append(nil)
	w.put(w.pointer, form.appendOffset(nil, end))
	w.put(end, form.put(table, end, int64(w.raw.next)))
}
