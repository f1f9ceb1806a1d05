// Package level tells how strong the noise of a picture is when the noise is not white.
//
// Cameras, scanners and compressors take away the fine part of noise and leave the broad part. An estimator of white
// noise looks at the finest detail, finds next to nothing there, and reads several times too low. A picture with fine
// texture looks much the same to it. What tells noise from texture is that noise is everywhere: it is there in the
// smoothest parts of a picture too, and at all sizes.
//
// Features measures that. It cuts windows out of the picture at full, half and quarter size, transforms their 8 x 8
// blocks with the discrete cosine transform (DCT), and takes low quantiles over the blocks of the energy in five bands
// of frequencies, for luma and chroma. Measuring noise on several scales is the way of M. Lebrun, M. Colom, J.-M.
// Morel, "The Noise Clinic: a blind image denoising algorithm", Image Processing On Line 5, 2015; low quantiles are
// that of M. Colom, A. Buades, "Analysis and extension of the percentile method, estimating a noise curve from a single
// image", Image Processing On Line 3, 2013.
//
// Three more things help to tell noise from texture. Noise is as strong where there is much coarse detail as where
// there is little. Its blocks have no direction, no few coefficients that stand out, and no colour that goes with the
// brightness. And a JPEG file says how coarsely it keeps each frequency: where its steps are large, no noise is left to
// be seen, which does not mean that there was none. That quantisation steps tell about noise is an old idea of JPEG
// restoration, as in A. Zakhor, "Iterative procedures for reduction of blocking effects in transform image coding",
// IEEE Transactions on Circuits and Systems for Video Technology 2(1), 1992.
//
// A small network then predicts one number: the level that a denoiser for white noise has to be told to give the best
// result. For broad noise that is two to three times its standard deviation. The network was trained on what the
// denoiser of this program does to pictures with simulated and real noise (see tools/level). Simulating what a
// camera does follows T. Brooks et al., "Unprocessing images for learned raw denoising", CVPR 2019, and S. Guo et al.,
// "Toward convolutional blind denoising of real photographs", CVPR 2019.
package level
