package imageio

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/flate"
)

// TestPNGStrips checks that the strips make the same stream on any number of processors, and that it is hardly longer
// than that of a single compressor.
func TestPNGStrips(t *testing.T) {
	const most = pngMostStrip
	for _, size := range [][2]int{{1, 1}, {1, 200_000}, {200_000, 1}, {640, 480}, {257, 255}, {most / 2, 9},
		{2 * most, 2}, {1500, 2000}} {
		img := newImage(size[0], size[1], 1, noAlpha, Depth8, PNG)
		rng := rand.New(rand.NewPCG(1, 0))
		for i := range img.Planes[0] {
			img.Planes[0][i] = unit8(uint8(i%977/4 + rng.IntN(10)))
		}
		var packed [2][]byte
		for i, processors := range []int{1, 7} {
			withProcessors(processors, func() { packed[i] = encoded(t, img, WriteOptions{}) })
		}
		if !bytes.Equal(packed[0], packed[1]) {
			t.Errorf("%v: other bytes on more processors", size)
		}
		if !same(img, decoded(t, packed[0], ReadOptions{MaxPixels: 1 << 24})) {
			t.Errorf("%v: other samples come back", size)
		}
		if one := len(inOneStream(img)); len(packed[0]) > one+one/200+1000 {
			t.Errorf("%v: %d bytes, %d without strips", size, len(packed[0]), one)
		}
	}
}

func inOneStream(img *Image) []byte {
	var b bytes.Buffer
	z, _ := flate.NewWriter(&b, repeats)
	f := newFilters(rowSize(img), 1)
	for y := range img.Height {
		putSamples(f.next(), img.rowsAt(y, 1), binary.BigEndian, 1)
		z.Write(f.best())
	}
	z.Close()
	return b.Bytes()
}

// TestPaethIsTheSpecifications compares paeth with the PNG specification, section 9.4.
func TestPaethIsTheSpecifications(t *testing.T) {
	away := func(a, b int) int { return max(a-b, b-a) }
	for a := range 256 {
		for b := 0; b < 256; b += 3 {
			for c := 0; c < 256; c += 5 {
				p, want := a+b-c, c
				switch pa, pb, pc := away(p, a), away(p, b), away(p, c); {
				case pa <= pb && pa <= pc:
					want = a
				case pb <= pc:
					want = b
				}
				if got := paeth(byte(a), byte(b), byte(c)); int(got) != want {
					t.Fatalf("left %d, above %d, corner %d: %d, want %d", a, b, c, got, want)
				}
			}
		}
	}
}
