package losslessjpeg

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawn returns samples of a ramp with noise, or of any values.
func drawn(seed uint64, n, depth int, wild bool) []uint16 {
	r := rand.New(rand.NewPCG(seed, 1))
	samples := make([]uint16, n)
	for i := range samples {
		v := i*7%(1<<depth) + r.IntN(9)
		if wild {
			v = r.IntN(1 << depth)
		}
		samples[i] = uint16(min(v, 1<<depth-1))
	}
	return samples
}

func TestSamplesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(1, 30).Draw(t, "height")
		depth := rapid.IntRange(2, 16).Draw(t, "depth")
		stride := width + rapid.IntRange(0, 5).Draw(t, "more")
		samples := drawn(rapid.Uint64().Draw(t, "seed"), stride*height, depth, rapid.Bool().Draw(t, "wild"))
		data := Encode(samples, width, height, stride, depth)
		got, h, err := Decode(data, width*height)
		if err != nil || h.Bits != depth || h.Width*h.Components != width || h.Height != height {
			t.Fatal(h, err)
		}
		for y := range height {
			if !slices.Equal(got[y*width:][:width], samples[y*stride:][:width]) {
				t.Fatalf("row %d differs", y)
			}
		}
	})
}

// All categories at once, with counts that would make the longest code 17 bits.
func TestLongCodes(t *testing.T) {
	var counts [categories]int
	a, b := 1, 1
	for i := range counts {
		counts[i] = a
		a, b = b, a+b
	}
	lengths, values := huffman(counts)
	sum, n := 0, 0
	for i, c := range lengths {
		sum += int(c) << (15 - i)
		n += int(c)
	}
	if n != categories || len(values) != categories || sum >= 1<<16 {
		t.Errorf("%v: %d codes, %d of 65536 taken", lengths, n, sum)
	}
	if _, err := newTable(lengths, values); err != nil {
		t.Error(err)
	}
}

// withPredictor encodes a picture with any predictor, in the plainest way: a table with codes of five bits.
func withPredictor(samples []uint16, width, height, n, depth, predictor, interval int) []byte {
	lengths, values := [16]byte{4: categories}, make([]byte, categories)
	for i := range values {
		values[i] = byte(i)
	}
	codes := assign(lengths, values)
	b := []byte{0xff, markerSOI, 0xff, 0xff, 0xe0, 0, 2}
	b = segment(b, markerDHT, append(append([]byte{0}, lengths[:]...), values...))
	frame := []byte{byte(depth), 0, byte(height), 0, byte(width), byte(n)}
	scan := []byte{byte(n)}
	for i := range byte(n) {
		frame, scan = append(frame, i+7, 0x11, 0), append(scan, i+7, 0)
	}
	b = segment(b, markerSOF3, frame)
	if interval > 0 {
		b = segment(b, markerDRI, []byte{byte(interval * width >> 8), byte(interval * width)})
	}
	b = segment(b, markerSOS, append(scan, byte(predictor), 0, 0))
	w := writer{out: b}
	row := width * n
	for y := range height {
		first := y == 0
		if interval > 0 && y > 0 && y%interval == 0 {
			w.out = append(w.end(), 0xff, markerRST0+byte(y/interval-1)%8)
			w, first = writer{out: w.out}, true
		}
		for x := range row {
			p, k := 1<<(depth-1), y*row+x
			left := func() int { return int(samples[k-n]) }
			above := func() int { return int(samples[k-row]) }
			switch {
			case first && x >= n:
				p = left()
			case !first && x < n:
				p = above()
			case !first:
				corner := int(samples[k-row-n])
				p = []int{left(), above(), corner, left() + above() - corner, left() + (above()-corner)>>1,
					above() + (left()-corner)>>1, (left() + above()) >> 1}[predictor-1]
			}
			d := samples[k] - uint16(p)
			c := category(d)
			w.put(codes[c].bits, codes[c].size)
			if v := uint32(d); c > 0 && c < 16 {
				if d >= 1<<15 {
					v = uint32(d - 1)
				}
				w.put(v&(1<<c-1), c)
			}
		}
	}
	return append(w.end(), 0xff, markerEOI)
}

func TestPredictors(t *testing.T) {
	for predictor := 1; predictor <= 7; predictor++ {
		for n := 1; n <= 4; n++ {
			for _, interval := range []int{0, 1, 3} {
				t.Run(fmt.Sprint(predictor, n, interval), func(t *testing.T) {
					for _, wild := range []bool{false, true} {
						samples := drawn(uint64(predictor), 12*9*n, 16, wild)
						got, _, err := Decode(withPredictor(samples, 12, 9, n, 16, predictor, interval), len(samples))
						if err != nil || !slices.Equal(got, samples) {
							t.Fatal("samples differ", err)
						}
					}
				})
			}
		}
	}
}

func TestDamage(t *testing.T) {
	whole := Encode(drawn(3, 64*64, 14, true), 64, 64, 64, 14)
	for name, data := range map[string][]byte{
		"empty": nil, "cut": whole[:len(whole)/2], "no scan": whole[:20],
		"a photograph": {0xff, 0xd8, 0xff, 0xc0, 0, 2}, "no JPEG": []byte("0123456789"),
	} {
		if _, _, err := Decode(data, 64*64); !errors.Is(err, ErrData) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := Decode(whole, 64*64-1); !errors.Is(err, ErrData) {
		t.Errorf("more samples than allowed: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Encode(drawn(1, 24*20, 12, false), 24, 20, 24, 12))
	for predictor := 1; predictor <= 7; predictor++ {
		f.Add(withPredictor(drawn(2, 10*8*2, 16, true), 10, 8, 2, 16, predictor, predictor%3))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		samples, h, err := Decode(data, 1<<16)
		if err != nil {
			if !errors.Is(err, ErrData) {
				t.Error(err)
			}
			return
		}
		if len(samples) != h.Samples() || len(samples) > 1<<16 {
			t.Errorf("%d samples, %+v", len(samples), h)
		}
		width := h.Width * h.Components
		again, _, err := Decode(Encode(samples, width, h.Height, width, 16), len(samples))
		if err != nil || !slices.Equal(again, samples) {
			t.Error("samples do not come back", err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data := Encode(drawn(1, 256*256, 14, false), 256, 256, 256, 14)
	b.SetBytes(2 * 256 * 256)
	for b.Loop() {
		Decode(data, 256*256)
	}
}

func BenchmarkEncode(b *testing.B) {
	samples := drawn(1, 256*256, 14, false)
	b.SetBytes(2 * 256 * 256)
	for b.Loop() {
		Encode(samples, 256, 256, 256, 14)
	}
}
