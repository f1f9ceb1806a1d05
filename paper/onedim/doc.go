// Package onedim holds methods for one-dimensional signals that the experiments of the paper compare with its own. Each
// is written from its publication:
//
//	TotalVariation   exact solution by the taut string                         Davies, Kovac 2001
//	Orthogonal       orthogonal operator learned from clean signals only       the paper's unsupervised method
//	Smooth, Huber    smooth penalty in place of the l1 norm, and its gradient  Chen, Ranftl, Pock 2014
//
// All samples of a problem have one unit, which the caller chooses.
package onedim
