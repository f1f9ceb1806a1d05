package kernel

// CountFree counts, for each lane, the rows whose coefficient was set neither to zero by the first penalty of a dual
// step nor to p by the second: the rows with |q| >= d and |r - rho p| >= e. The count is the number of degrees of
// freedom left. The step must have had C1 = 0, which leaves s in Q and t in R. rho is the Rho of the step.
//
// A row with NaN does not count. All backends return the same counts: each rounds the product and then the difference.
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
