// Package noisecurve measures how strong the noise of an image is at each brightness, from the image alone, and decides
// whether it is the noise of counted photons.
//
// # The curve
//
// The image is cut into overlapping blocks of 8 x 8 samples, and each is taken to the orthonormal discrete cosine
// transform (DCT). Blocks are divided by brightness. At each brightness the blocks with the least energy at coarse
// frequencies are the least textured ones, and their energy at fine frequencies is the noise. As the two sets of
// frequencies have nothing in common, choosing by one does not bias the other. The coarsest frequencies count for
// neither: a slope is not texture. M. Colom, A. Buades, "Analysis and extension of the percentile method, estimating a
// noise curve from a single image", Image Processing On Line 3, 2013, choose blocks in the same way; C. Liu, R.
// Szeliski, S. B. Kang, C. L. Zitnick, W. T. Freeman, "Automatic estimation and removal of noise from a single image",
// IEEE TPAMI 30(2), 2008, argue for the lower envelope over brightness.
//
// How many blocks are flat differs from image to image. So the limit of coarse energy is raised, from below, until it
// equals the noise that the blocks under it have: about half of the flat blocks are under it, and hardly a textured
// one. Where no block is flat, the few smoothest ones are taken, and their point of the curve counts as an upper bound.
//
// # The fit
//
// A sample is gain times a Poisson variable plus offset plus Gaussian read noise, so
//
//	variance = gain * (mean - offset) + read noise^2,
//
// a straight line over the mean (A. Foi, M. Trimeche, V. Katkovnik, K. Egiazarian, "Practical Poissonian-Gaussian noise
// modeling and fitting for single-image raw-data", IEEE TIP 17(10), 2008). Only its slope and its height can be told:
// offset and read noise enter the height together. The line is fitted robustly and compared with noise that is the same
// everywhere and clipped at the ends of the range. The transform that makes photon noise Gaussian, and its inverse (M.
// Makitalo, A. Foi, "Optimal inversion of the generalized Anscombe transformation for Poisson-Gaussian noise", IEEE TIP
// 22(1), 2013), depend on slope and height alone.
//
// # Places
//
// Where a picture is cut into parts, each part has noise of its own at a few brightnesses, measured in the same way.
// The logarithm of its standard deviation is taken for a function of the brightness plus one of the place. If the
// second differs a lot, the noise is stronger in some places. Texture that looks like white noise is rare, and parts
// that show other texture do not count.
//
// Nothing here depends on the scale of the samples: an image times any factor plus any constant gives the same answer,
// scaled.
package noisecurve
