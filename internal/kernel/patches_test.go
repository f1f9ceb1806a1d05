package kernel

import (
	"fmt"
	"math"
	"slices"
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

// placed copies a slice into m.
func placed(m memory, s []float32) []float32 {
	c := m.floats(len(s))
	copy(c, s)
	return c
}

func TestTranspose(t *testing.T) {
	for _, b := range backends {
		for _, strides := range [][2]int{{16, 16}, {17, 48}, {48, 16}, {61, 23}, {48, 9}, {16, 1}} {
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

// groupProblem holds the operands of a Group whose patches overlap.
type groupProblem struct {
	Group
	image, panels, num, den, window []float32
}

func newGroupProblem(m memory, members, gap int, value func() float32) *groupProblem {
	p := &groupProblem{Group: Group{Places: &[PatchSide]int{0, 16, 40, 8, 1328, 24, 1200, 1000},
		Stride: PatchSide + gap}}
	rows := 3 * PatchSide
	for i := range members {
		last := (rows-PatchSide)*p.Stride + gap
		p.Corners = append(p.Corners, int32([]int{0, last, last / 2, i * 7 % last}[i%4]))
	}
	n := rows * p.Stride
	p.image, p.num, p.den = values(m, n, value), values(m, n, value), values(m, n, value)
	p.panels = values(m, 1328+(members-1)*Lanes+PatchSide, value)
	p.window = values(m, PatchSide*PatchSide, value)
	p.panels[5], p.image[40] = float32(math.NaN()), float32(math.Inf(1))
	return p
}

// each calls f for all samples of the patches, with their indices in the image, in the panels and in the patch.
func (p *groupProblem) each(f func(image, panels, patch int)) {
	for m, c := range p.Corners {
		for i := range PatchSide * PatchSide {
			r, x := i/PatchSide, i%PatchSide
			f(int(c)+r*p.Stride+x, p.Places[r]+m*Lanes+x, i)
		}
	}
}

// All backends give the same bits as the definition, also for NaN.
func TestGroup(t *testing.T) {
	for _, b := range backends {
		for members := 1; members <= 17; members++ {
			for _, gap := range []int{1, 5, 40} {
				m := &guards{}
				p := newGroupProblem(m, members, gap, normal(uint64(members)))
				panels, num, den := slices.Clone(p.panels), slices.Clone(p.num), slices.Clone(p.den)
				plain := values(m, len(p.image), normal(3))
				plainWant := slices.Clone(plain)
				sum, want := m.floats(PatchSide*PatchSide), make([]float32, PatchSide*PatchSide)
				const w = 1.3
				p.each(func(image, panel, patch int) {
					want[patch] += p.image[image]
					f := float32(w * p.window[patch])
					num[image] += float32(f * panels[panel])
					den[image] += f
					plainWant[image] += panels[panel]
				})
				p.each(func(image, panel, _ int) { panels[panel] = p.image[image] })
				withBackend(t, b, func() {
					p.Sum(sum, p.image)
					p.Add(p.num, p.den, p.panels, p.window, w)
					p.AddTo(plain, p.panels)
					p.Gather(p.panels, p.image)
				})
				m.intact(t, "groups of "+b.name)
				if !same(sum, want) || !same(p.num, num) || !same(p.den, den) || !same(p.panels, panels) ||
					!same(plain, plainWant) {
					t.Fatalf("%s, %d members, gap %d: differs from the definition", b.name, members, gap)
				}
			}
		}
	}
}

// same compares values. NaN equals NaN.
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
		for kind, value := range []func() float32{rng,
			func() float32 { return special[int(math.Abs(float64(rng()))*7)%len(special)] }} {
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
				counts := placed(m, want)
				counts[3] = nan
				s := Pair{Q: placed(m, panels[0]), R: placed(m, panels[1]), D: placed(m, panels[2]),
					E: placed(m, panels[3]), P: placed(m, panels[4])}
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
	group := func(stride int, corners ...int32) Group {
		return Group{&[PatchSide]int{0, 8, 16, 24, 32, 40, 48, 56}, corners, stride}
	}
	allPanic(t, map[string]func(){
		"dst":         func() { Transpose(f[1:], 16, f, 16) },
		"src":         func() { Transpose(f, 16, f[1:], 16) },
		"stride":      func() { Transpose(f, 15, f, 16) },
		"panels":      func() { group(8, 0, 1).Gather(f[:64+Lanes-1], f) },
		"image":       func() { group(8, 0, 1).Gather(f, f[:64]) },
		"negative":    func() { group(8, -1).Gather(f, f) },
		"no patches":  func() { group(8).Sum(f[:64], f) },
		"no rows":     func() { group(7, 0).Sum(f[:64], f) },
		"sum":         func() { group(8, 0).Sum(f[:63], f) },
		"num":         func() { group(8, 0).Add(f[:63], f, f, f[:64], 1) },
		"den":         func() { group(8, 0).Add(f, f[:63], f, f[:64], 1) },
		"sums":        func() { group(8, 0).AddTo(f[:63], f) },
		"rows":        func() { group(8, 0).AddTo(f, f[:63]) },
		"x":           func() { group(8, 0).Add(f, f, f[:63], f[:64], 1) },
		"window":      func() { group(8, 0).Add(f, f, f, f[:65], 1) },
		"counts":      func() { CountFree(f, Pair{}, 0, 1) },
		"pair":        func() { CountFree(panel, Pair{panel, panel, panel, panel, f, nil}, 1, 1) },
		"a":           func() { NewWeightFunction(make([]float32, 8), make([]float32, 2), 0, 0, 0) },
		"b":           func() { NewWeightFunction(make([]float32, 7), make([]float32, 3), 0, 0, 0) },
		"too many":    func() { NewWeightFunction(make([]float32, 33*7), make([]float32, 66), 0, 0, 0) },
		"nothing":     func() { NewWeightFunction(nil, nil, 0, 0, 0) },
		"d":           func() { network.Weights(f, panel, panel, panel, panel, 1, true) },
		"y":           func() { network.Weights(panel, panel, panel, f, panel, 1, true) },
		"bias":        func() { network.Weights(panel, panel, panel, panel, f, 1, true) },
		"rows of all": func() { network.Weights(panel, panel, panel, panel, panel, 2, true) },
	})
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
	counts := make([]float32, Lanes)
	p := newGroupProblem(&staggered{}, 16, 100, value)
	benchmarkAll(b, map[string]func(){
		"CountFree": func() {
			CountFree(counts, Pair{panels[0], panels[1], panels[2], panels[3], panels[4], nil}, rows, 1.5)
		},
		"Transpose": func() { Transpose(panels[0], Lanes, panels[1], 64) },
		"Gather":    func() { p.Gather(p.panels, p.image) },
		"Add":       func() { p.Add(p.num, p.den, p.panels, p.window, 1e-9) },
	})
}
