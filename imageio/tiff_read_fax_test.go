package imageio

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestFaxRunsOfNoLength checks that a row of many runs of no length does not take time again and again.
func TestFaxRunsOfNoLength(t *testing.T) {
	const n = 10_000
	white, black := strings.Fields(whiteRuns), strings.Fields(blackRuns)
	const pass, left2, left3, horizontal, vertical = "0001", "000010", "0000010", "001", "1"
	first := horizontal + white[10] + black[0] + strings.Repeat(horizontal+white[0]+black[0], n) + horizontal +
		white[1] + black[1] + vertical
	second := strings.Repeat(pass+left2+pass+left3, n)
	r := &faxReader{compression: compressionFax4, width: 4 * n, rows: 2, data: packedBits(first + second)}
	if _, err := io.ReadAll(r); !errors.Is(err, errFax) {
		t.Error(err)
	}
	if len(r.row) > faxMostBack {
		t.Errorf("%d changes are read", len(r.row))
	}
}

// TestFaxEnds checks that nothing is read after the last row, whatever follows it.
func TestFaxEnds(t *testing.T) {
	white := packedBits("11111111") // eight rows
	out, err := io.ReadAll(&faxReader{compression: compressionFax4, width: 8, rows: 3, data: white})
	if err != nil || len(out) != 3 {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

// TestBadFax checks that rows that are missing, and those with a code that is none, are refused.
func TestBadFax(t *testing.T) {
	white := strings.Fields(whiteRuns)
	for _, c := range []struct {
		kind  uint32
		width int64
		data  []byte
		want  error
	}{
		{compressionFax4, 8, packedBits("11111111"), io.ErrUnexpectedEOF},
		{compressionFaxRLE, 64, packedBits("11011"), errFax}, // 64 of a longer run, whose end is missing
		{compressionFaxRLE, 4, packedBits(white[5]), errFax},
	} {
		r := &faxReader{compression: c.kind, width: c.width, rows: 9, data: c.data}
		if _, err := io.ReadAll(r); err != c.want {
			t.Errorf("%d: %v, want %v", c.data, err, c.want)
		}
	}
}

// packedBits returns bytes of the bits that a text spells, the most significant first.
func packedBits(text string) []byte {
	b := make([]byte, (len(text)+7)/8)
	for i, c := range []byte(text) {
		b[i/8] |= (c - '0') << (7 - i%8)
	}
	return b
}
