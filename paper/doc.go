// Package paper runs every experiment of A. Ghosh, M. T. McCann, M. Mitchell, S. Ravishankar, "Learning
// sparsity-promoting regularizers using bilevel optimization", SIAM Journal on Imaging Sciences 17(1), 2024, and
// compares the results with the paper's. Command blorc-paper writes them as one HTML page. The page of a run of reduced
// size is kept in results/report.html; each section states its size. blorc-paper --page makes that page again. It works
// section by section, and an interrupted run continues where it stopped.
//
// Each file holds the experiments behind these labels of the paper's source:
//
//	conventions.go    closed-form, eq:closed_form, blockmat: contradictions in the paper, shown in numbers
//	gradients.go      corollary, eq:grad1, eq:except, table:compare
//	growth.go         comp_table
//	patterns.go       sec:locan, fig:signs, section:ortho, stability of sign patterns, section:Stiefel, fig:1dcase
//	learn.go          eq:upper-level, alg:1 with its parameters
//	signal.go         the one-dimensional signals
//	signals.go        fig:lertran
//	tuned.go          analytic transforms with tuned strengths
//	match.go          rows of a learned transform matched with those of a reference
//	long.go           fig:lertran, with a training as long as the paper's
//	unsupervised.go   fig:unsup
//	hubers.go         eq:bibeta, fig:hubercomps
//	levels.go         section:noise-levels, fig:noiselevels, fig:loss
//	stripes.go        fig:imagestrips
//	urban.go          fig:urban100, Tab:image_Table, Tab:Comparedenoise
//	urbantrain.go     the transforms for urban.go
//	urbanverdict.go   the conclusions of urban.go
//	open.go           questions that the paper leaves open: whether learning can beat total variation, and what decides it
//	opencase.go       the ways of training for open.go
//	set12.go          BM3D against its published results
//
// The methods that are compared with the paper's are in the packages baseline, gradient, onedim and closedform. Package
// report makes the page.
//
// Signals and images have samples on a scale of 0 to 1 unless a comment says otherwise. For images, the report gives
// sigma in gray levels of 0-255, as the paper does.
package paper
