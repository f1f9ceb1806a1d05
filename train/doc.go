// Package train learns denoising models from pairs of clean and noisy images. It trains the transforms W of the
// lower-level problem so that its solution is close to the clean signal:
//
//	upper level   min_W Q(W),   Q(W) = 1/T sum_t 1/2 ||x*(W, y_t) - x_t||^2      (eq:upper-level)
//	lower level   x*(W, y) = argmin_x 1/2 ||x - y||^2 + ||W x||_1               (eq:analysis)
//
// It uses gradient descent with the exact gradient, from the closed form of x* for its sign pattern. The method is
// BLORC: A. Ghosh, M. T. McCann, M. Mitchell, S. Ravishankar, "Learning sparsity-promoting regularizers using bilevel
// optimization", SIAM Journal on Imaging Sciences 17(1), 2024.
//
// # How to train a model
//
// A recipe trains a whole model. Samples are on a scale of 0 to 1. A pair without a noisy image gets white Gaussian
// noise.
//
//	data := train.Data{
//		Groups:     [][]train.Pair{{{Clean: a}, {Clean: b}}}, // patchify.Plane
//		Validation: []train.Pair{{Clean: c}},
//		Sigma:      25.0 / 255,
//		Seed:       1,
//	}
//	trainer := &train.Trainer{Report: func(p train.Progress) { fmt.Printf("%+v\n", p) }}
//	m, err := train.DefaultLocalRecipe().Train(ctx, trainer, data)
//	file, err := m.Marshal()
//
// LocalRecipe denoises each patch on its own. NonLocalRecipe adds passes on groups of similar patches to such a model.
// Both are for white Gaussian noise. CameraRecipe is for the noise of real pairs. PaperRecipe trains the model of the
// paper. The result does not depend on the number of workers.
//
// To resume training after an interruption, store the checkpoints that Trainer.Save receives and call Trainer.Resume
// with the last one and Data.Fingerprint.
//
// For other signals than images, run a Phase of your own: an Objective, such as Transforms with a Source of your own,
// and an Optimizer. Trainer.Run minimizes it.
//
// # Where the parts of the paper are
//
// The labels come from the source of the paper.
//
//	eq:analysis            internal/solve/panel.go          TestPanelSolverIsADMM, TestReferenceHasADualCertificate
//	section:ortho          paper/closedform/threshold.go    TestThresholdsAreTheExactSolution
//	sec:locan (scalar)     paper/closedform/threshold.go    TestThresholdsAreTheExactSolution
//	closed-form            paper/closedform/gradient.go     TestADMMSolutionIsTheClosedFormOfItsPattern
//	sign pattern           paper/closedform/pattern.go      TestSignPatternIsStable
//	optimality             internal/bilevel/solver.go       TestSolverSatisfiesKKT, TestEverySampleIsSolvedExactly
//	eq:grad1, eq:except    paper/closedform/gradient.go     TestFormulasAgreeWithTheExactSolver
//	                       internal/bilevel/gradient.go     TestGradientAgainstCentralDifferences
//	eq:upper-level         train/objective.go               TestTrainingLowersTheLoss
//	alg:1                  train/trainer.go                 TestTrainingIsBitIdenticalForAnyWorkers, TestTrainingResumesBitIdentical
//	patches P_j            patchify                         TestAverageOfExtractIsTheImage, TestEveryPixelIsCoveredForAllSizesAndStrides
//
// # Where the paper leaves a choice
//
// The paper writes the lower level with and without the factor 1/2. Its closed form needs the factor, so here it is
// always there. The gradient of the loss at x* is g = x* - x_t, Q is the mean over the minibatch, and the factor 2 of
// Algorithm 1 is part of the learning rate. Weights before the l1 norm are part of W. W_± holds plain rows of W, and s
// their signs.
//
// With more rows than columns W_0 is often rank deficient. The closed form with the pseudo-inverse is still right. The
// gradient is right if the rank of W_0 is constant around W; see bilevel.GradientSum for other cases.
//
// Algorithm 1 starts from W = I. At a peak of 1 and with the factor 1/2 this makes every patch zero, where the gradient
// is zero too. So recipes start from a scaled identity or DCT.
package train
