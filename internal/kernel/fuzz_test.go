package kernel

import (
	"encoding/binary"
	"math"
	"testing"
)

// FuzzKernels compares every backend with plain Go, for operands that may be any finite numbers.
func FuzzKernels(f *testing.F) {
	f.Add(uint8(8), uint8(3), []byte("any numbers at all"))
	f.Add(uint8(13), uint8(30), []byte{0, 0, 128, 63, 0, 0, 0, 128, 1, 0, 0, 0, 0, 0, 128, 191})
	f.Fuzz(func(t *testing.T, rows, cols uint8, bits []byte) {
		if len(bits) < 4 {
			return
		}
		value := valuesOf(bits)
		p := newProblem(int(rows%32)+1, int(cols%32)+1, func() float32 {
			if v := value(); v-v == 0 {
				return v
			}
			return 1
		})
		for _, kernel := range kernelNames {
			plain := p.run(t, &generic, kernel, &guards{}).results()
			want := p.want(kernel)
			for _, b := range backends[1:] {
				results := p.run(t, b, kernel, &guards{}).results()
				for _, w := range want {
					got, plain := results[w.result][w.at], plain[w.result][w.at]
					if d := math.Abs(float64(got) - float64(plain)); !(d <= 2*w.tolerance) {
						t.Fatalf("%s of %s: %g, plain Go has %g", kernel, b.name, got, plain)
					}
				}
			}
		}
	})
}

// valuesOf returns a function that makes values of any four neighbouring bytes in turn.
func valuesOf(bits []byte) func() float32 {
	at := 0
	return func() float32 {
		at = (at + 1) % (len(bits) - 3)
		return math.Float32frombits(binary.LittleEndian.Uint32(bits[at:]))
	}
}
