package bilevel

import "slices"

// PackedFactor is a copy of the factor of W_0 W_0' of a PairSolution that takes no more memory than its size needs. The
// zero value is the factor of an empty zero set.
type PackedFactor struct {
	rows    []int
	l       []float64 // lower triangle, row by row
	inverse []float64
}

// Pack replaces the factor by that of a solution.
func (p *PackedFactor) Pack(s *PairSolution) {
	f := s.factor
	m := len(f.rows)
	p.rows = append(p.rows[:0], f.rows...)
	p.inverse = append(p.inverse[:0], f.inverse[:m]...)
	p.l = slices.Grow(p.l[:0], m*(m+1)/2)
	for i := range m {
		p.l = append(p.l, f.l[i*f.stride:][:i+1]...)
	}
}

// Len returns the number of rows of W_0.
func (p *PackedFactor) Len() int { return len(p.rows) }

// Solve sets a = (W_0 W_0')^-1 b_0 on the rows of W_0, and 0 on the others. It uses ws as scratch memory.
func (p *PackedFactor) Solve(a, b []float64, ws *PairWorkspace) {
	f := ws.sol.factor
	copy(f.inverse, p.inverse)
	at := 0
	for i := range p.rows {
		copy(f.l[i*f.stride:], p.l[at:at+i+1])
		at += i + 1
	}
	v := ws.step[:len(p.rows)]
	for i, r := range p.rows {
		v[i] = b[r]
	}
	f.solve(v)
	clear(a)
	for i, r := range p.rows {
		a[r] = v[i]
	}
}
