// Package solve holds transforms and solvers for the lower-level problems: the reference solver ADMM in float64 and the fast
// solvers of denoising, PanelSolver and PairPanelSolver, which run a fixed number of ADMM iterations in float32. Package
// bilevel has the exact solvers that training needs.
package solve
