package imageio

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
)

// tiffDecoder reads the pixels of a page row by row, so that it needs little memory besides the image.
type tiffDecoder struct {
	*tiffLayout
	unpacker
	order    binary.ByteOrder
	img      *Image
	channels [][]float32
	white    float64
	ctx      context.Context // may be nil
	workers  int             // for JPEG files
	row      []byte          // a row of a block, as in the file
	values   []uint32        // its samples, if they are no whole bytes
	shuffle  []byte          // memory of the float predictor
	beyond   bool            // a sample is finite in the file and too large for a plane
	keep     bool            // blocks that cannot be read are left out
	done     int64           // rows of the last block that were read
	lost     lostBlocks
}

// read decodes the pixels of a page. Floats are divided by o.White.
func (l *tiffLayout) read(f *tiffFile, o ReadOptions) (*Image, error) {
	d := &tiffDecoder{tiffLayout: l, unpacker: unpacker{tiffLayout: l, file: f.r}, order: f.order, white: o.White,
		workers: o.Workers, ctx: o.Context, keep: o.KeepDamaged}
	defer d.close()
	d.img = l.newImage(o.White)
	d.channels = d.img.channels()
	if l.compression != compressionJPEG {
		d.row = make([]byte, l.rowBytes())
	}
	for i := range l.list {
		if err := ended(o.Context); err != nil {
			return nil, err
		}
		a := d.areaOf(i)
		err := d.block(i, a)
		if err == nil {
			continue
		}
		if ended := ended(o.Context); ended != nil {
			return nil, ended
		}
		if err = blockError(i, err); d.keep {
			err = d.lost.lose(i, a, d.done, err)
		}
		if err != nil {
			return nil, salvageable(err)
		}
	}
	if l.photometric == ycbcr && l.compression != compressionJPEG {
		l.chroma.convert(d.img.Planes)
	}
	if err := d.lost.apply(d.img); err != nil {
		return nil, err
	}
	if err := d.checkFinite(); err != nil && !o.KeepInvalid {
		return nil, err
	}
	l.turn.apply(d.img)
	if l.keepsJPEG() {
		d.img.stored.sum, d.img.stored.jpeg = d.img.sum(), d.jpegBlocks()
	}
	return d.img, nil
}

// checkFinite refuses samples that are no numbers, or too large.
func (d *tiffDecoder) checkFinite() error {
	err := checkRead(d.img)
	if err != nil && d.beyond {
		return failf(ErrUnsupported, "samples beyond %.4g, the range of 32-bit floats", math.MaxFloat32)
	}
	return err
}

// blockError turns errors of a decompressor into ErrFormat. It returns other errors unchanged.
func blockError(i int, err error) error {
	var path *fs.PathError
	var known *refusal
	switch {
	case errors.As(err, &path), errors.As(err, &known):
		return err
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return damagedf(TIFF, "strip or tile %d is too short", i)
	}
	return damagedf(TIFF, "strip or tile %d: %v", i, err)
}

// areaOf returns the part of the picture that strip or tile i holds.
func (l *tiffLayout) areaOf(i int) tiffArea {
	n := int(l.across() * l.down())
	x, y := int64(i%n)%l.across()*l.blockWidth, int64(i%n)/l.across()*l.blockHeight
	return tiffArea{x: x, y: y, width: min(l.blockWidth, l.width-x), rows: min(l.blockHeight, l.height-y), plane: i / n}
}

// block decodes strip or tile i.
func (d *tiffDecoder) block(i int, area tiffArea) error {
	if d.done = 0; d.list[i] == missingBlock {
		return damagedf(TIFF, "strip or tile %d is missing", i)
	}
	if d.compression == compressionJPEG {
		return d.jpegBlock(i, area)
	}
	r, err := d.open(d.list[i], d.rowsOf(i))
	if err != nil {
		return err
	}
	if d.compression == compressionLog {
		return d.logBlock(r, area)
	}
	high := int64(1) // rows of the picture in a row of the block
	if d.clumped() {
		high = d.down2
	}
	for dy := int64(0); dy < area.rows; dy += high {
		if err := ended(d.ctx); err != nil {
			return err
		}
		d.done = dy
		if _, err := io.ReadFull(r, d.row); err != nil {
			return err
		}
		if d.clumped() {
			d.putClumps(area, dy)
			continue
		}
		at := (area.y+dy)*d.width + area.x
		if err := d.put(at, at+area.width, area.plane); err != nil {
			return err
		}
	}
	d.done = area.rows
	return d.finish(r)
}

// tiffArea is the part of the picture that a block holds.
type tiffArea struct {
	x, y, width, rows int64
	plane             int // number of the sample, if each has its own blocks
}

// put stores a row of a block as samples from..to-1 of the channels. first is the number of the first sample.
func (d *tiffDecoder) put(from, to int64, first int) error {
	samples := int(d.samples)
	if d.planar {
		samples = 1
	}
	order := d.unpredict(samples)
	depth := d.fileDepth()
	if depth.bits()%8 != 0 {
		d.unpack(depth.bits())
	}
	for s := range samples {
		c := first + s
		if d.photometric == palette {
			if c == 0 {
				index := func(i int) int { return int(d.levelAt(depth, i*samples, order)) }
				if err := d.putColours(index, from, to); err != nil {
					return err
				}
				continue
			}
			c += len(d.img.Planes) - 1
		}
		d.fill(c, from, to, depth, s, samples, order)
	}
	return nil
}

// levelAt returns sample i of the row.
func (d *tiffDecoder) levelAt(depth Depth, i int, order binary.ByteOrder) float64 {
	if depth.bits()%8 != 0 {
		return float64(d.values[i])
	}
	return depth.get(d.row[i*depth.bits()/8:], order)
}

// fill stores every step-th sample of the row, from the first one on, in a channel. Samples are inverted as integers,
// which is exact.
func (d *tiffDecoder) fill(c int, from, to int64, depth Depth, first, step int, order binary.ByteOrder) {
	dst, flip := d.channels[c][from:to], d.img.flip(c)
	switch depth {
	case Depth8:
		for i := range dst {
			dst[i] = unit8(d.row[first+i*step] ^ uint8(flip))
		}
		return
	case Depth16:
		src := d.row[2*first:]
		for i := range dst {
			dst[i] = unit16(order.Uint16(src[2*i*step:]) ^ uint16(flip))
		}
		return
	}
	scale := d.white
	if c == d.img.alphaChannel() {
		scale = 1
	}
	var wide []float64
	if c < len(d.img.stored.wide) {
		wide = d.img.stored.wide[c][from:to]
	}
	for i := range dst {
		level := d.levelAt(depth, first+i*step, order)
		if flip != 0 {
			level = float64(uint32(level) ^ flip)
		}
		dst[i] = depth.unit(level, scale)
		d.beyond = d.beyond || !finite(dst[i]) && math.Abs(level) <= math.MaxFloat64
		if wide != nil {
			wide[i] = level
		}
	}
}

// unpack stores the samples of the row in values. The most significant bit comes first.
func (d *tiffDecoder) unpack(bits int) {
	if d.values == nil {
		d.values = make([]uint32, len(d.row)*8/bits)
	}
	var have uint64
	count, at := 0, 0
	for i := range d.values {
		for count < bits {
			have = have<<8 | uint64(d.row[at])
			count, at = count+8, at+1
		}
		count -= bits
		d.values[i] = uint32(have>>count) & uint32(1<<bits-1)
	}
}
