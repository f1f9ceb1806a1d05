// Package bilevel solves the lower-level problems of training exactly, in float64, and computes the gradients of the
// upper-level loss from the closed form of the solution. It holds the mathematics of the BLORC paper (see package train
// for the reference and the map from the paper to files and tests); package train minimizes the losses.
//
// Two exact solvers have a fast counterpart in package solve, which denoising uses. The fast ones run a fixed number of
// ADMM iterations in float32 on panels of solve.Lanes signals; the exact ones repeat until the optimality conditions
// hold.
//
//	problem                                                     exact        fast
//	min_x 1/2 ||x - y||^2 + ||W x||_1                           Solver       solve.PanelSolver
//	min_x 1/2 ||x - y||^2 + sum_i d_i |w_i x| + e_i |w_i (x-p)| PairSolver   solve.PairPanelSolver
//
// W_0 denotes the rows of W with w_i x* = 0 (the zero set), W_± the other rows, and s the signs of their coefficients.
//
// The functions of this package expect arguments whose sizes fit. Callers outside of the module go through package
// train, which checks them.
package bilevel
