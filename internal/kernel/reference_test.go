package kernel

import (
	"maps"
	"math"
	"slices"
	"testing"
)

// expected is a result in exact arithmetic, for which float64 is taken, and a bound on the rounding error. The bound
// holds for any order of sums, with and without fused multiply-adds.
type expected struct{ value, tolerance float64 }

const (
	unit = 0x1p-24 * 1.001 // relative error of one rounding; the factor covers products of errors
	tiny = 0x1p-149        // absolute error of one rounding to a denormal
)

func (e expected) holds(got float32) bool {
	return math.Abs(float64(got)-e.value) <= e.tolerance
}

// sum returns start + a b for one lane, and a bound on the magnitudes of the sum and of all partial sums. No term of a
// sum of n products and a start passes more than n+1 roundings.
func sum(start float32, a []float32, b []float32, lane int) (s expected, size float64) {
	s.value, size = float64(start), math.Abs(float64(start))
	for l, x := range a {
		product := float64(x) * float64(b[l*Lanes+lane])
		s.value += product
		size += math.Abs(product)
	}
	n := float64(len(a))
	s.tolerance = (n + 1) * (unit*size + tiny)
	return s, size + s.tolerance
}

// step returns q and v of a dual step from s, whose magnitude is at most size, and the dual u.
func step(s, u expected, size, c1, c2 float64) (q, v expected) {
	e := expected{u.value - s.value, max(s.tolerance, u.tolerance) + unit*size}
	a1, a2 := math.Abs(c1), math.Abs(c2)
	q = expected{s.value + c1*e.value, s.tolerance + a1*e.tolerance + unit*size*(1+2*a1) + 2*tiny}
	v = expected{-q.value - c2*e.value, q.tolerance + a2*e.tolerance + unit*size*(1+a1+2*a2) + 2*tiny}
	return q, v
}

func clip64(s expected, bound float32) expected {
	return expected{max(min(s.value, float64(bound)), -float64(bound)), s.tolerance}
}

// wanted is the expected value of element at of a panel of problem.results.
type wanted struct {
	result, at int
	expected
}

// want returns the expected values of a kernel, except those that may overflow.
func (p *problem) want(kernel string) (all []wanted) {
	panel := p.v
	if kernel == "PrimalStep" {
		panel = p.x
	}
	for at := range panel {
		size, w := p.wantAt(kernel, at/Lanes, at%Lanes)
		if size < math.MaxFloat32 {
			all = append(all, w...)
		}
	}
	return all
}

// wantAt returns the expected values for one row and lane, and a bound on all intermediate magnitudes.
func (p *problem) wantAt(kernel string, i, lane int) (size float64, w []wanted) {
	at, c1, c2 := i*Lanes+lane, float64(p.c1), float64(p.c2)
	if kernel == "PrimalStep" {
		s, size := sum(p.y[at], p.at[i*p.rows:][:p.rows], p.v, lane)
		scale := float64(p.scale[i])
		x := expected{scale * s.value, math.Abs(scale)*(s.tolerance+unit*size) + tiny}
		return size * max(1, math.Abs(scale)), []wanted{{0, at, x}}
	}
	a := p.a[i*p.cols:][:p.cols]
	switch kernel {
	case "Mul":
		s, size := sum(0, a, p.x, lane)
		return size, []wanted{{1, at, s}}
	case "Affine", "Rectified":
		s, size := sum(p.bounds[i], a, p.x, lane)
		if kernel == "Rectified" {
			s.value = max(s.value, 0)
		}
		return size, []wanted{{1, at, s}}
	case "Dual":
		s, size := sum(p.q[at], a, p.x, lane)
		return size, []wanted{{1, at, clip64(s, p.bounds[i])}}
	case "DualStep":
		s, size := sum(p.q[at], a, p.x, lane)
		q, v := step(s, clip64(s, p.bounds[i]), size, c1, c2)
		return size * growth(c1, c2), []wanted{{1, at, v}, {2, at, q}}
	case "StartSingle", "DualStepSingle":
		return p.wantSingle(kernel, a, i, lane)
	case "StartPair":
		return p.wantStart(at)
	default:
		return p.wantPair(a, at, lane)
	}
}

func (p *problem) wantStart(at int) (size float64, w []wanted) {
	c1, c2 := float64(p.step.C1), float64(p.step.C2)
	s := expected{value: float64(p.step.Rho) * float64(p.pair.P[at])}
	size = math.Abs(s.value)
	s.tolerance = unit*size + tiny
	q, v := step(s, clip64(s, p.pair.D[at]), size, c1, c2)
	r, v2 := step(s, expected{}, size, c1, c2)
	v, size = p.wantNext(at, v, v2, 2*size*growth(c1, c2))
	return size, []wanted{{1, at, v}, {3, at, q}, {4, at, r}}
}

func (p *problem) wantPair(a []float32, at, lane int) (size float64, w []wanted) {
	c1, c2 := float64(p.step.C1), float64(p.step.C2)
	pull := float64(p.step.Rho) * float64(p.pair.P[at])
	wx, sizeWX := sum(p.pair.Y[at], a, p.x, lane)
	s, size := p.wantScaled(wx, sizeWX, p.pair.Q[at])
	t, sizeT := p.wantScaled(wx, sizeWX, p.pair.R[at])
	q, v := step(s, clip64(s, p.pair.D[at]), size, c1, c2)
	// t - rho p is rounded before it is clipped, and the dual may be as large.
	sizeT = 2*sizeT + math.Abs(pull)
	u := clip64(expected{t.value - pull, t.tolerance + 2*unit*sizeT + 2*tiny}, p.pair.E[at])
	r, v2 := step(t, u, sizeT, c1, c2)
	v, size = p.wantNext(at, v, v2, (size+sizeT)*growth(c1, c2))
	return max(size, sizeWX), []wanted{{1, at, v}, {3, at, q}, {4, at, r}}
}

func (p *problem) wantSingle(kernel string, a []float32, i, lane int) (size float64, w []wanted) {
	at, c1, c2 := i*Lanes+lane, float64(p.step.C1), float64(p.step.C2)
	y, sizeY := expected{value: float64(p.pair.Y[at])}, math.Abs(float64(p.pair.Y[at]))
	var s expected
	if kernel == "StartSingle" {
		y, sizeY = sum(0, a, p.x, lane)
		s, size = p.wantScaled(y, sizeY, 0)
		w = []wanted{{4, at, y}}
	} else {
		wx, sizeWX := sum(p.pair.Y[at], a, p.x, lane)
		s, size = p.wantScaled(wx, sizeWX, p.q[at])
	}
	q, v := step(s, clip64(s, p.bounds[i]), size, c1, c2)
	next := float64(p.step.Next)
	size = size*growth(c1, c2) + next*sizeY
	v = expected{v.value - next*y.value, v.tolerance + next*y.tolerance + 3*unit*size + 3*tiny}
	return max(size, sizeY), append(w, wanted{1, at, v}, wanted{2, at, q})
}

// wantScaled returns scale wx + q, with one rounding for the product and one for the sum.
func (p *problem) wantScaled(wx expected, size float64, q float32) (expected, float64) {
	scale := math.Abs(float64(p.step.Scale))
	size = scale*size + math.Abs(float64(q))
	return expected{float64(p.step.Scale)*wx.value + float64(q), scale*wx.tolerance + 2*unit*size + 2*tiny}, size
}

// wantNext returns v + v2 - next y. |v| + |v2| is at most size.
func (p *problem) wantNext(at int, v, v2 expected, size float64) (expected, float64) {
	y := float64(p.step.Next) * float64(p.pair.Y[at])
	size += math.Abs(y)
	return expected{v.value + v2.value - y, v.tolerance + v2.tolerance + 3*unit*size + 3*tiny}, size
}

// growth bounds the magnitudes of q and v of a dual step relative to that of s.
func growth(c1, c2 float64) float64 { return 4 * (1 + math.Abs(c1) + math.Abs(c2)) }

// allPanic reports the functions that do not panic: those with operands of a wrong size should.
func allPanic(t *testing.T, calls map[string]func()) {
	t.Helper()
	for name, call := range calls {
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

// benchmarkAll measures functions with every backend.
func benchmarkAll(b *testing.B, calls map[string]func()) {
	for _, be := range backends {
		for _, name := range slices.Sorted(maps.Keys(calls)) {
			withBackend(b, be, func() {
				b.Run(be.name+"/"+name, func(b *testing.B) {
					for b.Loop() {
						calls[name]()
					}
				})
			})
		}
	}
}
