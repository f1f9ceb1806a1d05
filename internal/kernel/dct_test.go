package kernel

import (
	"math"
	"testing"
)

// cosines returns the matrix of the transform of patches, from its definition.
func cosines() (w [patchLen][patchLen]float64) {
	c := func(f, i int) float64 {
		if f == 0 {
			return math.Sqrt(1. / PatchSide)
		}
		return math.Sqrt(2./PatchSide) * math.Cos(math.Pi*float64((2*i+1)*f)/(2*PatchSide))
	}
	for k := range w {
		for i := range w[k] {
			w[k][i] = c(k/PatchSide, i/PatchSide) * c(k%PatchSide, i%PatchSide)
		}
	}
	return w
}

func TestDCTIsTheTransform(t *testing.T) {
	w := cosines()
	for _, b := range backends {
		for name, value := range map[string]func() float32{
			"normal": normal(1), "denormal": drawnFrom([]float32{1e-45, -1e-45, 3e-40, -1e-39, 1e-38, 0, 1}, 1),
			"mixed": drawnFrom([]float32{1e-30, 1e10, -1e10, 1e30, 1, -1, 0}, 2)} {
			m := &guards{}
			src := values(m, patchLen*Lanes, value)
			for inverse, f := range []func(dst, src []float32){DCT, InverseDCT} {
				dst, same := m.floats(patchLen*Lanes), m.floats(patchLen*Lanes)
				copy(same, src)
				withBackend(t, b, func() { f(dst, src); f(same, same) })
				m.intact(t, b.name)
				if !sameBits(dst, same) {
					t.Errorf("%s: another result if the panels are the same", b.name)
				}
				for at, got := range dst {
					want, size := 0.0, 0.0
					for i := range patchLen {
						c := w[at/Lanes][i]
						if inverse == 1 {
							c = w[i][at/Lanes]
						}
						x := c * float64(src[i*Lanes+at%Lanes])
						want, size = want+x, size+math.Abs(x)
					}
					if e := math.Abs(float64(got) - want); !(e <= 16*unit*size+patchLen*tiny) {
						t.Fatalf("%s, %s, inverse %d: %g instead of %g in row %d, lane %d", b.name, name, inverse, got,
							want, at/Lanes, at%Lanes)
					}
				}
			}
		}
	}
}

func TestDCTKeepsLanesApart(t *testing.T) {
	for _, b := range backends {
		for _, f := range []func(dst, src []float32){DCT, InverseDCT} {
			src := values(&guards{}, patchLen*Lanes, normal(2))
			clean, dirty := make([]float32, len(src)), make([]float32, len(src))
			withBackend(t, b, func() { f(clean, src) })
			rotateLanes(src)
			src[9*Lanes+7] = float32(math.NaN())
			withBackend(t, b, func() { f(dirty, src) })
			rotateLanes(clean)
			for at, v := range dirty {
				if lane := at % Lanes; lane == 7 && v == v || lane != 7 &&
					math.Float32bits(v) != math.Float32bits(clean[at]) {
					t.Fatalf("%s: %g in row %d, lane %d, without NaN %g", b.name, v, at/Lanes, lane, clean[at])
				}
			}
		}
	}
}

func TestExtractPatchesCopies(t *testing.T) {
	for _, b := range backends {
		for n := PatchRun; n <= Lanes; n += PatchRun {
			for lane := range 9 {
				if lane+n > Lanes {
					continue
				}
				stride := n*PatchStep + 11
				m := &guards{}
				src, dst := values(m, (PatchSide-1)*stride+(n-1)*PatchStep+PatchSide, normal(3)),
					values(m, patchLen*Lanes, normal(4))
				want := append([]float32{}, dst...)
				for i := range patchLen {
					for p := range n {
						want[i*Lanes+lane+p] = src[i/PatchSide*stride+p*PatchStep+i%PatchSide]
					}
				}
				withBackend(t, b, func() { ExtractPatches(dst[lane:], src, n, stride) })
				m.intact(t, b.name)
				if !sameBits(dst, want) {
					t.Fatalf("%s: %d patches from lane %d on are not copied", b.name, n, lane)
				}
			}
		}
	}
}

func TestExtractPatchesChecksSizes(t *testing.T) {
	dst, src := make([]float32, patchLen*Lanes), make([]float32, 7*100+7*PatchStep+PatchSide)
	allPanic(t, map[string]func(){
		"number": func() { ExtractPatches(dst, src, 7, 100) },
		"none":   func() { ExtractPatches(dst, src, 0, 100) },
		"many":   func() { ExtractPatches(dst, make([]float32, 10000), Lanes+PatchRun, 300) },
		"dst":    func() { ExtractPatches(dst[Lanes-PatchRun+1:], src, PatchRun, 100) },
		"src":    func() { ExtractPatches(dst, src[1:], PatchRun, 100) },
		"stride": func() { ExtractPatches(dst, src, PatchRun, 7) },
	})
}

func BenchmarkDCT(b *testing.B) {
	src, dst := make([]float32, patchLen*Lanes), make([]float32, patchLen*Lanes+160)[160:]
	benchmarkAll(b, map[string]func(){
		"DCT":            func() { DCT(dst, src) },
		"InverseDCT":     func() { InverseDCT(dst, src) },
		"ExtractPatches": func() { ExtractPatches(dst, src, Lanes, 300) },
	})
}
