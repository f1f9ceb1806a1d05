// Package mask finds samples that carry no picture, and fills them in.
//
// Height models and depth cameras store one value, such as -9999 or 0, where they have measured nothing. Sensors have
// hot and dead pixels. Programs put bars, frames and masks of one value around pictures. Such samples have no noise,
// and are no neighbours to learn from: one of 1e20 in a mean leaves nothing of the others.
//
// Find marks samples of two kinds in a plane: values that lie apart from all others and occur again and again, and
// samples far outside of the range and of their own neighbourhood. Flat marks areas of one value. Fill replaces samples
// by the picture next to them, noise and all, so that neither an estimator of noise nor a denoiser sees that there was
// anything else.
//
// Nothing here depends on the unit of the samples, and nothing is random. All functions take a time that is linear in
// the number of samples, and little of it where there is nothing to find, as in most photographs.
package mask
