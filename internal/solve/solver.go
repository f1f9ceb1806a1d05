package solve

// Solver replaces panels of signals by the solutions of the lower-level problem, approximately: it runs a fixed number
// of ADMM iterations in float32. It is immutable, so goroutines may share it, each with its own scratch memory.
type Solver interface {
	Solve(y []float32, s *PanelScratch)
	NewScratch() *PanelScratch
}

// NewSolver returns the faster of the two solvers for a transform. With I iterations, CoefficientSolver takes I + 1
// products with square matrices of K rows, PanelSolver 2 I with W and two with matrices of N rows.
func NewSolver(w Transform, s Schedule) Solver {
	if IsTall(w) {
		return NewPanelSolver(w, s)
	}
	return NewCoefficientSolver(w, s)
}

// IsTall reports whether a transform has so many rows that NewSolver avoids square matrices of K rows, one for each
// rho.
func IsTall(w Transform) bool { return w.K >= 2*w.N }
