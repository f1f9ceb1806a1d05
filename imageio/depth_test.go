package imageio

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/internal/half"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// allDepths returns every depth that a file may have.
func allDepths() []Depth {
	list := []Depth{DepthUint32, DepthInt8, DepthInt16, DepthInt32, DepthFloat16, DepthFloat32, DepthFloat64}
	for bits := Depth(1); bits < 32; bits++ {
		list = append(list, bits)
	}
	return list
}

func TestDepths(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range allDepths() {
		if !d.valid() || depthOf(d.kind(), d.bits()) != d || seen[d.String()] {
			t.Errorf("%v: valid %v, kind %d, %d bits", d, d.valid(), d.kind(), d.bits())
		}
		seen[d.String()] = true
	}
	for _, d := range []Depth{0, -1, 33, 255, kindInt<<8 | 12, kindFloat<<8 | 24, kindFloat<<8 | 128, 5<<8 | 32} {
		if d.valid() {
			t.Errorf("%d is valid", d)
		}
	}
	for d, want := range map[Depth][2]float64{1: {0, 1}, 12: {0, 4095}, DepthInt8: {-128, 127},
		DepthInt16: {-32768, 32767}, DepthUint32: {0, 1<<32 - 1}, DepthFloat64: {0, 0}} {
		if d.least() != want[0] || d.Max() != want[1] {
			t.Errorf("%v: %g to %g", d, d.least(), d.Max())
		}
	}
}

// randomLevel returns a level of the file, often one at the ends of the range.
func randomLevel(r *rand.Rand, d Depth) float64 {
	if d.isFloat() {
		v := r.NormFloat64() * 1000
		switch d {
		case DepthFloat16:
			return float64(half.Value(half.Of(float32(v))))
		case DepthFloat32:
			return float64(float32(v))
		}
		return v
	}
	switch r.IntN(8) {
	case 0:
		return d.least()
	case 1:
		return d.Max()
	}
	return math.Floor(d.least() + r.Float64()*(d.Max()-d.least()+1))
}

// TestLevelsComeBack writes samples of each depth and compares them, and the integers with those that big.Int packs.
func TestLevelsComeBack(t *testing.T) {
	for _, d := range allDepths() {
		rapid.Check(t, func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			w, h, extra := rapid.IntRange(1, 9).Draw(t, "width"), rapid.IntRange(1, 5).Draw(t, "height"),
				rapid.IntRange(0, 3).Draw(t, "extra")
			form := tiffForm{le, rapid.Bool().Draw(t, "big")}
			if rapid.Bool().Draw(t, "big-endian") {
				form.order = be
			}
			meta := &Metadata{tiff: &tiffMeta{tiffForm: form, packing: deflateIf(rapid.Bool().Draw(t, "packed"))}}
			img := newImage(w, h, []int{1, 3, 4}[rapid.IntRange(0, 2).Draw(t, "planes")], rapid.Bool().Draw(t, "alpha"),
				d, TIFF)
			for range extra {
				img.Extra = append(img.Extra, make([]float32, w*h))
			}
			img.Meta, img.stored.white = meta, 1
			for _, p := range img.channels() {
				wide := make([]float64, len(p))
				for i := range p {
					wide[i] = randomLevel(r, d)
					p[i] = d.unit(wide[i], 1)
				}
				img.stored.wide = append(img.stored.wide, wide)
			}
			var b bytes.Buffer
			must.Do(t, Encode(&b, img, WriteOptions{}))
			got, err := Decode(b.Bytes(), ReadOptions{})
			if err != nil || !same(got, img) {
				t.Fatalf("%v: %v", d, err)
			}
			for c := range got.stored.wide {
				for i, v := range got.stored.wide[c] {
					if v != img.stored.wide[c][i] {
						t.Fatalf("%v: %g came back as %g", d, img.stored.wide[c][i], v)
					}
				}
			}
		})
	}
}

func TestPackedBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for bits := Depth(1); bits < 32; bits++ {
		if bits%8 == 0 {
			continue
		}
		img := newImage(13, 1, 1, noAlpha, bits, TIFF)
		want, row := new(big.Int), make([]byte, rowSize(img))
		for i := range img.Planes[0] {
			level := randomLevel(r, bits)
			img.Planes[0][i] = bits.unit(level, 1)
			level = bits.level(img.Planes[0][i], 1) // of the float32
			want.Or(want.Lsh(want, uint(bits)), big.NewInt(int64(level)))
		}
		want.Lsh(want, uint(8*len(row)-13*int(bits)))
		putSamples(row, img, le, 1)
		if !bytes.Equal(row, want.FillBytes(make([]byte, len(row)))) {
			t.Errorf("%v: %x, want %x", bits, row, want.Bytes())
		}
	}
}

// TestChangedSamples checks that samples that float32 cannot hold are written as they are in the planes if those
// changed.
func TestChangedSamples(t *testing.T) {
	img := newImage(2, 1, 1, noAlpha, DepthFloat64, TIFF)
	img.Planes[0] = []float32{0.1, 0.5}
	img.stored = storedAs{wide: [][]float64{{0.1, 0.25}}, white: 1}
	got := readBack(t, img, WriteOptions{})
	if want := []float64{0.1, 0.5}; got.stored.wide[0][0] != want[0] || got.stored.wide[0][1] != want[1] {
		t.Errorf("%v, want %v", got.stored.wide[0], want)
	}
	// Another size.
	part := *img
	part.Width, part.Planes = 1, [][]float32{img.Planes[0][:1]}
	got = readBack(t, &part, WriteOptions{})
	if want := float64(float32(0.1)); got.stored.wide[0][0] != want {
		t.Errorf("%v, want %g", got.stored.wide[0], want)
	}
	// Another full scale.
	got = readBack(t, img, WriteOptions{White: 2})
	if want := 2 * float64(float32(0.1)); got.stored.wide[0][0] != want || got.stored.wide[0][1] != 1 {
		t.Errorf("%v, want %g and 1", got.stored.wide[0], want)
	}
}
