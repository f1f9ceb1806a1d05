// Package baseline holds published image denoisers that learned models are compared with. Each is written from its
// publication and behind the interface Denoiser:
//
//	bm3d   BM3D           block matching and collaborative filtering, both stages   Dabov et al. 2007
//	aksvd  AnalysisKSVD   operator learned on the noisy image itself                Rubinstein, Peleg, Elad 2013
//	tv     TV             total variation                                           Chambolle 2004
//	dct    DCT            thresholding in a sliding window                          Yu, Sapiro 2011
//
// The comment of each type cites its publication and says where the parameters come from. The zero value of each type
// is ready for use, and ByName finds one by the name in the first column.
//
// # Units
//
// A plane holds samples on a scale of 0 to 1, and sigma is the standard deviation of white Gaussian noise on the same
// scale: 25 gray levels of 0-255 are 25.0/255. Samples may lie outside the range, as noise that was not clipped does.
// Results are not clipped either.
//
// # Use
//
// Denoiser.Denoise restores one gray plane. Planes restores the gray or colour planes of an image in place. The result
// does not depend on the number of workers. Planes that are empty, too short or not finite, and parameters out of
// range, give an error of kind ErrArgument.
package baseline
