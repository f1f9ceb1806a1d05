package imageio

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"io"

	"github.com/blorc-denoise/blorc-denoise/internal/losslessjpeg"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// samples returns the linear samples of the raw picture.
func (d *dngFile) samples(data []byte, o ReadOptions) ([]uint16, error) {
	l := d.layout
	out := make([]uint16, l.width*l.height)
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	errs := make([]error, len(l.list))
	err := parallel.For(ctx, o.Workers, len(l.list), func(_, i int) {
		b := l.list[i]
		var block []uint16
		if block, errs[i] = d.block(data[b.at:b.at+b.size], int(l.rowsOf(i))); errs[i] == nil {
			d.place(out, block, i)
		}
	})
	return out, cmp.Or(err, cmp.Or(errs...))
}

// place puts the samples of a strip or tile where they are in the picture.
func (d *dngFile) place(out, samples []uint16, i int) {
	l := d.layout
	left, top := int64(i)%l.across()*l.blockWidth, int64(i)/l.across()*l.blockHeight
	n := min(l.blockWidth, l.width-left)
	for y := range min(l.blockHeight, l.height-top) {
		row := out[(top+y)*l.width+left:][:n]
		copy(row, samples[y*l.blockWidth:])
		if d.table == nil {
			continue
		}
		for k, v := range row {
			row[k] = d.table[min(int(v), len(d.table)-1)]
		}
	}
}

// block returns the samples of a strip or tile as they are stored. Rows that do not reach into the picture may be
// missing.
func (d *dngFile) block(data []byte, rows int) ([]uint16, error) {
	width := int(d.layout.blockWidth)
	switch d.layout.compression {
	case compressionJPEG:
		return losslessBlock(data, width, rows)
	case compressionDeflate:
		z, err := zlib.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, damagedf(DNG, "%v", err)
		}
		raw := make([]byte, rows*int(d.layout.rowBytes()))
		if _, err := io.ReadFull(z, raw); err != nil {
			return nil, damagedf(DNG, "%v", err)
		}
		data = raw
	}
	stride := int(d.layout.rowBytes())
	if len(data) < rows*stride {
		return nil, truncated(DNG)
	}
	out := make([]uint16, width*rows)
	for y := range rows {
		row := data[y*stride:][:stride]
		if d.layout.predictor == predictorHorizontal && d.layout.compression == compressionDeflate {
			sumSamples(row, 1, int(d.layout.bits)/8, d.order)
		}
		d.unpack(out[y*width:][:width], row)
	}
	return out, nil
}

// unpack reads the samples of a row. Those of other sizes than whole bytes follow each other without gaps, the most
// significant bit first, whatever the byte order of the file is.
func (d *dngFile) unpack(out []uint16, row []byte) {
	switch bits := uint(d.layout.bits); bits {
	case 8:
		for i := range out {
			out[i] = uint16(row[i])
		}
	case 16:
		for i := range out {
			out[i] = d.order.Uint16(row[2*i:])
		}
	default:
		have, word := uint(0), uint32(0)
		for i := range out {
			for have < bits {
				word, row, have = word<<8|uint32(row[0]), row[1:], have+8
			}
			have -= bits
			out[i] = uint16(word >> have & (1<<bits - 1))
		}
	}
}

// losslessBlock decodes a strip or tile. Its rows may be divided otherwise in the JPEG picture.
func losslessBlock(data []byte, width, rows int) ([]uint16, error) {
	const padding = 1 << 16 // of tiles that are larger than the picture
	samples, h, err := losslessjpeg.Decode(data, 2*width*rows+padding)
	if err != nil {
		return nil, damagedf(DNG, "%v", err)
	}
	if n := h.Width * h.Components; n != width && len(samples) != width*rows || len(samples) < width*rows {
		return nil, damagedf(DNG, "%d x %d samples in a strip or tile of %d x %d", n, h.Height, width, rows)
	}
	return samples, nil
}
