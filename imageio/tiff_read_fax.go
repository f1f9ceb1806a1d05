package imageio

import (
	"errors"
	"io"
	"math/bits"
)

// Options of fax compression (TIFF 6.0, sections 10 and 11).
const (
	tagT4Options = 292
	tagT6Options = 293

	faxTwoDimensional = 1 // T4: rows may be coded as changes of the row before
	faxUncompressed   = 2 // T4 and T6: runs may be stored as they are, which no known program does
)

var errFax = errors.New("bad fax code")

// faxReader expands fax data (ITU-T T.4 and T.6): a bit for each pixel, 0 for white, each row in whole bytes.
type faxReader struct {
	compression uint32
	mixed       bool // Group 3 of two dimensions
	width, rows int64

	data   []byte
	at     int // next bit of data
	before []int
	row    []int  // places where the colour changes, and the width at the end
	buf    []byte // a row in whole bytes
	out    []byte // the part of it that has not been read
	done   int64
}

func (f *faxReader) Read(dst []byte) (int, error) {
	if len(f.out) == 0 {
		if f.done == f.rows {
			return 0, io.EOF
		}
		if err := f.next(); err != nil {
			return 0, err
		}
		f.done++
	}
	n := copy(dst, f.out)
	f.out = f.out[n:]
	return n, nil
}

// next decodes a row.
func (f *faxReader) next() error {
	f.before, f.row = f.row, f.before[:0]
	flat := true
	switch f.compression {
	case compressionFaxRLE: // rows begin at bytes
		f.at = (f.at + 7) &^ 7
	case compressionFax3:
		flat = f.endOfLine()
	case compressionFax4:
		flat = false
	}
	if f.at >= 8*len(f.data) {
		return io.ErrUnexpectedEOF
	}
	var err error
	if flat {
		err = f.flatRow()
	} else {
		err = f.changedRow()
	}
	f.paint()
	return err
}

// endOfLine skips the code that begins a row, with the zeros before it. It reports whether the row is coded by itself.
// Some programs leave the codes out.
func (f *faxReader) endOfLine() bool {
	at, zeros := f.at, 0
	for at < 8*len(f.data) && f.bit(at) == 0 {
		at, zeros = at+1, zeros+1
	}
	if zeros < 11 {
		return true
	}
	f.at = at + 1
	if !f.mixed {
		return true
	}
	f.at++
	return f.bit(f.at-1) == 1
}

// bit returns the bit at a place, and 0 past the end. No code is all zeros, so a row ends there at the latest.
func (f *faxReader) bit(at int) uint {
	if at >= 8*len(f.data) {
		return 0
	}
	return uint(f.data[at/8]>>(7-at%8)) & 1
}

// peek returns the next n bits, at most 16.
func (f *faxReader) peek(n int) int {
	v, i := 0, f.at/8
	for k := range 3 {
		v <<= 8
		if i+k < len(f.data) {
			v |= int(f.data[i+k])
		}
	}
	return v >> (24 - f.at%8 - n) & (1<<n - 1)
}

// run decodes the length of a run of white (0) or black (1).
func (f *faxReader) run(colour int) (int, error) {
	total := 0
	for {
		r := faxRuns()[colour][f.peek(faxLook)]
		if r.length == 0 || total > int(f.width) {
			return 0, errFax
		}
		f.at += int(r.length)
		total += int(r.run)
		if r.run < 64 {
			return total, nil
		}
	}
}

// end returns the place where the row has been decoded to.
func (f *faxReader) end() int {
	if len(f.row) == 0 {
		return 0
	}
	return f.row[len(f.row)-1]
}

// add ends a run at a place.
func (f *faxReader) add(at int) error {
	if at < f.end() || at > int(f.width) || len(f.row) > 2*int(f.width)+4 {
		return errFax
	}
	f.row = append(f.row, at)
	return nil
}

// flatRow decodes a row of runs.
func (f *faxReader) flatRow() error {
	for at, colour := 0, 0; at < int(f.width); colour ^= 1 {
		n, err := f.run(colour)
		if err != nil {
			return err
		}
		at += n
		if err := f.add(at); err != nil {
			return err
		}
	}
	return nil
}

// The codes of changes against the row before (T.4, table 4), by the next 7 bits.
const (
	faxPass = iota + 1
	faxHorizontal
	faxVertical // with the distance -3 to 3
)

func faxMode(v int) (mode, distance, length int) {
	switch {
	case v>>6 == 1:
		return faxVertical, 0, 1
	case v>>4 == 3:
		return faxVertical, 1, 3
	case v>>4 == 2:
		return faxVertical, -1, 3
	case v>>4 == 1:
		return faxHorizontal, 0, 3
	case v>>3 == 1:
		return faxPass, 0, 4
	case v>>1 == 3:
		return faxVertical, 2, 6
	case v>>1 == 2:
		return faxVertical, -2, 6
	case v == 3:
		return faxVertical, 3, 7
	case v == 2:
		return faxVertical, -3, 7
	}
	return 0, 0, 0
}

// faxMostBack is how many changes of the row before a code may go back over. It goes back by three pixels at most. More
// changes are there only in damaged data with many runs of no length, which would take time that grows with the square
// of their number.
const faxMostBack = 64

// changedRow decodes a row of changes. It starts before the first pixel.
func (f *faxReader) changedRow() error {
	colour, near := 0, 0
	for at := -1; at < int(f.width); {
		// The next change of the row before to the other colour.
		for back := 0; near > 0 && f.place(near-1) > at; back++ {
			if back == faxMostBack {
				return errFax
			}
			near--
		}
		for near < len(f.before) && (f.before[near] <= at || near&1 != colour) {
			near++
		}
		mode, distance, length := faxMode(f.peek(7))
		f.at += length
		switch mode {
		case faxPass:
			at = f.place(near + 1)
			continue
		case faxVertical:
			if err := f.add(f.place(near) + distance); err != nil {
				return err
			}
			colour ^= 1
		case faxHorizontal:
			at = max(at, 0)
			for range 2 {
				n, err := f.run(colour)
				if err != nil {
					return err
				}
				at += n
				if err := f.add(at); err != nil {
					return err
				}
				colour ^= 1
			}
		default:
			return errFax
		}
		at = f.end()
	}
	return nil
}

// place returns a change of the row before, or the width past its last.
func (f *faxReader) place(i int) int {
	if i < len(f.before) {
		return f.before[i]
	}
	return int(f.width)
}

// paint sets the bits of the black runs.
func (f *faxReader) paint() {
	if f.buf == nil {
		f.buf = make([]byte, (f.width+7)/8)
	}
	clear(f.buf)
	f.out = f.buf
	for i := 0; i < len(f.row); i += 2 {
		from, to := f.row[i], int(f.width)
		if i+1 < len(f.row) {
			to = f.row[i+1]
		}
		for from < to && from%8 != 0 {
			f.out[from/8] |= 0x80 >> (from % 8)
			from++
		}
		for ; from+8 <= to; from += 8 {
			f.out[from/8] = 0xff
		}
		for ; from < to; from++ {
			f.out[from/8] |= 0x80 >> (from % 8)
		}
	}
}

// reversed reverses the bits of each byte.
type reversed struct{ r io.Reader }

func (r reversed) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	for i, b := range p[:n] {
		p[i] = bits.Reverse8(b)
	}
	return n, err
}
