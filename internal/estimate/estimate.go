// Package estimate finds the noise level of an image from the image alone.
//
// The image is cut into overlapping 8 x 8 patches, and each is taken to the
// orthonormal discrete cosine transform (DCT). White Gaussian noise has the
// same variance in every coefficient and no two of them are related, so the
// coefficients can be divided between two jobs:
//
//   - the lower half of the frequencies selects: the patches with the least
//     energy there are those with the weakest texture;
//   - the upper half measures: its variance over the selected patches is that of
//     the noise. The selection did not look at it, so it does not bias it.
//
// What is left of texture and of structure in the selected patches only ever adds
// energy, and usually to some frequencies (those of a stripe, of a scanner's
// lines, of a compressor's blocks). So the answer is a low quantile of the
// variances of the upper frequencies, corrected for where that quantile of as many
// chi-squared variables is expected.
//
// The robust step across components has its model in G. Chen, F. Zhu, P. A. Heng,
// "An efficient statistical method for image noise level estimation", ICCV 2015,
// which takes the median of the eigenvalues of the patch covariance.
//
// That is Sigma, for white noise. MeasureBroad is for noise whose high frequencies
// have been taken away by a camera or a compressor.
package estimate
