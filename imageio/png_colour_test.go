package imageio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
)

func long(values ...uint32) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// adobeRGB is a cHRM chunk with the primaries of Adobe RGB (1998).
var adobeRGB = chunk{"cHRM", long(31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000)}

// The colorants of sRGB under D50 are known from its profile (IEC 61966-2-1).
func TestColorants(t *testing.T) {
	want := [3][3]float64{{0.4361, 0.2225, 0.0139}, {0.3851, 0.7169, 0.0971}, {0.1431, 0.0606, 0.7141}}
	var sum [3]float64
	for i, v := range srgb.colorants() {
		for j := range v {
			sum[j] += v[j]
			if math.Abs(v[j]-want[i][j]) > 5e-4 {
				t.Errorf("colorant %d is %.4f, want %.4f", i, v, want[i])
			}
		}
	}
	for j := range sum {
		if math.Abs(sum[j]-d50[j]) > 1e-4 {
			t.Errorf("white is %.4f", sum)
		}
	}
}

// What a PNG says of its colours becomes a profile in another format, and stays as it is in PNG.
func TestColoursOfPNG(t *testing.T) {
	linear, usual := chunk{"gAMA", long(100_000)}, chunk{"gAMA", long(45455)}
	for i, c := range []struct {
		colour byte
		chunks []chunk
		space  string // of the profile
		bytes  int
	}{
		{pngRGB, []chunk{linear}, "RGB ", 472},
		{pngRGB, []chunk{linear, adobeRGB}, "RGB ", 472},
		{pngRGB, []chunk{usual, adobeRGB}, "RGB ", 472},
		{pngGray, []chunk{linear}, "GRAY", 352},
		{pngRGB, []chunk{{"cICP", []byte{12, 13, 0, 1}}}, "RGB ", 2516}, // Display P3
		{pngRGB, []chunk{{"cICP", []byte{9, 1, 0, 1}}, {"sRGB", []byte{0}}}, "RGB ", 2516},
		{pngRGB, []chunk{usual}, "", 0},
		{pngRGB, []chunk{adobeRGB}, "", 0}, // no curve
		{pngRGB, []chunk{{"sRGB", []byte{0}}, linear, adobeRGB}, "", 0},
		{pngRGB, []chunk{{"cICP", []byte{1, 13, 0, 1}}, linear}, "", 0},
		{pngRGB, []chunk{{"cICP", []byte{9, 16, 0, 1}}}, "", 0}, // PQ
		{pngRGB, []chunk{{"gAMA", long(0)}}, "", 0},
		{pngRGB, []chunk{linear, {"cHRM", make([]byte, 32)}}, "", 0},
		{pngRGB, []chunk{linear, {"cHRM", long(31270, 32900, 64000, 33000, 64000, 33000, 15000, 6000)}}, "", 0},
	} {
		file := buildPNG(1, 1, 8, c.colour, 0, filterNone(make([]byte, pngKinds[c.colour].channels)), c.chunks...)
		for _, to := range []Format{PNG, TIFF, JPEG} {
			name := fmt.Sprintf("case %d to %v", i, to)
			written := readBack(t, decoded(t, file, ReadOptions{}), WriteOptions{Format: to, Strip: i%2 == 0})
			if to == PNG {
				for j, got := range written.Meta.png.chunks {
					if want := c.chunks[j]; got.kind != want.kind || !bytes.Equal(got.body, want.body) {
						t.Errorf("%s: %s is %x", name, got.kind, got.body)
					}
				}
				continue
			}
			icc, err := written.Meta.ICC()
			if err != nil || len(icc) != c.bytes {
				t.Errorf("%s: a profile of %d bytes, want %d, %v", name, len(icc), c.bytes, err)
				continue
			}
			if icc != nil && (string(icc[16:20]) != c.space || binary.BigEndian.Uint32(icc) != uint32(len(icc))) {
				t.Errorf("%s: profile of %q", name, icc[16:20])
			}
		}
	}
}
