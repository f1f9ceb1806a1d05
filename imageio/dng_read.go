package imageio

import (
	"bytes"
	"image"
	"io"
	"slices"
)

// headDNG reads what a file says of its raw picture.
func headDNG(r io.ReaderAt, size int64, o ReadOptions) (Info, error) {
	d, err := openDNG(r, size, o)
	if err != nil {
		return Info{}, err
	}
	info := otherInfo(DNG, d.layout.width, d.layout.height, 1, Depth16)
	info.Scratch = dngScratch*info.Samples + size
	return info, nil
}

// dngScratch is about the bytes of memory for each sample while a raw picture is denoised: a copy, a sum, and pictures
// of red, green and blue. Writing takes less.
const dngScratch = 24

func allDNG(data []byte, size int64, o ReadOptions) (Info, error) {
	return headDNG(bytes.NewReader(data), size, o)
}

// decodeDNG reads the samples as they are in the file: nothing is developed or turned.
func decodeDNG(data []byte, o ReadOptions) (*Image, error) {
	d, err := openDNG(bytes.NewReader(data), int64(len(data)), o)
	if err != nil {
		return nil, err
	}
	samples, err := d.samples(data, o)
	if err != nil {
		return nil, err
	}
	img := newImage(int(d.layout.width), int(d.layout.height), 1, noAlpha, Depth16, DNG)
	for i, v := range samples {
		img.Planes[0][i] = float32(v) / 65535
	}
	img.Mosaic, img.stored.dng, img.stored.source = &d.mosaic, d, data
	img.stored.sum = img.sum()
	d.mosaic.previews = d.eachPreview(data, o)
	return img, nil
}

// openDNG finds the raw picture and reads its tags. It checks the size first.
func openDNG(r io.ReaderAt, size int64, o ReadOptions) (*dngFile, error) {
	f, err := openTIFF(r, size)
	if err != nil {
		return nil, err
	}
	d := &dngFile{tiffFile: f}
	if err := d.findRaw(); err != nil {
		return nil, err
	}
	if err := d.readLayout(o); err != nil {
		return nil, err
	}
	return d, d.readMosaic()
}

// maxDNGDirectories limits the pictures of a file: previews, masks and the like.
const maxDNGDirectories = 256

// findRaw finds the directory of the raw picture: the one that is no preview and of no other kind.
func (d *dngFile) findRaw() error {
	type place struct{ at, pointer uint64 }
	todo := []place{{d.tiffFile.first, uint64(d.sized(4, 8))}}
	seen := map[uint64]bool{}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		if seen[p.at] {
			continue
		}
		if seen[p.at] = true; len(seen) > maxDNGDirectories {
			return failf(ErrLimit, "DNG of more than %d directories", maxDNGDirectories)
		}
		dir, err := d.directory(p.at)
		if err != nil {
			return err
		}
		if d.first == nil {
			d.first = dir
		}
		if isRaw(dir) {
			if d.raw != nil {
				return refuseDNG("two raw pictures", adviceDevelop)
			}
			d.raw, d.pointer = dir, int64(p.pointer)
		} else {
			d.others = append(d.others, dir)
		}
		subs, err := dir.uints(tagSubIFDs, maxDNGDirectories)
		if err != nil {
			return err
		}
		for i, at := range subs {
			where := dir.valueAt(dir.find(tagSubIFDs)) + int64(i)*d.inlineSize()
			todo = append(todo, place{at, uint64(where)})
		}
		if dir.next != 0 {
			todo = append(todo, place{dir.next, uint64(dir.nextAt)})
		}
	}
	if d.raw == nil {
		return refuseDNG("no raw picture", adviceDevelop)
	}
	return nil
}

// isRaw reports whether a directory is that of a picture in full size as the sensor has it.
func isRaw(dir *ifd) bool {
	t := tags{dir: dir}
	kind, colour := t.uint(tagNewSubfileType, 0), t.uint(tagPhotometric, blackIsZero)
	return t.err == nil && kind == 0 && (colour == rawSensor || colour == rawLinear)
}

// valueAt returns where in the file the value of an entry is.
func (d *ifd) valueAt(e *entry) int64 {
	if d.isInline(e) {
		return e.at + d.entrySize() - d.inlineSize()
	}
	return int64(d.offset(e.inline))
}

// isInline reports whether the value of an entry is in the entry itself, as far as its type is known.
func (d *ifd) isInline(e *entry) bool {
	unit := typeSizes[e.typ]
	return unit == 0 || e.count <= uint64(len(e.inline))/unit
}

const (
	adviceDevelop = "develop it first, for example in darktable or RawTherapee, and export 16-bit TIFF"
	adviceConvert = "convert it with Adobe DNG Converter, with lossless compression"
	adviceTIFF    = "its noise is no longer that of a sensor; export 16-bit TIFF and denoise that"
)

func refuseDNG(what, advice string) error {
	return failf(ErrUnsupported, "DNG with %s is not supported: %s", what, advice)
}

// readLayout reads where the samples are.
func (d *dngFile) readLayout(o ReadOptions) error {
	t := tags{dir: d.raw}
	l := &tiffLayout{
		width:       int64(t.uint(tagImageWidth, 0)),
		height:      int64(t.uint(tagImageLength, 0)),
		samples:     t.uint(tagSamplesPerPixel, 1),
		bits:        t.same("sample size", tagBitsPerSample, 1),
		format:      t.same("sample format", tagSampleFormat, formatUint),
		photometric: t.uint(tagPhotometric, blackIsZero),
		compression: t.uint(tagCompression, compressionNone),
		predictor:   t.uint(tagPredictor, predictorNone),
		tiled:       d.raw.has(tagTileWidth),
	}
	interleave := max(t.uint(tagRowInterleave, 1), t.uint(tagColInterleave, 1))
	d.layout = l
	switch {
	case t.err != nil:
		return t.err
	case l.photometric == rawLinear && l.samples > 1:
		return refuseDNG("a developed picture (linear raw)", adviceTIFF)
	case l.samples != 1:
		return refuseDNG("samples of several colours in a pixel", adviceDevelop)
	case l.format == formatFloat:
		return refuseDNG("float samples", adviceConvert)
	case l.compression == 34892:
		return refuseDNG("lossy compression", adviceConvert)
	case l.compression != compressionNone && l.compression != compressionJPEG && l.compression != compressionDeflate:
		return refuseDNG(compressionName(l.compression)+" compression", adviceConvert)
	case l.format != formatUint || l.bits < 8 || l.bits > 16:
		return refuseDNG("samples of another kind than integers of 8 to 16 bits", adviceConvert)
	case l.compression == compressionDeflate && (l.bits != 8 && l.bits != 16 || l.predictor > predictorHorizontal):
		return refuseDNG("an unusual predictor", adviceConvert)
	case interleave > 1:
		return refuseDNG("interleaved rows or columns", adviceConvert)
	}
	if err := o.checkSize(DNG, l.width, l.height); err != nil {
		return err
	}
	// A sample takes a bit of a lossless JPEG at least, which counts as pixels for each byte.
	l.ratio = map[uint32]int64{compressionNone: 1, compressionJPEG: 8, compressionDeflate: deflateRatio}[l.compression]
	if err := l.setBlocks(d.raw); err != nil {
		return err
	}
	if err := l.checkTiles(o); err != nil {
		return err
	}
	if err := l.readBlocks(d.raw, false); err != nil {
		return err
	}
	for _, dir := range []*ifd{d.first, d.raw} { // which are needed when the samples are replaced
		for _, b := range l.list {
			if from, to := dir.area(); b.at < to && from < b.at+b.size {
				return damagedf(DNG, "samples and tags in the same place")
			}
		}
	}
	return nil
}

// area returns where in the file the table of a directory begins and ends.
func (d *ifd) area() (from, to int64) {
	to = d.nextAt + d.inlineSize()
	return d.nextAt - int64(len(d.entries))*d.entrySize() - d.countSize(), to
}

// mosaicColours is the size of the pattern of colours.
const mosaicColours = 2

// readColours reads the pattern of colours.
func (d *dngFile) readColours() error {
	m := &d.mosaic
	if m.Gray = d.layout.photometric == rawLinear; m.Gray {
		return nil
	}
	repeat, err := d.raw.uints(tagCFARepeat, 2)
	if err != nil {
		return err
	}
	const xTrans = 6
	switch {
	case len(repeat) == 2 && repeat[0] == xTrans && repeat[1] == xTrans:
		return refuseDNG("an X-Trans mosaic", adviceDevelop)
	case len(repeat) != 2 || repeat[0] != mosaicColours || repeat[1] != mosaicColours:
		return refuseDNG("a mosaic of larger parts than 2 x 2", adviceDevelop)
	}
	layout, err := d.raw.uint(tagCFALayout, 1)
	if err != nil {
		return err
	}
	pattern, err := d.raw.numbers(tagCFAPattern, mosaicColours*mosaicColours+1)
	if err != nil {
		return err
	}
	if layout != 1 || len(pattern) != mosaicColours*mosaicColours {
		return refuseDNG("a staggered mosaic", adviceDevelop)
	}
	counts := map[float64]int{}
	for i, c := range pattern {
		m.Colours[i/2][i%2] = int(c)
		counts[c]++
	}
	planes, err := d.raw.numbers(tagCFAPlaneColor, 4)
	if err != nil {
		return err
	}
	if counts[0] != 1 || counts[1] != 2 || counts[2] != 1 ||
		planes != nil && !slices.Equal(planes, []float64{0, 1, 2}) {
		return refuseDNG("a mosaic of other colours than red, green and blue", adviceDevelop)
	}
	return nil
}

// readMosaic reads what the samples mean.
func (d *dngFile) readMosaic() error {
	if err := d.readColours(); err != nil {
		return err
	}
	m := &d.mosaic
	if err := d.readActive(); err != nil {
		return err
	}
	if err := d.readTable(); err != nil {
		return err
	}
	if err := d.readBlack(); err != nil {
		return err
	}
	white, err := d.raw.numbers(tagWhiteLevel, 1)
	if err != nil {
		return err
	}
	if m.White = float64(uint64(1)<<d.bits() - 1); len(white) > 0 {
		m.White = white[0]
	}
	if !(m.White > m.darkest()) || m.White > 65535 {
		return damagedf(DNG, "white level %g, black level %g", m.White, m.darkest())
	}
	if err := d.readNoise(); err != nil {
		return err
	}
	reduced, err := d.numbers(tagNoiseReduction, 1)
	if len(reduced) > 0 && reduced[0] > 0 {
		m.Reduced = min(reduced[0], 1)
	}
	return err
}

// darkest returns the largest black level of all samples.
func (m *Mosaic) darkest() float64 {
	v := 0.0
	for _, row := range m.black.pattern {
		v = max(v, slices.Max(row))
	}
	if len(m.black.columns) > 0 {
		v += slices.Max(m.black.columns)
	}
	if len(m.black.rows) > 0 {
		v += slices.Max(m.black.rows)
	}
	return v
}

// Range returns the distance from black to white.
func (m *Mosaic) Range() float64 { return m.White - m.darkest() }

func (d *dngFile) readActive() error {
	w, h := int(d.layout.width), int(d.layout.height)
	d.mosaic.Active.Max.X, d.mosaic.Active.Max.Y = w, h
	v, err := d.raw.uints(tagActiveArea, 4)
	if err != nil {
		return err
	}
	if v != nil {
		var ok bool
		if d.mosaic.Active, ok = rectangleIn(v, w, h); !ok {
			return damagedf(DNG, "active area outside the picture")
		}
	}
	masked, err := d.raw.uints(tagMaskedAreas, 4*maxMaskedAreas)
	for v := range slices.Chunk(masked, 4) {
		if r, ok := rectangleIn(v, w, h); ok && !r.Overlaps(d.mosaic.Active) {
			d.mosaic.Masked = append(d.mosaic.Masked, r)
		}
	}
	return err
}

// maxMaskedAreas is the most that DNG allows.
const maxMaskedAreas = 4

// rectangleIn returns the rectangle of a top, left, bottom and right, and whether it is one within a picture.
func rectangleIn(v []uint64, width, height int) (image.Rectangle, bool) {
	if len(v) < 4 || v[0] >= v[2] || v[1] >= v[3] || v[2] > uint64(height) || v[3] > uint64(width) {
		return image.Rectangle{}, false
	}
	return image.Rect(int(v[1]), int(v[0]), int(v[3]), int(v[2])), true
}

func (d *dngFile) readTable() error {
	v, err := d.raw.uints(tagLinearization, 1<<16)
	for _, n := range v {
		if n > 65535 {
			return damagedf(DNG, "linearization table")
		}
		d.table = append(d.table, uint16(n))
	}
	return err
}

// maxBlackRepeat limits the sides of the pattern of black levels.
const maxBlackRepeat = 64

func (d *dngFile) readBlack() error {
	repeat, err := d.raw.uints(tagBlackRepeat, 2)
	if err != nil {
		return err
	}
	if repeat == nil {
		repeat = []uint64{1, 1}
	}
	if len(repeat) < 2 || min(repeat[0], repeat[1]) < 1 || max(repeat[0], repeat[1]) > maxBlackRepeat {
		return damagedf(DNG, "black level")
	}
	rows, columns := int(repeat[0]), int(repeat[1])
	levels, err := d.raw.numbers(tagBlackLevel, uint64(rows*columns))
	if err != nil {
		return err
	}
	if levels == nil {
		levels = make([]float64, rows*columns)
	}
	if len(levels) != rows*columns {
		return damagedf(DNG, "%d black levels of %d", len(levels), rows*columns)
	}
	b := &d.mosaic.black
	for y := range rows {
		b.pattern = append(b.pattern, levels[y*columns:][:columns])
	}
	a := d.mosaic.Active
	if b.columns, err = d.raw.numbers(tagBlackDeltaH, uint64(a.Dx())); err != nil {
		return err
	}
	if b.rows, err = d.raw.numbers(tagBlackDeltaV, uint64(a.Dy())); b.rows != nil {
		d.mosaic.Masked = nil // they tell the same
	}
	return err
}

// readNoise reads the noise of red, green and blue. Numbers that no noise has count as none.
func (d *dngFile) readNoise() error {
	v, err := d.numbers(tagNoiseProfile, 6)
	if err != nil || len(v) != 2 && len(v) != 6 {
		return err
	}
	var all []MosaicNoise
	for ; len(v) > 0; v = v[2:] {
		n := MosaicNoise{v[0], v[1]}
		if !(n.Slope >= 0 && n.Slope <= 1 && n.Floor <= 1 && n.Floor >= -1) || n.Slope == 0 && n.Floor <= 0 {
			return nil
		}
		n.Floor = max(n.Floor, 0)
		all = append(all, n)
	}
	d.mosaic.Noise = all
	return nil
}

// holder returns the directory that has a tag: that of the raw picture, or the first one. It returns nil if none has.
func (d *dngFile) holder(tag uint16) *ifd {
	for _, dir := range []*ifd{d.raw, d.first} {
		if dir.has(tag) {
			return dir
		}
	}
	return nil
}

// numbers reads a tag of the raw picture or of the first directory.
func (d *dngFile) numbers(tag uint16, limit uint64) ([]float64, error) {
	if dir := d.holder(tag); dir != nil {
		return dir.numbers(tag, limit)
	}
	return nil, nil
}
