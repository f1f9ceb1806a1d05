package kernel

import (
	"syscall"
	"testing"
	"unsafe"
)

// pages is memory whose operands lie directly before or directly after a page without access, so that reading or
// writing outside an operand ends the program.
type pages struct {
	before bool
	maps   [][]byte
	t      testing.TB
}

func (p *pages) floats(n int) []float32 {
	page := syscall.Getpagesize()
	size := (4*n + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		p.t.Fatal(err)
	}
	p.maps = append(p.maps, m)
	for _, forbidden := range [][]byte{m[:page], m[page+size:]} {
		if err := syscall.Mprotect(forbidden, syscall.PROT_NONE); err != nil {
			p.t.Fatal(err)
		}
	}
	start := page
	if p.before {
		start += size - 4*n
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&m[start])), n)
}

func (p *pages) intact(testing.TB, string) {}

func (p *pages) free() {
	for _, m := range p.maps {
		if err := syscall.Munmap(m); err != nil {
			p.t.Error(err)
		}
	}
}

func TestKernelsStayInsideTheirOperands(t *testing.T) {
	forEach(t, func(t *testing.T, b *backend, kernel string) {
		for _, size := range [][2]int{{1, 1}, {2, 3}, {3, 5}, {4, 4}, {5, 2}, {7, 33}, {8, 24}, {9, 25}, {23, 26},
			{63, 63}, {64, 64}} {
			for _, before := range []bool{false, true} {
				m := &pages{before: before, t: t}
				newProblem(size[0], size[1], normal(1)).run(t, b, kernel, m)
				m.free()
			}
		}
	})
}

func TestOtherKernelsStayInsideTheirOperands(t *testing.T) {
	for _, b := range backends {
		for _, before := range []bool{false, true} {
			m := &pages{before: before, t: t}
			for _, hidden := range []int{1, 2, 15, 16, 17, MaxHidden} {
				newNetwork(hidden, 5, true, normal(1)).run(t, b, m)
				newNetwork(hidden, 1, false, normal(1)).run(t, b, m)
			}
			floats := func(n int) []float32 { return values(m, n, normal(1)) }
			withBackend(t, b, func() {
				Transpose(floats(15*17+16), 17, floats(15*48+16), 48)
				Transpose(floats(15*17+16), 17, floats(15*9+16), 9)
				LogMagnitudes(floats(2*Lanes), floats(2*Lanes))
				Logs(floats(2*Lanes), floats(2*Lanes))
				LogsOfDifference(floats(Lanes), floats(Lanes), floats(Lanes))
				for _, rows := range []int{1, 3} {
					newSolveProblem(rows, normal(1)).run(t, b, m)
				}
				DCT(floats(patchLen*Lanes), floats(patchLen*Lanes))
				InverseDCT(floats(patchLen*Lanes), floats(patchLen*Lanes))
				ExtractPatches(floats(63*Lanes+16), floats(7*80+15*PatchStep+PatchSide), 16, 80)
				tiles := Tiles{3, 60, 9}
				tiles.Inputs(floats(TileTaps*3*Lanes), floats(tiles.gridLen()))
				tiles.Outputs(floats(tiles.gridLen()), floats(TileTaps*3*Lanes), floats(3))
				p := newGroupProblem(m, 5, 3, normal(1))
				p.Sum(floats(PatchSide*PatchSide), p.image)
				p.Add(p.num, p.den, p.panels, p.window, 2)
				p.AddTo(p.image, p.panels)
				p.Gather(p.panels, p.image)
				panel := func() []float32 { return floats(3 * Lanes) }
				CountFree(floats(Lanes), Pair{panel(), panel(), panel(), panel(), panel(), nil}, 3, 1.5)
				for _, stride := range []int{BlockLanes, BlockLanes + 1} {
					block := func(rows int) []float32 { return floats((rows-1)*stride + BlockLanes) }
					Gram(floats(BlockLanes*BlockLanes), block(3), 3, stride)
					RightMultiply(block(16), floats(BlockLanes*BlockLanes), 16, stride)
				}
				PrincipalAxes(floats(axesLen), grams(m, 1, 0))
			})
			m.free()
		}
	}
}

func TestIntegersStayInsideTheirOperands(t *testing.T) {
	for _, b := range intBackends {
		for _, size := range [][2]int{{1, 1}, {3, 2}, {4, 7}, {8, 48}, {9, 5}, {48, 6}, {50, 33}} {
			for _, before := range []bool{false, true} {
				m := &pages{before: before, t: t}
				newIntProduct(size[0], size[1], normal(1)).on(t, b, m)
				m.free()
			}
		}
	}
}
