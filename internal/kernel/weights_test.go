package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// network holds the operands of a WeightFunction.
type network struct {
	hidden, rows     int
	blocks           bool
	a, b             []float32
	b0, b1, a0       float32
	p, y, bias, d, e []float32
}

func newNetwork(hidden, rows int, blocks bool, value func() float32) *network {
	n := &network{hidden: hidden, rows: rows, blocks: blocks, b0: 0.3, b1: -0.7, a0: 0.6}
	fill := func(size int, scale float32) []float32 {
		s := make([]float32, size)
		for i := range s {
			s[i] = scale * value()
		}
		return s
	}
	n.p, n.y, n.d, n.e = fill(rows*Lanes, 1), fill(rows*Lanes, 1), fill(rows*Lanes, 1), fill(rows*Lanes, 1)
	rng := normal(uint64(hidden*1000 + rows))
	value = rng
	n.a, n.b, n.bias = fill(hidden*Features, 0.4), fill(hidden*2, 0.4), fill(hidden*Lanes, 1)
	return n
}

func (n *network) String() string {
	return fmt.Sprintf("%d hidden units, %d rows, blocks %t", n.hidden, n.rows, n.blocks)
}

// run calls the kernel of a backend and returns d and e.
func (n *network) run(t testing.TB, be *backend, m memory) (d, e []float32) {
	t.Helper()
	f := NewWeightFunction(n.a, n.b, n.b0, n.b1, n.a0)
	f.backend = be
	f.blocks, f.alone = placed(m, f.blocks), placed(m, f.alone)
	p, y, bias := placed(m, n.p), placed(m, n.y), placed(m, n.bias)
	d, e = placed(m, n.d), placed(m, n.e)
	f.Weights(d, e, p, y, bias, n.rows, n.blocks)
	m.intact(t, fmt.Sprintf("%s, %s", be.name, n))
	if !sameBits(p, n.p) || !sameBits(y, n.y) || !sameBits(bias, n.bias) {
		t.Errorf("%s, %s: an operand has changed", be.name, n)
	}
	return d, e
}

// features returns the features in exact arithmetic, a bound on the rounding error of each, and whether all sums of
// squares are finite in float32.
func (n *network) features(i, lane int) (f, tolerance [Features]float64, finite bool) {
	var laneP, laneR, blockP, blockR float64
	r := func(at int) float64 { return float64(n.y[at]) - float64(n.p[at]) }
	for row := range n.rows {
		at := row*Lanes + lane
		laneP += float64(n.p[at]) * float64(n.p[at])
		laneR += r(at) * r(at)
	}
	laneP, laneR = laneP/float64(n.rows), laneR/float64(n.rows)
	at := i*Lanes + lane
	first := at - lane%BlockLanes
	for m := first + 1; m < first+BlockLanes; m++ {
		blockP += float64(n.p[m]) * float64(n.p[m]) / (BlockLanes - 1)
		blockR += r(m) * r(m) / (BlockLanes - 1)
	}
	if !n.blocks {
		blockP, blockR = laneP, laneR
	}
	f = [Features]float64{
		math.Log(math.Abs(float64(n.p[at])) + 0.05), math.Log(math.Sqrt(laneP) + 0.05),
		math.Log(math.Sqrt(blockP) + 0.05),
		math.Log(math.Abs(r(at)) + 0.1), math.Log(math.Sqrt(laneR) + 0.1), math.Log(math.Sqrt(blockR) + 0.1),
		math.Log(math.Abs(float64(n.y[at])) + 0.3),
	}
	for j := range f { // a sum of squares has a rounding for each term, and the root halves their effect
		tolerance[j] = 4e-7 + unit*(float64(max(n.rows, BlockLanes))/2+6) + 2*unit*math.Abs(f[j])
	}
	finite = max(laneP, laneR)*float64(n.rows) < math.MaxFloat32/2 && max(blockP, blockR)*BlockLanes < math.MaxFloat32/2
	return f, tolerance, finite
}

// want returns d and e in exact arithmetic, with relative tolerances.
func (n *network) want(i, lane int) (d, e expected, finite bool) {
	f, tolerance, finite := n.features(i, lane)
	o0, o1 := expected{value: float64(n.b0) - float64(n.a0)*f[0]}, expected{value: float64(n.b1)}
	o0.tolerance = math.Abs(float64(n.a0)) * tolerance[0]
	size0, size1 := math.Abs(float64(n.b0))+math.Abs(float64(n.a0)*f[0]), math.Abs(float64(n.b1))
	for k := range n.hidden {
		h, off := float64(n.bias[k*Lanes+lane]), 0.
		size := math.Abs(h)
		for j, v := range f {
			a := float64(n.a[k*Features+j])
			h += a * v
			size += math.Abs(a * v)
			off += math.Abs(a) * tolerance[j]
		}
		off += 12 * unit * size
		h = max(0, h)
		w0, w1 := float64(n.b[2*k]), float64(n.b[2*k+1])
		o0.value, o1.value = o0.value+w0*h, o1.value+w1*h
		o0.tolerance, o1.tolerance = o0.tolerance+math.Abs(w0)*off, o1.tolerance+math.Abs(w1)*off
		size0, size1 = size0+math.Abs(w0)*size, size1+math.Abs(w1)*size
	}
	power := func(o expected, size float64) expected {
		v := math.Exp(max(-5, min(o.value, 4)))
		roundings := float64(n.hidden + 6)
		return expected{v, v * (o.tolerance + roundings*unit*size + 4e-7 + 8*unit)}
	}
	return power(o0, size0), power(o1, size1), finite
}

// conforms runs all backends and compares the results with exact arithmetic. It returns how many were compared.
func (n *network) conforms(t *testing.T) (compared int) {
	t.Helper()
	var d, e [][]float32
	for _, be := range backends {
		dOf, eOf := n.run(t, be, &guards{})
		d, e = append(d, dOf), append(e, eOf)
	}
	for at := range n.d {
		wantD, wantE, finite := n.want(at/Lanes, at%Lanes)
		if !finite {
			continue
		}
		for i, be := range backends {
			compared++
			if !wantD.holds(d[i][at]) || !wantE.holds(e[i][at]) {
				t.Fatalf("%s, %s, row %d, lane %d: d %g and e %g instead of %g +- %.2g and %g +- %.2g", be.name, n,
					at/Lanes, at%Lanes,
					d[i][at], e[i][at], wantD.value, wantD.tolerance, wantE.value, wantE.tolerance)
			}
		}
	}
	return compared
}

func TestWeightsAreWithinRounding(t *testing.T) {
	for hidden := 1; hidden <= MaxHidden; hidden++ {
		for _, rows := range []int{1, 2, 3, 7, 8, 9, 17, 64}[:4+hidden%5] {
			for _, blocks := range []bool{false, true} {
				n := newNetwork(hidden, rows, blocks, normal(uint64(rows)))
				if got, want := n.conforms(t), rows*Lanes*len(backends); got != want {
					t.Errorf("%s: %d compared instead of %d", n, got, want)
				}
			}
		}
	}
}

func TestWeightsTakeExtremeValues(t *testing.T) {
	for name, values := range map[string][]float32{
		"denormal": {1e-45, -1e-45, 3e-40, -1e-39, 1e-38, 0, 1},
		"zero":     {0, float32(math.Copysign(0, -1)), 1, -1},
		"huge":     {1e18, -1e18, 1e17, 3, 0, 1e-30},
		"overflow": {3e38, -3e38, 1, 1e-38},
		"powers":   {0.95, 0.45, 0.2, -1.95, 3.9, 7.9, -0.075, 0.4, 0.15, 0},
	} {
		for _, blocks := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(3, 4))
			n := newNetwork(16, 9, blocks, func() float32 { return values[rng.IntN(len(values))] })
			if n.conforms(t) == 0 && name != "overflow" {
				t.Errorf("%s: nothing was compared", name)
			}
		}
	}
}

// NaN in a lane changes this lane and, if the lane is a member of a block, the block in the same row. Nothing else
// changes.
func TestNaNOfWeightsStays(t *testing.T) {
	const lane, row = BlockLanes + 5, 2
	for _, be := range backends {
		for _, blocks := range []bool{false, true} {
			for _, bad := range []int{lane, BlockLanes} { // a member of a block, and the first lane of one
				n := newNetwork(9, 5, blocks, normal(2))
				cleanD, cleanE := n.run(t, be, &guards{})
				for _, panel := range []*[]float32{&n.p, &n.y} {
					old := (*panel)[row*Lanes+bad]
					(*panel)[row*Lanes+bad] = float32(math.NaN())
					d, e := n.run(t, be, &guards{})
					(*panel)[row*Lanes+bad] = old
					for at := range d {
						inLane := at%Lanes == bad
						inBlock := blocks && bad == lane && at/Lanes == row && at%Lanes/BlockLanes == lane/BlockLanes
						switch {
						case (inLane || inBlock) && (d[at] == d[at] || e[at] == e[at]):
							t.Fatalf("%s, %s: %g and %g in row %d, lane %d in spite of NaN", be.name, n, d[at], e[at],
								at/Lanes, at%Lanes)
						case !inLane && !inBlock && !sameBits([]float32{d[at], e[at]},
							[]float32{cleanD[at], cleanE[at]}):
							t.Fatalf("%s, %s: NaN in lane %d changes row %d, lane %d", be.name, n, bad, at/Lanes,
								at%Lanes)
						}
					}
				}
			}
		}
	}
}

// Results do not depend on the position of a block or, without blocks, of a lane.
func TestPositionDoesNotMatterToWeights(t *testing.T) {
	for _, be := range backends {
		for _, blocks := range []bool{false, true} {
			steps := 1
			if blocks {
				steps = BlockLanes
			}
			n := newNetwork(13, 11, blocks, normal(5))
			wantD, wantE := n.run(t, be, &guards{})
			for range steps {
				for _, panel := range [][]float32{n.p, n.y, n.bias, wantD, wantE} {
					rotateLanes(panel)
				}
			}
			if d, e := n.run(t, be, &guards{}); !sameBits(d, wantD) || !sameBits(e, wantE) {
				t.Errorf("%s, %s: results depend on the position", be.name, n)
			}
		}
	}
}

// Logarithms and powers have the documented errors.
func TestLogarithmsAndPowers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var v, x row
	for range 4_000 {
		for l := range v {
			x[l] = float32(math.Exp2(rng.Float64()*250 - 125))
		}
		v = x
		logRow(&v)
		for l, got := range v {
			want := math.Log2(float64(x[l]))
			if off := math.Abs(float64(got)-want) * math.Ln2; off > 4e-7+2*unit*math.Abs(want)*math.Ln2 {
				t.Fatalf("logarithm of %g: %g is off by %g", x[l], got, off)
			}
		}
		for l := range v {
			x[l] = float32(rng.Float64()*16 - 8)
		}
		v = x
		powerRow(&v)
		for l, got := range v {
			want := math.Exp(max(-5, min(float64(x[l])*math.Ln2, 4)))
			if off := math.Abs(float64(got)/want - 1); off > 4e-7 {
				t.Fatalf("power %g: %g is off by %g", x[l], got, off)
			}
		}
	}
}

func TestWeightsDoNotAllocate(t *testing.T) {
	n := newNetwork(16, 8, true, normal(1))
	for _, be := range backends {
		f := NewWeightFunction(n.a, n.b, n.b0, n.b1, n.a0)
		f.backend = be
		if got := testing.AllocsPerRun(10, func() { f.Weights(n.d, n.e, n.p, n.y, n.bias, n.rows, true) }); got != 0 {
			t.Errorf("%s: %g allocations", be.name, got)
		}
	}
}

// FuzzWeights compares every backend with exact arithmetic, for coefficients that may be any finite numbers.
func FuzzWeights(f *testing.F) {
	f.Add(uint8(8), uint8(3), true, []byte("any numbers at all"))
	f.Add(uint8(15), uint8(30), false, []byte{0, 0, 128, 63, 0, 0, 0, 128, 1, 0, 0, 0, 0, 0, 128, 191})
	f.Fuzz(func(t *testing.T, hidden, rows uint8, blocks bool, bits []byte) {
		if len(bits) < 4 {
			return
		}
		at := 0
		newNetwork(int(hidden%MaxHidden)+1, int(rows%32)+1, blocks, func() float32 {
			at = (at + 1) % (len(bits) - 3)
			v := math.Float32frombits(binary.LittleEndian.Uint32(bits[at:]))
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return 1
			}
			return v
		}).conforms(t)
	})
}
