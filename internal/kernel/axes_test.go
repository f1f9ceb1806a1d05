package kernel

import (
	"math"
	"testing"
)

// grams returns Gram matrices for all lanes. They come from random members with falling energies, some of them equal,
// all equal or all zero. Lane l is 4^(l scale) times as large as the first.
func grams(m memory, seed uint64, scale float64) []float32 {
	value := normal(seed)
	out := m.floats(axesLen)
	block := make([]float32, 64*BlockLanes)
	one := make([]float32, BlockLanes*BlockLanes)
	for l := range BlockLanes {
		for i := range block {
			block[i] = value() * float32(math.Exp2(-float64(i%BlockLanes)/float64(1+l%4))) *
				float32(math.Exp2(float64(l)*scale))
		}
		for i := 0; i < len(block); i += BlockLanes {
			switch l {
			case 5: // two equal members
				block[i+3] = block[i+7]
			case 6: // all equal
				for j := range BlockLanes {
					block[i+j] = block[i]
				}
			case 7:
				clear(block[i : i+BlockLanes])
			}
		}
		gram(one, block, 64, BlockLanes)
		for i, v := range one {
			out[i*BlockLanes+l] = v
		}
	}
	return out
}

func TestPrincipalAxes(t *testing.T) {
	for _, b := range backends {
		for seed := range uint64(20) {
			m := &guards{}
			matrix := grams(m, seed, 1.7)
			before := append([]float32{}, matrix...)
			axes := m.floats(axesLen)
			withBackend(t, b, func() { PrincipalAxes(axes, matrix) })
			m.intact(t, "principal axes of "+b.name)
			for l := range BlockLanes {
				at := func(v []float32, r, c int) float64 { return float64(v[(r*BlockLanes+c)*BlockLanes+l]) }
				trace := 0.0
				for i := 1; i < BlockLanes; i++ {
					trace += at(before, i, i)
				}
				for r := range BlockLanes {
					for c := r; c < BlockLanes; c++ {
						dot, off := 0.0, 0.0
						for i := range BlockLanes {
							dot += at(axes, r, i) * at(axes, c, i)
							for j := range BlockLanes {
								off += at(axes, r, i) * at(before, min(i, j), max(i, j)) * at(axes, c, j)
							}
						}
						want := 0.0
						if r == c {
							want = 1
						}
						if !(math.Abs(dot-want) <= 1e-5) {
							t.Fatalf("%s, lane %d: axes %d and %d have the product %g", b.name, l, r, c, dot)
						}
						if r > 0 && r < c && !(math.Abs(off) <= 2e-5*trace) {
							t.Fatalf("%s, lane %d: %g of %g is left at %d, %d", b.name, l, off, trace, r, c)
						}
						if r > 0 && r == c && !(math.Abs(off-at(matrix, r, r)) <= 1e-5*trace) {
							t.Fatalf("%s, lane %d: eigenvalue %g, not %g", b.name, l, at(matrix, r, r), off)
						}
					}
				}
			}
		}
	}
}

func TestGramAndRightMultiply(t *testing.T) {
	for _, b := range backends {
		for _, rows := range []int{8, 16, 64, 200} {
			for _, stride := range []int{16, 17, 48} {
				m, value := &guards{}, normal(uint64(rows+stride))
				block, matrix, sums := values(m, (rows-1)*stride+16, value), values(m, 256, value), m.floats(256)
				before := append([]float32{}, block...)
				withBackend(t, b, func() { Gram(sums, block, rows, stride) })
				withBackend(t, b, func() { RightMultiply(block, matrix, rows, stride) })
				m.intact(t, b.name)
				for r := range 16 {
					for c := range 16 {
						sum, size := 0.0, 0.0
						for i := range rows {
							p := float64(before[i*stride+r]) * float64(before[i*stride+c])
							sum, size = sum+p, size+math.Abs(p)
						}
						if e := math.Abs(sum - float64(sums[r*16+c])); !(e <= size*float64(rows+1)*0x1p-24) {
							t.Fatalf("%s, %d rows: product of lanes %d and %d is off by %g", b.name, rows, r, c, e)
						}
					}
				}
				for i, v := range block {
					r, l := i/stride, i%stride
					if l >= 16 {
						if v != before[i] {
							t.Fatalf("%s: wrote outside the block", b.name)
						}
						continue
					}
					sum, size := 0.0, 0.0
					for c := range 16 {
						p := float64(before[r*stride+c]) * float64(matrix[c*16+l])
						sum, size = sum+p, size+math.Abs(p)
					}
					if e := math.Abs(sum - float64(v)); !(e <= size*17*0x1p-24) {
						t.Fatalf("%s: row %d, lane %d is off by %g", b.name, r, l, e)
					}
				}
			}
		}
	}
}

// A lane depends neither on its position nor on other lanes, and row 0 does not change.
func TestPrincipalAxesKeepLanesApart(t *testing.T) {
	const lanes = BlockLanes
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, b := range backends {
		matrix := grams(&guards{}, 3, 0)
		shifted := make([]float32, axesLen)
		for at, v := range matrix {
			shifted[at/lanes*lanes+(at+1)%lanes] = v
		}
		bad := map[int]float32{2: nan, 9: inf}
		for l, v := range bad {
			shifted[(3*lanes+4)*lanes+l] = v
		}
		top := append([]float32{}, shifted[:lanes*lanes]...)
		axes, shiftedAxes := make([]float32, axesLen), make([]float32, axesLen)
		withBackend(t, b, func() {
			PrincipalAxes(axes, matrix)
			PrincipalAxes(shiftedAxes, shifted)
		})
		for at, v := range axes {
			l := (at + 1) % lanes
			if _, spoiled := bad[l]; !spoiled &&
				math.Float32bits(v) != math.Float32bits(shiftedAxes[at/lanes*lanes+l]) {
				t.Fatalf("%s: lane %d differs from the same problem in lane %d", b.name, at%lanes, l)
			}
		}
		if !sameBits(top, shifted[:lanes*lanes]) {
			t.Errorf("%s: row 0 has changed", b.name)
		}
	}
}

func TestRightMultiplyKeepsRowsApart(t *testing.T) {
	for _, b := range backends {
		m, value := &guards{}, normal(4)
		one, matrix := values(m, BlockLanes, value), values(m, BlockLanes*BlockLanes, value)
		var block []float32
		for range 2 * rightMultiplyRows {
			block = append(block, one...)
		}
		block[5*BlockLanes+1] = float32(math.NaN())
		withBackend(t, b, func() { RightMultiply(block, matrix, 2*rightMultiplyRows, BlockLanes) })
		for r := range 2 * rightMultiplyRows {
			if row := block[r*BlockLanes:][:BlockLanes]; sameBits(row, block[:BlockLanes]) == (r == 5) {
				t.Errorf("%s: row %d depends on its position or on another row", b.name, r)
			}
		}
	}
}

func BenchmarkAxes(b *testing.B) {
	m := &guards{}
	matrix := grams(m, 1, 0)
	axes, block, sums := make([]float32, axesLen), make([]float32, 64*Lanes), make([]float32, 256)
	identity := make([]float32, 256)
	for i := range 16 {
		identity[i*17] = 1
	}
	work := make([]float32, axesLen)
	benchmarkAll(b, map[string]func(){
		"PrincipalAxes": func() { // of BlockLanes matrices
			copy(work, matrix)
			PrincipalAxes(axes, work)
		},
		"Gram":          func() { Gram(sums, block, 64, Lanes) },
		"RightMultiply": func() { RightMultiply(block, identity, 64, Lanes) },
	})
}
