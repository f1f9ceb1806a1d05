package imageio

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/tiff"
	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func encoded(t testing.TB, img *Image, o WriteOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, Encode(&b, img, o))
	return b.Bytes()
}

func decoded(t testing.TB, data []byte, o ReadOptions) *Image {
	t.Helper()
	return must.Get(Decode(data, o))(t)
}

// readBack writes an image and reads the file.
func readBack(t testing.TB, img *Image, o WriteOptions) *Image {
	t.Helper()
	return decoded(t, encoded(t, img, o), ReadOptions{})
}

// same reports whether two images are equal, except for the format.
func same(a, b *Image) bool {
	return a.Width == b.Width && a.Height == b.Height && a.Depth == b.Depth && (a.Alpha == nil) == (b.Alpha == nil) &&
		slices.EqualFunc(a.channels(), b.channels(), slices.Equal[[]float32])
}

// comesBack checks that an image is the same after it was written and read.
func comesBack(t testing.TB, what string, img *Image, o WriteOptions) {
	t.Helper()
	if got := readBack(t, img, o); !same(img, got) {
		t.Errorf("%s does not come back: %s", what, cmp.Diff(img, got))
	}
}

func TestQuantiseGivesBackEveryInteger(t *testing.T) {
	for v := range 1 << 16 {
		if got := quantise(unit16(uint16(v)), math.MaxUint16); int(got) != v {
			t.Fatalf("16-bit %d comes back as %d", v, got)
		}
	}
	for v := range 1 << 8 {
		if got := quantise(unit8(uint8(v)), math.MaxUint8); int(got) != v {
			t.Fatalf("8-bit %d comes back as %d", v, got)
		}
	}
}

func TestQuantiseRoundsHalfUpAndClips(t *testing.T) {
	for _, c := range []struct {
		v    float32
		want uint16
	}{
		{-1e30, 0}, {-0.001, 0}, {0, 0}, {0.499 / 255, 0}, {0.5, 128}, {254.501 / 255, 255}, {1, 255}, {1.01, 255},
		{3e38, 255},
	} {
		if got := quantise(c.v, 255); got != c.want {
			t.Errorf("quantise(%g) = %d, want %d", c.v, got, c.want)
		}
	}
}

// TestEveryValueSurvives writes and reads every sample value, as colour and as alpha.
func TestEveryValueSurvives(t *testing.T) {
	for _, f := range []Format{PNG, TIFF} {
		for _, d := range []Depth{Depth8, Depth16} {
			for _, planes := range []int{1, 3} {
				for _, alpha := range []bool{false, true} {
					n := 1 << (d / 2)
					img := painted(newImage(n, n, planes, alpha, d, f), func(c, i int) float32 {
						v := (i + 1000*c) % (n * n)
						if d == Depth8 {
							return unit8(uint8(v))
						}
						return unit16(uint16(v))
					})
					t.Run(fmt.Sprintf("%v %v %d %v", f, d, planes, alpha), func(t *testing.T) {
						got := readBack(t, img, WriteOptions{})
						if got.Format != f || !same(img, got) {
							t.Error(cmp.Diff(img, got))
						}
					})
				}
			}
		}
	}
}

// TestRoundTrip writes and reads random images, and checks that encoding twice gives the same bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]Depth{Depth8, Depth16, DepthFloat32}).Draw(t, "depth")
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")
		img := noise(w, h, rapid.SampledFrom([]int{1, 3}).Draw(t, "planes"), rapid.Bool().Draw(t, "alpha"), d,
			rapid.Uint64().Draw(t, "seed"))
		if img.Alpha != nil && d != DepthFloat32 && rapid.Bool().Draw(t, "opaque") {
			for i := range img.Alpha {
				img.Alpha[i] = 1
			}
		}
		formats := []Format{TIFF, PNG}
		if d == DepthFloat32 {
			formats = formats[:1]
		}
		for _, f := range formats {
			var a, b bytes.Buffer
			must.Do(t, Encode(&a, img, WriteOptions{Format: f}))
			if err := Encode(&b, img, WriteOptions{Format: f}); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Fatalf("%v: other bytes the second time, error %v", f, err)
			}
			got := must.Get(Decode(a.Bytes(), ReadOptions{}))(t)
			if got.Format != f || !same(img, got) {
				t.Fatalf("%v: %s", f, cmp.Diff(img, got))
			}
		}
	})
}

// TestWhiteRoundTrip uses a power of two, which scales floats without rounding. Alpha must not be scaled.
func TestWhiteRoundTrip(t *testing.T) {
	img := noise(5, 4, 3, true, DepthFloat32, 7)
	file := encoded(t, img, WriteOptions{White: 4096})
	if got := decoded(t, file, ReadOptions{White: 4096}); !same(img, got) {
		t.Error(cmp.Diff(img, got))
	}
	raw := decoded(t, file, ReadOptions{})
	if raw.Planes[2][3] != 4096*img.Planes[2][3] || raw.Alpha[3] != img.Alpha[3] {
		t.Errorf("stored %g and alpha %g of %g and %g", raw.Planes[2][3], raw.Alpha[3], img.Planes[2][3], img.Alpha[3])
	}
}

// TestStrips writes and reads files of many strips.
func TestStrips(t *testing.T) {
	img := noise(301, 407, 3, false, Depth16, 3)
	comesBack(t, "a file of many strips", img, WriteOptions{})
	wide := noise(70000, 2, 1, false, Depth8, 4) // a row is more than a strip should be
	comesBack(t, "rows wider than a strip", wide, WriteOptions{})
}

// TestStockDecodersAgree reads files of this package with the decoders of Go.
func TestStockDecodersAgree(t *testing.T) {
	for _, d := range []Depth{Depth8, Depth16} {
		for _, alpha := range []bool{false, true} {
			for _, planes := range []int{1, 3} {
				img := noise(17, 9, planes, alpha, d, 11)
				src := must.Get(png.Decode(bytes.NewReader(encoded(t, img, WriteOptions{Format: PNG}))))(t)
				agree(t, img, src)
				if planes == 1 && alpha {
					continue // not read by x/image/tiff
				}
				src = must.Get(tiff.Decode(bytes.NewReader(encoded(t, img, WriteOptions{}))))(t)
				agree(t, img, src)
			}
		}
	}
}

// agree compares all samples of two images.
func agree(t *testing.T, img *Image, src image.Image) {
	t.Helper()
	want := planesOf(t, src, len(img.Planes) == 1, img.Alpha != nil, img.Format)
	if !same(img, want) {
		t.Error(cmp.Diff(img, want))
	}
}

func TestJPEGWrites8Bits(t *testing.T) {
	img := painted(newImage(16, 16, 1, noAlpha, Depth16, TIFF), func(_, _ int) float32 { return 0.5 })
	got := readBack(t, img, WriteOptions{Format: JPEG})
	if got.Depth != Depth8 || got.Format != JPEG || quantise(got.Planes[0][37], 255) != 128 {
		t.Errorf("%v %v of value %g", got.Depth, got.Format, got.Planes[0][37])
	}
	colour := painted(newImage(16, 16, 3, noAlpha, Depth8, PNG),
		func(c, _ int) float32 { return []float32{0.8, 0.4, 0.2}[c] })
	got = readBack(t, colour, WriteOptions{Format: JPEG})
	for c, want := range []float64{0.8, 0.4, 0.2} {
		if v := float64(got.Planes[c][100]); math.Abs(v-want) > 2.5/255 {
			t.Errorf("plane %d: %g, want about %g", c, v, want)
		}
	}
	small, large := encoded(t, noise(32, 32, 3, false, Depth8, 1), WriteOptions{Format: JPEG, Quality: 20}),
		encoded(t, noise(32, 32, 3, false, Depth8, 1), WriteOptions{Format: JPEG})
	if len(small) >= len(large) {
		t.Errorf("quality 20 takes %d bytes, the default %d", len(small), len(large))
	}
}

func TestEncodeRefuses(t *testing.T) {
	edit := func(f func(*Image)) *Image {
		img := noise(3, 2, 3, false, Depth8, 1)
		f(img)
		return img
	}
	lab := noise(2, 2, 1, false, Depth8, 1)
	lab.Extra = [][]float32{make([]float32, 4), make([]float32, 4)}
	lab.stored.photometric, lab.stored.inks = cieLab+1, 3
	for _, c := range []struct {
		name string
		img  *Image
		o    WriteOptions
		want string
	}{
		{"JPEG with alpha", noise(2, 2, 1, true, Depth8, 1), WriteOptions{Format: JPEG},
			"unsupported: JPEG cannot hold alpha"},
		{"float JPEG", noise(2, 2, 1, false, DepthFloat32, 1), WriteOptions{Format: JPEG},
			"unsupported: JPEG cannot hold float samples"},
		{"float PNG", noise(2, 2, 1, false, DepthFloat32, 1), WriteOptions{Format: PNG},
			"unsupported: PNG cannot hold float samples"},
		{"Lab as PNG", lab, WriteOptions{Format: PNG}, "unsupported: PNG cannot hold Lab colour"},
		{"Lab as JPEG", lab, WriteOptions{Format: JPEG}, "unsupported: JPEG cannot hold Lab colour"},
		{"wide JPEG", noise(65536, 1, 1, false, Depth8, 1), WriteOptions{Format: JPEG},
			"unsupported: JPEG cannot hold 65536 x 1 pixels, limit is 65535 a side"},
		{"quality", edit(func(*Image) {}), WriteOptions{Quality: 101}, "argument: JPEG quality 101, must be 1 to 100"},
		{"no format", edit(func(m *Image) { m.Format = 0 }), WriteOptions{}, "unsupported: no output format"},
		{"no depth", edit(func(m *Image) { m.Depth = 0 }), WriteOptions{},
			"unsupported: depth of 0-bit is not supported"},
		{"white", edit(func(*Image) {}), WriteOptions{White: math.NaN()},
			"argument: white level NaN, must be positive and finite"},
		{"no pixels", edit(func(m *Image) { m.Width = 0 }), WriteOptions{}, "format: image of 0 x 2 pixels"},
		{"two planes", edit(func(m *Image) { m.Planes = m.Planes[:2] }), WriteOptions{},
			"format: image of 2 colour planes"},
		{"short plane", edit(func(m *Image) { m.Planes[1] = m.Planes[1][:5] }), WriteOptions{},
			"format: plane of 5 samples for 3 x 2 pixels"},
		{"short alpha", edit(func(m *Image) { m.Alpha = []float32{} }), WriteOptions{},
			"format: plane of 0 samples for 3 x 2 pixels"},
		{"NaN", edit(func(m *Image) { m.Planes[1][4] = float32(math.NaN()) }), WriteOptions{},
			"format: NaN or Inf at pixel (1, 1)"},
		{"overflow", edit(func(m *Image) { m.Depth, m.Planes[0][5] = DepthFloat32, 3e38 }), WriteOptions{White: 2},
			"format: sample too large at pixel (2, 1)"},
	} {
		var b bytes.Buffer
		err := Encode(&b, c.img, c.o)
		if err == nil || kindName(err)+": "+err.Error() != c.want || b.Len() != 0 {
			t.Errorf("%s: %d bytes and %v, want %s", c.name, b.Len(), err, c.want)
		}
	}
	// Offsets have 32 bits. checkTIFF looks only at the size.
	huge := &Image{Width: 40000, Height: 40000, Planes: make([][]float32, 3), Depth: Depth8}
	if err := checkTIFF(huge, 1); kindName(err) != "limit" {
		t.Errorf("TIFF of 4.8 GB: %v", err)
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{
		"a.png": PNG, "b/a.PNG": PNG, "a.jpg": JPEG, "a.JpEg": JPEG, "a.tif": TIFF, "x.y.TIFF": TIFF, "png": 0,
		"a.png.gz": 0, "": 0, ".tiff": TIFF,
	} {
		if got, ok := OutputFormatOf(name); got != want || ok != (want != 0) {
			t.Errorf("OutputFormatOf(%q) = %v, %v", name, got, ok)
		}
	}
}
