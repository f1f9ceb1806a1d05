package kernel

// CountFree counts for each lane the rows whose coefficients a dual step of two penalties has set neither to zero nor
// to what the second pulls to: those with |q| >= d and |r - rho p| >= e. Their number is the number of degrees of
// freedom that are left. It is for a step with c1 = 0, which leaves s in q and t in r; rho is that of the step.
//
// A row with NaN does not count. All kernels count the same: the product and the difference are rounded.
func CountFree(counts []float32, s Pair, rows int, rho float32) {
	checkLen(counts, Lanes)
	for _, panel := range [][]float32{s.Q, s.R, s.D, s.E, s.P} {
		checkLen(panel, rows*Lanes)
	}
	if rows < 1 {
		clear(counts)
		return
	}
	selected.Load().countFree(counts, s.Q, s.R, s.D, s.E, s.P, rows, rho)
}
