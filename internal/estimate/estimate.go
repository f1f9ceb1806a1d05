// Package estimate measures the noise level of an image from the image alone. Sigma is for white Gaussian noise.
//
// # Method
//
// The image is cut into overlapping 8 x 8 patches, and each is transformed by the orthonormal discrete cosine transform
// (DCT). White Gaussian noise has the same variance in every coefficient, and the coefficients are independent, so they
// can be divided between two jobs:
//
//   - The lower half of the frequencies selects patches: those with the least energy there have the weakest texture.
//   - The upper half measures: its variance over the selected patches is the variance of the noise. The selection did
//     not use these frequencies, so it does not bias the result.
//
// Texture and structure that remain in the selected patches can only add energy, and usually to a few frequencies:
// those of a stripe, of the lines of a scanner, or of the blocks of a compressor. So Sigma takes a low quantile of the
// variances of the upper frequencies and divides it by the expected quantile of as many chi-squared variables.
//
// Combining the components by a robust statistic follows G. Chen, F. Zhu, P. A. Heng, "An efficient statistical method
// for image noise level estimation", ICCV 2015, who take the median of the eigenvalues of the patch covariance.
package estimate
