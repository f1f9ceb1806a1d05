package imageio

import (
	"bytes"
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
