// Package paper runs every experiment of A. Ghosh, M. T. McCann, M. Mitchell, S. Ravishankar, "Learning sparsity-promoting
// regularizers using bilevel optimization", SIAM Journal on Imaging Sciences 17(1), 2024, and sets its figures beside the
// paper's. Command blorc-paper writes the result as a page; that of a run at reduced size, which each section states, is kept
// in results/report.html. blorc-paper --page makes it again, section by section: an interrupted run goes on where it was.
//
//	conventions.go   closed-form, eq:closed_form, blockmat: where the paper contradicts itself, in numbers
//	gradients.go     corollary, eq:grad1, eq:except, table:compare; growth.go, comp_table
//	patterns.go      sec:locan, fig:signs, section:ortho, sign-pattern stability, section:Stiefel, fig:1dcase
//	learn.go         eq:upper-level, alg:1 with its parameters; signal.go, the signals
//	signals.go       fig:lertran; long.go, trainings of it as long as the paper's
//	unsupervised.go  fig:unsup
//	hubers.go        eq:bibeta, fig:hubercomps
//	levels.go        section:noise-levels, fig:noiselevels, fig:loss
//	stripes.go       fig:imagestrips
//	urban.go         fig:urban100, Tab:image_Table, Tab:Comparedenoise; urbantrain.go, the transforms; urbanverdict.go, the answer
//	open.go          what the paper leaves open: whether learning can beat total variation, and what decides it; opencase.go, ways to train
//	set12.go         BM3D against its published results
//
// The systems that are compared are in baseline and paper/gradient, the page in paper/report.
package paper
