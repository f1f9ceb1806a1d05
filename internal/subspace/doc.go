// Package subspace measures noise whose variance grows with the brightness, from the directions in which patches of a
// picture do not vary.
//
// Patches of a picture, as points of a space, fill only some of its directions; noise fills all alike. So the least
// eigenvalues of their covariance are the variance of the noise (S. Pyatykh, J. Hesser, L. Zheng, "Image noise level
// estimation by principal component analysis", IEEE TIP 22(2), 2013). Here that is done at each brightness, and again
// for the patches that vary least in the other directions. Halves of the picture find the directions for each other,
// so that chance does not make the least eigenvalues smaller. Where the variance still falls as fewer patches are
// chosen, it is of texture.
package subspace
