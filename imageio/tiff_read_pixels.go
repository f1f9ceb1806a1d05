package imageio

import (
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
	row      []byte // a row of a block, as in the file
	wide     []byte // the same row with a byte for each sample, if samples have fewer than 8 bits
	shuffle  []byte // memory of the float predictor
}

// read decodes the pixels of a page. Floats are divided by white.
func (l *tiffLayout) read(f *tiffFile, white float64) (*Image, error) {
	d := &tiffDecoder{tiffLayout: l, unpacker: unpacker{compression: l.compression, file: f.r}, order: f.order, white: white}
	d.img = newImage(int(l.width), int(l.height), l.planes(), l.alpha, l.depth(), TIFF)
	d.channels = d.img.channels()
	d.row = make([]byte, l.rowBytes())
	for i := range l.list {
		if err := d.block(i); err != nil {
			return nil, blockError(i, err)
		}
	}
	if err := checkFinite(d.img); err != nil {
		return nil, err
	}
	l.turn.apply(d.img)
	return d.img, nil
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

// block decodes strip or tile i.
func (d *tiffDecoder) block(i int) error {
	r, err := d.open(d.list[i])
	if err != nil {
		return err
	}
	n := int(d.across() * d.down())
	channels := d.channels
	if d.planar {
		channels = d.channels[i/n : i/n+1]
	}
	x, y := int64(i%n)%d.across()*d.blockWidth, int64(i%n)/d.across()*d.blockHeight
	width, rows := min(d.blockWidth, d.width-x), min(d.blockHeight, d.height-y)
	for dy := range rows {
		if _, err := io.ReadFull(r, d.row); err != nil {
			return err
		}
		at := (y+dy)*d.width + x
		if err := d.put(channels, at, at+width, i/n); err != nil {
			return err
		}
	}
	if rows < d.rowsOf(i) { // the padding at the end of a tile may be missing
		return nil
	}
	return d.finish(r)
}

// put stores a row of a block as samples from..to-1 of the channels. first is the number of the first channel.
func (d *tiffDecoder) put(channels [][]float32, from, to int64, first int) error {
	order := d.unpredict(len(channels))
	if d.photometric == palette {
		return d.putColours(from, to)
	}
	row, size := d.row, int(d.bits)/8
	if d.bits < 8 {
		row, size = d.widen(math.MaxUint8/(1<<d.bits-1)), 1
	}
	step := size
	if !d.planar {
		step *= int(d.samples)
	}
	for c, p := range channels {
		scale, inverted := d.white, d.photometric == whiteIsZero || d.photometric == separated
		if d.alpha && first+c == len(d.channels)-1 {
			scale, inverted = 1, false
		}
		fillSamples(p[from:to], row[c*size:], step, d.img.Depth, order, scale, inverted)
	}
	return nil
}

// fillSamples reads samples that begin every step bytes of src. Inverted samples are inverted as integers, which is
// exact.
func fillSamples(dst []float32, src []byte, step int, depth Depth, order binary.ByteOrder, white float64, inverted bool) {
	switch depth {
	case Depth8:
		flip := uint8(0)
		if inverted {
			flip = math.MaxUint8
		}
		for i := range dst {
			dst[i] = unit8(src[i*step] ^ flip)
		}
	case Depth16:
		flip := uint16(0)
		if inverted {
			flip = math.MaxUint16
		}
		for i := range dst {
			dst[i] = unit16(order.Uint16(src[i*step:]) ^ flip)
		}
	case DepthFloat32:
		for i := range dst {
			v := math.Float32frombits(order.Uint32(src[i*step:]))
			if white != 1 {
				v = float32(float64(v) / white)
			}
			dst[i] = v
		}
	}
}

// widen returns the current row with a byte for each sample of 1, 2 or 4 bits, multiplied by scale.
func (d *tiffDecoder) widen(scale byte) []byte {
	if d.wide == nil {
		d.wide = make([]byte, len(d.row)*8/int(d.bits))
	}
	perByte, mask := 8/int(d.bits), byte(1<<d.bits-1)
	for i := range d.wide {
		shift := 8 - int(d.bits)*(i%perByte+1)
		d.wide[i] = d.row[i/perByte] >> shift & mask * scale
	}
	return d.wide
}
