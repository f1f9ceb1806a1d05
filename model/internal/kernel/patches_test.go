package kernel

import (
	"fmt"
	"math"
	"testing"
)

func withBackend(t testing.TB, b *backend, f func()) {
	t.Helper()
	before := selected.Load()
	selected.Store(b)
	defer selected.Store(before)
	f()
}

// values fills a slice from m.
func values(m memory, n int, value func() float32) []float32 {
	s := m.floats(n)
	for i := range s {
		s[i] = value()
	}
	return s
}

func TestTranspose(t *testing.T) {
	for _, b := range backends {
		for _, strides := range [][2]int{{16, 16}, {17, 48}, {48, 16}, {61, 23}} {
			m := &guards{}
			dst := values(m, 15*strides[0]+16, func() float32 { return -1 })
			n := float32(0)
			src := values(m, 15*strides[1]+16, func() float32 { n++; return n })
			withBackend(t, b, func() { Transpose(dst, strides[0], src, strides[1]) })
			m.intact(t, "transpose of "+b.name)
			for at, v := range dst {
				want, i, j := float32(-1), at%strides[0], at/strides[0]
				if i < 16 {
					want = src[i*strides[1]+j]
				}
				if v != want {
					t.Fatalf("%s, strides %v: %g at %d instead of %g", b.name, strides, v, at, want)
				}
			}
		}
	}
}

// All kernels give the bits of the definition, for NaN as well.
func TestAddPatch(t *testing.T) {
	for _, b := range backends {
		for side := 1; side <= 40; side++ {
			for _, gap := range []int{0, 1, 9} {
				m, value := &guards{}, normal(uint64(side))
				stride := side + gap
				num, den := values(m, (side-1)*stride+side, value), values(m, (side-1)*stride+side, value)
				x, window := values(m, side*side, value), values(m, side*side, value)
				x[side*side/2], window[side*side-1] = float32(math.NaN()), 1e-30
				wantNum, wantDen := append([]float32{}, num...), append([]float32{}, den...)
				const w = 1.3
				for i := range side {
					for j := range side {
						f := float32(w * window[i*side+j])
						wantNum[i*stride+j] += float32(f * x[i*side+j])
						wantDen[i*stride+j] += f
					}
				}
				withBackend(t, b, func() { AddPatch(num, den, stride, x, window, side, w) })
				m.intact(t, "addPatch of "+b.name)
				if !same(num, wantNum) || !same(den, wantDen) {
					t.Fatalf("%s, side %d, stride %d: %v and %v instead of %v and %v", b.name, side, stride, num, den, wantNum, wantDen)
				}
			}
		}
	}
}

// same takes all NaN for equal.
func same(a, b []float32) bool {
	for i := range a {
		if a[i] != b[i] && (a[i] == a[i] || b[i] == b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

func TestCountFree(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, -2, inf, -inf, nan, 1e-45, 3e38}
	rng := normal(8)
	for rows := 1; rows <= 40; rows++ {
		for kind, value := range []func() float32{rng, func() float32 { return special[int(math.Abs(float64(rng()))*7)%len(special)] }} {
			var panels [5][]float32
			for i := range panels {
				panels[i] = values(&staggered{}, rows*Lanes, value)
			}
			for i := range panels[2] {
				panels[2][i], panels[3][i] = abs(panels[2][i]), abs(panels[3][i])
			}
			const rho = 1.5
			want := make([]float32, Lanes)
			for at := range panels[0] {
				u := math.Abs(float64(float32(panels[1][at] - float32(rho*panels[4][at]))))
				if math.Abs(float64(panels[0][at])) >= float64(panels[2][at]) && u >= float64(panels[3][at]) {
					want[at%Lanes]++
				}
			}
			for _, b := range backends {
				m := &guards{}
				place := func(s []float32) []float32 { c := m.floats(len(s)); copy(c, s); return c }
				counts := place(want)
				counts[3] = nan
				s := Pair{Q: place(panels[0]), R: place(panels[1]), D: place(panels[2]), E: place(panels[3]), P: place(panels[4])}
				withBackend(t, b, func() { CountFree(counts, s, rows, rho) })
				m.intact(t, "countFree of "+b.name)
				if !same(counts, want) {
					t.Fatalf("%s, %d rows of kind %d: %v instead of %v", b.name, rows, kind, counts, want)
				}
			}
		}
	}
}

func TestSizesOfPatchesAreChecked(t *testing.T) {
	f := make([]float32, 16*16)
	network := NewWeightFunction(make([]float32, 7), make([]float32, 2), 0, 0, 0)
	panel := make([]float32, Lanes)
	for name, call := range map[string]func(){
		"dst":         func() { Transpose(f[1:], 16, f, 16) },
		"src":         func() { Transpose(f, 16, f[1:], 16) },
		"stride":      func() { Transpose(f, 15, f, 16) },
		"num":         func() { AddPatch(f[:63], f, 8, f[:64], f[:64], 8, 1) },
		"den":         func() { AddPatch(f, f[:63], 8, f[:64], f[:64], 8, 1) },
		"x":           func() { AddPatch(f, f, 8, f[:63], f[:64], 8, 1) },
		"window":      func() { AddPatch(f, f, 8, f[:64], f[:65], 8, 1) },
		"no side":     func() { AddPatch(f, f, 8, nil, nil, 0, 1) },
		"counts":      func() { CountFree(f, Pair{}, 0, 1) },
		"pair":        func() { CountFree(panel, Pair{panel, panel, panel, panel, f}, 1, 1) },
		"a":           func() { NewWeightFunction(make([]float32, 8), make([]float32, 2), 0, 0, 0) },
		"b":           func() { NewWeightFunction(make([]float32, 7), make([]float32, 3), 0, 0, 0) },
		"too many":    func() { NewWeightFunction(make([]float32, 33*7), make([]float32, 66), 0, 0, 0) },
		"nothing":     func() { NewWeightFunction(nil, nil, 0, 0, 0) },
		"d":           func() { network.Weights(f, panel, panel, panel, panel, 1, true) },
		"y":           func() { network.Weights(panel, panel, panel, f, panel, 1, true) },
		"bias":        func() { network.Weights(panel, panel, panel, panel, f, 1, true) },
		"rows of all": func() { network.Weights(panel, panel, panel, panel, panel, 2, true) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

func BenchmarkWeights(b *testing.B) {
	for _, be := range backends {
		for _, blocks := range []bool{false, true} {
			const rows = 64
			n := newNetwork(16, rows, blocks, normal(1))
			f := NewWeightFunction(n.a, n.b, n.b0, n.b1, n.a0)
			f.backend = be
			panels := NewPanels(rows, rows, rows, rows)
			copy(panels[2], n.p)
			copy(panels[3], n.y)
			b.Run(fmt.Sprintf("%s/blocks=%t", be.name, blocks), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f.Weights(panels[0], panels[1], panels[2], panels[3], n.bias, rows, blocks)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(rows*Lanes), "ns/coefficient")
			})
		}
	}
}

func BenchmarkPatches(b *testing.B) {
	const rows = 64
	value := normal(1)
	panels := NewPanels(rows, rows, rows, rows, rows)
	for _, p := range panels {
		copy(p, values(&staggered{}, len(p), value))
	}
	counts, image := make([]float32, Lanes), make([]float32, 8*256)
	for _, be := range backends {
		withBackend(b, be, func() {
			b.Run(be.name+"/CountFree", func(b *testing.B) {
				for b.Loop() {
					CountFree(counts, Pair{panels[0], panels[1], panels[2], panels[3], panels[4]}, rows, 1.5)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(rows*Lanes), "ns/coefficient")
			})
			b.Run(be.name+"/Transpose", func(b *testing.B) {
				for b.Loop() {
					Transpose(panels[0], Lanes, panels[1], 64)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256, "ns/value")
			})
			b.Run(be.name+"/AddPatch", func(b *testing.B) {
				for b.Loop() {
					AddPatch(image, image[1024:], 128, panels[0][:64], panels[1][:64], 8, 1e-9)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/pixel")
			})
		})
	}
}
