// Package solve holds transforms and solvers for the lower-level problems: the fast solvers of denoising, which run a
// fixed number of ADMM iterations in float32. Package bilevel has the exact solvers that training needs.
//
// Two fast solvers are for patches on their own, and NewSolver takes the faster one: PanelSolver multiplies with the
// transform and its transpose in each iteration, CoefficientSolver with one square matrix. PairPanelSolver is for
// groups of patches, where a second absolute value pulls coefficients towards those of the pilot.
package solve
