package imageio

import (
	"context"
	"encoding/binary"
)

// The approximate size of a strip. TIFF 6.0 recommends small strips, so that readers need not hold the whole image.
// Larger strips compress better.
const (
	stripBytes  = 1 << 16
	packedBytes = 1 << 18
)

// maxTileBytes limits the tiles that are taken over from the source.
const maxTileBytes = 16 << 20

// tiffPlan is how the pixels of a page are written: in strips or tiles, row by row of them.
type tiffPlan struct {
	packing
	img           *Image
	tiled         bool
	width, height int         // of a strip or tile
	offsets       []uint64    // where each block begins in the file
	counts        []uint64    // bytes of each block
	packed        []byte      // all blocks, if compressed
	coding        *jpegCoding // of blocks that are JPEG files, or nil
	copied        *jpegBlocks // these blocks, if they are copied
	levels        []*tiffPlan
}

// plan plans a page in the manner of the page that the image was read from.
func (t *tiffWriter) plan(img *Image) *tiffPlan {
	p := &tiffPlan{img: img}
	p.packing, p.coding = img.fromTIFF().writtenAs(img, t.o)
	if p.coding != nil && img.asRead(t.o) {
		p.copied = img.stored.jpeg
	}
	p.divide(img.fromTIFF().tile)
	return p
}

// divide divides the pixels into tiles of the source, or if it had none, into strips.
func (p *tiffPlan) divide(tile [2]int) {
	p.chooseBlocks(tile)
	img := p.img
	n := (img.Height + p.height - 1) / p.height
	if p.tiled {
		n *= p.across()
	}
	p.offsets, p.counts = make([]uint64, n), make([]uint64, n)
	for i := range n {
		p.counts[i] = uint64(p.rowBytes()) * uint64(p.rows(i/p.across()*p.height))
	}
}

// chooseBlocks chooses the size of blocks. Strips have about the same size in all files.
func (p *tiffPlan) chooseBlocks(tile [2]int) {
	img := p.img
	if c := p.copied; c != nil {
		p.tiled, p.width, p.height = c.tiled, c.width, c.height
		return
	}
	if tile != [2]int{} {
		p.tiled, p.width, p.height = true, tile[0], tile[1]
		if int64(p.rowBytes())*int64(p.height) <= maxTileBytes {
			return
		}
	}
	strip := stripBytes
	if p.compressed() {
		strip = packedBytes
	}
	rows := max(1, strip/rowSize(img))
	if p.coding != nil {
		rows = int(roundUp(int64(rows), 16)) // whole units of JPEG
	}
	p.tiled, p.width, p.height = false, img.Width, min(img.Height, rows)
}

// across returns the number of blocks beside each other.
func (p *tiffPlan) across() int { return (p.img.Width + p.width - 1) / p.width }

// rowBytes returns the bytes of a row of a block. The sides of tiles are multiples of 16, so it is exact.
func (p *tiffPlan) rowBytes() int {
	if !p.tiled {
		return rowSize(p.img)
	}
	part := Image{Width: p.width, Planes: p.img.channels(), Depth: p.img.Depth}
	return rowSize(&part)
}

// rows returns the rows of the blocks that begin at row y. Tiles are always whole.
func (p *tiffPlan) rows(y int) int {
	if p.tiled {
		return p.height
	}
	return min(p.height, p.img.Height-y)
}

// pack compresses all blocks into memory until a context is done, because the directory before them has their sizes.
func (p *tiffPlan) pack(ctx context.Context, order binary.ByteOrder, white float64) error {
	if p.coding != nil {
		return p.packJPEG(ctx)
	}
	packer := packer{packing: p.packing, row: p.rowBytes()}
	predictor := predictor{order: order, samples: len(p.img.channels()), size: p.img.Depth.bits() / 8}
	i := 0
	return p.blocks(order, white, func(block []byte) error {
		if err := ended(ctx); err != nil {
			return err
		}
		predictor.apply(p.predictor, block, packer.row)
		b, err := packer.pack(block)
		if err != nil {
			return err
		}
		p.counts[i] = uint64(len(b))
		p.packed, i = append(p.packed, b...), i+1
		return nil
	})
}

// blocks calls put with the bytes of each block in order, which put may change.
func (p *tiffPlan) blocks(order binary.ByteOrder, white float64, put func([]byte) error) error {
	row, full := p.rowBytes(), rowSize(p.img)
	band := make([]byte, p.height*full)
	var tile []byte
	if p.tiled {
		tile = make([]byte, p.height*row)
	}
	for y := 0; y < p.img.Height; y += p.height {
		rows := min(p.height, p.img.Height-y)
		band := band[:rows*full]
		putSamples(band, p.img.rowsAt(y, rows), order, white)
		if !p.tiled {
			if err := put(band); err != nil {
				return err
			}
			continue
		}
		for x := range p.across() {
			clear(tile)
			for dy := range rows {
				line := band[dy*full : (dy+1)*full]
				copy(tile[dy*row:(dy+1)*row], line[x*row:])
			}
			if err := put(tile); err != nil {
				return err
			}
		}
	}
	return nil
}

// tags returns the tags that describe the blocks.
func (p *tiffPlan) tags(form tiffForm) directory {
	offset := uint16(typeLong)
	if form.big {
		offset = typeLong8
	}
	d := directory{numbers(form.order, tagCompression, typeShort, uint64(max(p.compression, compressionNone)))}
	if p.compressed() && p.predictor > predictorNone {
		d = append(d, numbers(form.order, tagPredictor, typeShort, uint64(p.predictor)))
	}
	if p.coding != nil {
		d = append(d, p.jpegTags(form.order)...)
	}
	if p.tiled {
		return append(d,
			numbers(form.order, tagTileWidth, typeLong, uint64(p.width)),
			numbers(form.order, tagTileLength, typeLong, uint64(p.height)),
			numbers(form.order, tagTileOffsets, offset, p.offsets...),
			numbers(form.order, tagTileByteCounts, offset, p.counts...))
	}
	return append(d, numbers(form.order, tagRowsPerStrip, typeLong, uint64(p.height)),
		numbers(form.order, tagStripOffsets, offset, p.offsets...),
		numbers(form.order, tagStripByteCounts, offset, p.counts...))
}

// tile returns the size of the tiles of a page as they lie in the upright picture, or zero if there are none or none
// that TIFF allows to write.
func (l *tiffLayout) tile() [2]int {
	const most = 1 << 15
	if !l.tiled || l.blockWidth%16 != 0 || l.blockHeight%16 != 0 || l.blockWidth > most || l.blockHeight > most {
		return [2]int{}
	}
	if l.turn.transposed() {
		return [2]int{int(l.blockHeight), int(l.blockWidth)}
	}
	return [2]int{int(l.blockWidth), int(l.blockHeight)}
}
