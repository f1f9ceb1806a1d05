// Package baseline holds the denoisers that learned transforms are compared with, each written from its publication. For
// images they are behind the interface Image; for one-dimensional signals and operators they are plain functions and types.
//
//	BM3D          block matching and collaborative filtering, both stages      Dabov et al. 2007
//	AnalysisKSVD  operator learned on the noisy image itself                   Rubinstein, Peleg, Elad 2013
//	TV            total variation of images                                    Chambolle 2004
//	DCT           thresholding in a sliding window                             Yu, Sapiro 2011
//	TV1D          total variation of signals, exact                            Davies, Kovac 2001
//	Orthogonal    orthogonal operator learned from clean signals               the paper's unsupervised method
//	Huber         smooth penalty in place of the l1 norm, and its gradient     Chen, Ranftl, Pock 2014
package baseline
