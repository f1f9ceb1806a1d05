package imageio

import (
	"bytes"
	"compress/zlib"

	"github.com/klauspost/compress/zstd"
)

// packing is how blocks of pixels are compressed. The zero value means not at all.
type packing struct{ compression, predictor uint32 }

func (p packing) compressed() bool { return p.compression > compressionNone }

// packing returns how a page like that of the layout is written. It keeps the compression and the predictor. Deflate
// takes the place of compressions that no other program expects for such pixels, and of JPEG where that cannot hold
// them.
func (l *tiffLayout) packing() packing {
	p := packing{l.compression, l.predictor}
	switch l.compression {
	case compressionNone, compressionPackBits:
		return packing{compression: l.compression}
	case compressionLZW, compressionDeflate, compressionDeflate0, compressionZstd:
	case compressionJPEG:
		if l.keepsJPEG() {
			return packing{compression: compressionJPEG}
		}
		fallthrough
	default:
		p = packing{compressionDeflate, predictorOf(l.depth())}
	}
	if l.photometric == palette || l.bits < 8 { // other samples are written than were read
		p.predictor = predictorOf(l.depth())
	}
	return p
}

// predictorOf returns the predictor that suits samples of a depth.
func predictorOf(d Depth) uint32 { return uint32(d.predictor()) }

// fitting returns the packing for samples of the depth of the image, which may be another than that of the source.
func (p packing) fitting(d Depth) packing {
	if p.predictor == predictorFloat && !d.isFloat() || d.predictor() == predictorNone {
		p.predictor = predictorNone
	}
	return p
}

// packer compresses blocks, one after the other.
type packer struct {
	packing
	row      int // bytes of a row of a block
	out      bytes.Buffer
	deflater *zlib.Writer
	lzw      *lzwWriter
	zstd     *zstd.Encoder
}

// zstdOptions suit pictures, in which few strings come again: their bytes are coded by frequency, which the default
// leaves out.
var zstdOptions = []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedBetterCompression),
	zstd.WithAllLitEntropyCompression(true),
	zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false)}

// pack returns the compressed bytes of a block. They are valid until the next call.
func (p *packer) pack(block []byte) ([]byte, error) {
	p.out.Reset()
	switch p.compression {
	case compressionLZW:
		if p.lzw == nil {
			p.lzw = new(lzwWriter)
		}
		return p.lzw.encode(block), nil
	case compressionPackBits:
		var out []byte
		for ; len(block) > 0; block = block[p.row:] { // a run must not go on in the next row
			out = appendPackBits(out, block[:p.row])
		}
		return out, nil
	case compressionZstd:
		if p.zstd == nil {
			var err error
			if p.zstd, err = zstd.NewWriter(nil, zstdOptions...); err != nil {
				return nil, err
			}
		}
		return p.zstd.EncodeAll(block, nil), nil
	}
	if p.deflater == nil {
		p.deflater = zlib.NewWriter(&p.out)
	}
	p.deflater.Reset(&p.out)
	p.deflater.Write(block)
	err := p.deflater.Close()
	return p.out.Bytes(), err
}

// appendPackBits appends a row in PackBits (TIFF 6.0, section 9). A run of two bytes is packed only where no literal
// bytes are interrupted by it.
func appendPackBits(out, row []byte) []byte {
	const most = 128
	for i := 0; i < len(row); {
		n := runLength(row[i:], most)
		if n >= 2 {
			out = append(out, byte(1-n), row[i])
			i += n
			continue
		}
		from := i
		for i < len(row) && i-from < most && runLength(row[i:], 3) < 3 {
			i++
		}
		out = append(append(out, byte(i-from-1)), row[from:i]...)
	}
	return out
}

// runLength returns how often the first byte is repeated at the beginning of p, at most limit times.
func runLength(p []byte, limit int) int {
	n := 1
	for n < len(p) && n < limit && p[n] == p[0] {
		n++
	}
	return n
}
