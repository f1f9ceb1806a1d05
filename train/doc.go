// Package train learns transforms from pairs of clean and noisy signals, so that the solution of the lower-level problem
// is close to the clean signal:
//
//	upper level   min_W Q(W),   Q(W) = 1/T sum_t 1/2 ||x*(W, y_t) - x_t||^2      (eq:upper-level)
//	lower level   x*(W, y) = argmin_x 1/2 ||x - y||^2 + ||W x||_1               (eq:analysis)
//
// by gradient descent with the exact gradient, from the closed form of x* for its sign pattern. The method is BLORC: A.
// Ghosh, M. T. McCann, M. Mitchell, S. Ravishankar, "Learning sparsity-promoting regularizers using bilevel optimization",
// SIAM Journal on Imaging Sciences 17(1), 2024. The labels are those of the paper's source; each result, its file, and the test
// that shows it:
//
//	eq:analysis            internal/solve/admm.go  TestADMMObjectiveIsNotAboveALongRun, TestADMMHasADualCertificate
//	section:ortho          internal/solve/closedform.go  TestADMMOrthonormalIsSoftThresholding
//	sec:locan (scalar)     internal/solve/closedform.go  TestADMMScalar
//	closed-form            closedform.go        TestADMMSolutionIsTheClosedFormOfItsPattern
//	sign pattern           pattern.go, solver.go  TestSignPatternIsStable
//	optimality             kkt.go               TestSolverSatisfiesKKT, TestEverySampleIsSolvedExactly
//	eq:grad1, eq:except    closedform.go, gradient.go  TestGradientAgainstCentralDifferences, TestFastGradientIsThePapersGradient
//	eq:upper-level         objective.go         TestTrainingLowersTheLoss
//	alg:1                  train.go             TestTrainingIsBitIdenticalForAnyWorkers, TestTrainingResumesBitIdentical
//	patches P_j            patchify             TestAggregateOfExtractIsTheImage, TestEveryPixelIsCoveredForAllSizesAndStrides
//
// # Where the paper leaves a choice
//
// The paper writes the lower level with and without the 1/2; its closed form needs it, and here it always stands. The
// gradient of the loss at x* is g = x* - x_t, Q is the mean over the minibatch, and the factor 2 that Algorithm 1 has
// belongs to the learning rate. Weights before the l1 norm are absorbed in W. W_± holds plain rows of W, and s their
// signs. With more rows than columns W_0 is often rank deficient: the closed form stays right with the pseudo-inverse; the
// gradient holds where the rank of W_0 does not change around W (see GradientSum for what is done elsewhere).
// Algorithm 1 starts from W = I, which at a peak of 1 and with the 1/2 sends every patch to zero, where the gradient is
// zero: recipes start from a scaled identity or DCT.
package train
