package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// forEach runs a test for every backend of this computer and every kernel.
func forEach(t *testing.T, f func(t *testing.T, b *backend, kernel string)) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			for _, kernel := range kernelNames {
				t.Run(kernel, func(t *testing.T) { f(t, b, kernel) })
			}
		})
	}
}

// sizes returns sizes with all remainders of rows and columns, and the sizes that models have.
func sizes() (s [][2]int) {
	for i := range 70 {
		s = append(s, [2]int{i + 1, 7}, [2]int{9, i + 1})
	}
	for i := range 18 {
		s = append(s, [2]int{i + 1, 1}, [2]int{1, i + 1}, [2]int{i + 1, i + 1})
	}
	return append(s, [2]int{63, 63}, [2]int{64, 64}, [2]int{65, 65}, [2]int{192, 64}, [2]int{64, 192}, [2]int{192, 63})
}

// conforms runs a kernel on all backends and compares the results with exact arithmetic. It returns how many were
// compared.
func (p *problem) conforms(t *testing.T, kernel string) int {
	t.Helper()
	want := p.want(kernel)
	for _, b := range backends {
		results := p.run(t, b, kernel, &guards{}).results()
		for _, w := range want {
			if got := results[w.result][w.at]; !w.holds(got) {
				t.Fatalf("%s, %d x %d: %g in row %d, lane %d of result %d instead of %g +- %.2g",
					b.name, p.rows, p.cols, got, w.at/Lanes, w.at%Lanes, w.result, w.value, w.tolerance)
			}
		}
	}
	return len(want)
}

func TestKernelsAreWithinRounding(t *testing.T) {
	for _, kernel := range kernelNames {
		t.Run(kernel, func(t *testing.T) {
			for i, size := range sizes() {
				p := newProblem(size[0], size[1], normal(uint64(i)))
				if n := p.conforms(t, kernel); n < min(p.rows, p.cols)*Lanes {
					t.Errorf("%d x %d: only %d compared", p.rows, p.cols, n)
				}
			}
		})
	}
}

func TestKernelsLeaveOtherPanels(t *testing.T) {
	written := map[string][5]bool{"PrimalStep": {0: true}, "Mul": {1: true}, "Affine": {1: true},
		"Rectified": {1: true}, "Dual": {1: true},
		"DualStep": {1: true, 2: true}, "StartSingle": {1: true, 2: true, 4: true},
		"DualStepSingle": {1: true, 2: true},
		"DualStepPair":   {1: true, 3: true, 4: true}, "StartPair": {1: true, 3: true, 4: true}}
	forEach(t, func(t *testing.T, b *backend, kernel string) {
		p := newProblem(11, 5, normal(1))
		c := p.run(t, b, kernel, &guards{})
		for i, s := range c.results() {
			if sameBits(s, p.results()[i]) == written[kernel][i] {
				t.Errorf("panel %d: written is %v, which is not as documented", i, !written[kernel][i])
			}
		}
	})
}

func TestKernelsTakeExtremeValues(t *testing.T) {
	negativeZero := float32(math.Copysign(0, -1))
	inf := float32(math.Inf(1))
	for name, values := range map[string][]float32{
		"denormal": {1e-45, -1e-45, 3e-40, -1e-39, 1e-38, 0, 1},
		"zero":     {0, negativeZero, 1, -1},
		"huge":     {1e18, -1e18, 1e17, 3, 0, 1e-30},
		"overflow": {3e38, -3e38, 1, 1e-38},
		"mixed":    {1e-30, 1e10, -1e10, 1e-20, 1, -1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, kernel := range kernelNames {
				rng := rand.New(rand.NewPCG(3, 4))
				p := newProblem(21, 13, func() float32 { return values[rng.IntN(len(values))] })
				p.bounds[3], p.pair.D[5], p.pair.E[6] = inf, inf, inf
				p.bounds[4], p.pair.D[8], p.pair.E[9] = 0, 0, 0
				if p.conforms(t, kernel) == 0 && name != "overflow" {
					t.Errorf("%s: nothing was compared", kernel)
				}
			}
		})
	}
}

func TestNaNStaysInItsLane(t *testing.T) {
	const lane = 7
	forEach(t, func(t *testing.T, b *backend, kernel string) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			p := newProblem(10, 6, normal(2))
			clean := p.run(t, b, kernel, &guards{})
			for _, s := range [][]float32{p.x, p.v} {
				s[2*Lanes+lane] = float32(bad)
			}
			if kernel == "StartPair" { // which reads P only and does not mix rows
				for at := lane; at < len(p.pair.P); at += Lanes {
					p.pair.P[at] = float32(bad)
				}
			}
			dirty := p.run(t, b, kernel, &guards{})
			for i, s := range dirty.results() {
				for at, v := range s {
					switch same := math.Float32bits(v) == math.Float32bits(clean.results()[i][at]); {
					case at%Lanes != lane && !same:
						t.Fatalf("%g in lane %d changes lane %d", bad, lane, at%Lanes)
					case at%Lanes == lane && math.IsNaN(bad) && !sameBits(s, p.results()[i]) && v == v:
						t.Fatalf("result %d is %g in spite of NaN", i, v)
					}
				}
			}
		}
	})
}

// Results are the same bits in every lane.
func TestPositionDoesNotMatter(t *testing.T) {
	forEach(t, func(t *testing.T, b *backend, kernel string) {
		p := newProblem(23, 17, normal(5))
		want := p.run(t, b, kernel, &guards{})
		again := p.run(t, b, kernel, &guards{})
		rotated := p.in(b, &guards{})
		for _, s := range rotated.panels() {
			rotateLanes(*s)
		}
		rotated.call(kernel)
		for i, s := range want.results() {
			if !sameBits(s, again.results()[i]) {
				t.Errorf("result %d differs from run to run", i)
			}
			rotateLanes(s)
			if !sameBits(s, rotated.results()[i]) {
				t.Errorf("result %d depends on the lane", i)
			}
		}
	})
}

func TestRowsDoNotDependOnTheirTile(t *testing.T) {
	for _, b := range backends {
		p := newProblem(23, 17, normal(6)).in(b, &guards{})
		Mul(p.v, p.w, p.x)
		one := make([]float32, Lanes)
		for i := range p.rows {
			Mul(one, pack(b, p.a[i*p.cols:(i+1)*p.cols], 1, p.cols), p.x)
			if !sameBits(one, p.v[i*Lanes:(i+1)*Lanes]) {
				t.Errorf("%s: row %d alone differs from row %d of 23", b.name, i, i)
			}
		}
	}
}

// panels returns the operands that are panels.
func (p *problem) panels() []*[]float32 {
	return []*[]float32{&p.x, &p.y, &p.v, &p.q, &p.pair.Q, &p.pair.R, &p.pair.D, &p.pair.E, &p.pair.P, &p.pair.Y}
}

func rotateLanes(panel []float32) {
	for i := 0; i < len(panel); i += Lanes {
		r := panel[i : i+Lanes]
		last := r[Lanes-1]
		copy(r[1:], r)
		r[0] = last
	}
}

func TestSizesAreChecked(t *testing.T) {
	p := newProblem(5, 3, normal(1))
	short := make([]float32, 4)
	w, wt := Pack(p.a, 5, 3), Pack(p.at, 3, 5)
	allPanic(t, map[string]func(){
		"c":       func() { Mul(p.v[1:], w, p.x) },
		"b":       func() { Mul(p.v, w, p.x[1:]) },
		"bias":    func() { Affine(p.v, w, p.x, short) },
		"biases":  func() { Rectified(p.v, w, p.x, p.q) },
		"logs":    func() { Logs(p.v, p.v[Lanes:]) },
		"log":     func() { LogMagnitudes(p.v, p.v[Lanes:]) },
		"no row":  func() { Logs(p.v[1:], p.v[1:]) },
		"a - b":   func() { LogsOfDifference(p.v, p.v, p.v[Lanes:]) },
		"solve":   func() { Solve(p.v, p.v, p.v, p.v, p.v[1:], p.v[:5*6], p.v[:5]) },
		"skip":    func() { Solve(p.v, p.v, p.v, p.v, p.v, p.v[:5*5], p.v[:5]) },
		"dct":     func() { DCT(p.v, p.v) },
		"inverse": func() { InverseDCT(make([]float32, 64*Lanes), p.v) },
		"scale":   func() { PrimalStep(p.x, wt, p.v, p.y, short) },
		"y":       func() { PrimalStep(p.x, wt, p.v, short, p.scale) },
		"q":       func() { DualStep(p.v, w, p.x, short, p.bounds, 1, 1) },
		"bounds":  func() { DualStep(p.v, w, p.x, p.q, short, 1, 1) },
		"panel":   func() { DualStep(p.v, w, p.x, p.q, p.q, 1, 1) },
		"dual":    func() { Dual(p.v, w, p.x, p.q, p.q) },
		"u":       func() { Dual(short, w, p.x, p.q, p.bounds) },
		"single":  func() { DualStepSingle(p.v, w, p.x, short, p.q, p.bounds, p.single()) },
		"bound":   func() { DualStepSingle(p.v, w, p.x, p.q, p.q, short, p.single()) },
		"first":   func() { StartSingle(p.v, w, p.x, p.q, short, p.bounds, p.single()) },
		"pair": func() {
			DualStepPair(p.v, w, p.x, Pair{p.q, p.q, p.q, p.q, p.q, short}, p.step)
		},
		"start":   func() { StartPair(p.v, w, Pair{p.q, p.q, nil, nil, short, p.q}, p.step) },
		"matrix":  func() { Pack(p.a[1:], 5, 3) },
		"no rows": func() { Pack(nil, 0, 3) },
	})
}
