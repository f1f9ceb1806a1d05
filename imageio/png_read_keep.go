package imageio

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"
)

// pngRest is what can be read of a damaged PNG file.
type pngRest struct {
	*pngHeader
	packed []byte // the compressed pixels, as far as they are in the file
	lines  []byte // the rows before the damage, with their filters; then zeros
	rows   int    // of the picture that are whole
}

// keep decodes the pixels before the place where a file is damaged, and leaves the others black. It returns why they
// cannot be decoded, or the error of the whole file if no row of the picture is there.
func (h *pngHeader) keep(data []byte, why error) (image.Image, *pngRest, error) {
	r := &pngRest{pngHeader: h}
	if !r.collect(data) {
		return nil, nil, why
	}
	r.expand()
	if r.rows == 0 {
		return nil, nil, why
	}
	img, err := png.Decode(r.repaired(data))
	if err != nil {
		return nil, nil, why
	}
	return img, r, nil
}

// collect finds the compressed pixels. Whatever their checksums say, they are good up to where they cannot be expanded.
// It returns false if another chunk that the picture needs is damaged.
func (r *pngRest) collect(data []byte) bool {
	for p := data[len(pngSignature):]; len(p) >= 8; {
		size, kind := uint64(binary.BigEndian.Uint32(p)), string(p[4:8])
		cut := size+12 > uint64(len(p))
		switch {
		case kind == "IDAT" && cut:
			r.packed = append(r.packed, p[8:min(uint64(len(p)), 8+size)]...)
		case kind == "IDAT":
			r.packed = append(r.packed, p[8:8+size]...)
		case !cut && !sideChunk(kind) && kind != "IEND" && !soundChunk(p[:12+size]):
			return len(r.packed) > 0 // nothing after the pixels is needed
		}
		if cut {
			return true
		}
		p = p[12+size:]
	}
	return true
}

// expand expands the pixels up to the damage. Damaged data often give rows with a filter that does not exist.
func (r *pngRest) expand() {
	passes := r.passes()
	total := 0
	for _, p := range passes {
		total += p.rows * p.bytes
	}
	r.lines = make([]byte, total)
	z, err := zlib.NewReader(bytes.NewReader(r.packed))
	if err != nil {
		return
	}
	n, _ := io.ReadFull(z, r.lines)
	at := 0
	for i, p := range passes {
		row := 0
		for ; row < p.rows && at+p.bytes <= n && r.lines[at] <= 4; row++ {
			at += p.bytes
		}
		if row < p.rows {
			clear(r.lines[at:])
			r.rows = r.wholeRows(i, row)
			return
		}
	}
	r.rows = int(r.height)
}

// wholeRows returns how many rows of the picture are whole before a row of a pass. Of an interlaced picture, every
// other row comes last.
func (r *pngRest) wholeRows(pass, row int) int {
	switch {
	case !r.interlaced:
		return row
	case pass < len(adam7Passes)-1:
		return 0
	}
	return min(2*row+1, int(r.height))
}

// pngPass is one of the passes that a picture is stored in.
type pngPass struct {
	rows, bytes int // bytes of a row, with its filter
}

// adam7Passes are the passes of an interlaced picture: the first pixel of each, and the distance of pixels (section
// 8.2).
var adam7Passes = [7]struct{ x, y, right, down int64 }{
	{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
}

// passes returns the passes of the picture. Those without pixels have no rows.
func (h *pngHeader) passes() (list []pngPass) {
	pass := func(w, rows int64) pngPass {
		if w == 0 {
			return pngPass{}
		}
		return pngPass{int(rows), int(1 + (w*int64(pngKinds[h.colour].channels)*int64(h.bits)+7)/8)}
	}
	if !h.interlaced {
		return []pngPass{pass(h.width, h.height)}
	}
	for _, p := range adam7Passes {
		list = append(list, pass((h.width-p.x+p.right-1)/p.right, (h.height-p.y+p.down-1)/p.down))
	}
	return list
}

// repaired returns a file with the rows. Nothing else of it is needed but the header, the palette and the transparent
// colours.
func (r *pngRest) repaired(data []byte) io.Reader {
	var b, pixels bytes.Buffer
	b.WriteString(pngSignature)
	p := data[len(pngSignature):]
	write := func(kind string, body []byte) {
		_ = writeChunk(&b, kind, body) // a Buffer takes all
	}
	write("IHDR", p[8:8+13])
	if r.palette != nil {
		write("PLTE", r.palette)
	}
	if r.transparent != nil {
		write("tRNS", r.transparent)
	}
	z, _ := zlib.NewWriterLevel(&pixels, zlib.BestSpeed) // the level is valid
	_, _ = z.Write(r.lines)                              // a Buffer takes all
	_ = z.Close()
	for rest := pixels.Bytes(); len(rest) > 0; {
		n := min(len(rest), 1<<30) // a chunk has at most 2 GiB
		write("IDAT", rest[:n])
		rest = rest[n:]
	}
	write("IEND", nil)
	return &b
}

// tooMuch is what the decoder says of data behind the last row.
const tooMuch = "too much pixel data"

// isWhole reports whether nothing else is wrong with the pixels but that there are data behind the last row.
func (h *pngHeader) isWhole(data []byte, why error) bool {
	if !strings.HasSuffix(why.Error(), tooMuch) {
		return false
	}
	for p := data[len(pngSignature):]; len(p) >= 8; { // scan has found all chunks whole
		size := 12 + int(binary.BigEndian.Uint32(p))
		if string(p[4:8]) == "IDAT" && !soundChunk(p[:size]) {
			return false
		}
		if string(p[4:8]) == "IEND" {
			break
		}
		p = p[size:]
	}
	return true
}

// warning tells what is missing.
func (r *pngRest) warning(why error) string {
	if r.rows == int(r.height) && strings.HasSuffix(why.Error(), tooMuch) {
		return "there are data behind the last row, which belong to nothing"
	}
	if r.rows == int(r.height) {
		return fmt.Sprintf("%v: all rows could be read, but some samples may be wrong", why)
	}
	return fmt.Sprintf("%v: samples of rows %d to %d of %d are missing, and stay black", why, r.rows+1, r.height,
		r.height)
}
