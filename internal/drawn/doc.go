// Package drawn tells what no camera and no detector has made: text and windows on a screen, drawings, maps of labels,
// dithers of few colours. Such things have no noise, and their samples are to stay as they are.
//
// Two measurements tell them apart from pictures.
//
// In a tile of a thing that is no picture, more pairs of near samples are exactly equal than differ weakly, and of
// those that differ, most differ strongly. Noise of a picture makes weak differences, and hardly any two samples equal,
// unless the picture has few levels.
//
// Noise of few levels, such as that of few photons, is told by squares of 2 x 2 samples. A square with two different
// samples a and b in its upper row may have the same row below it, or the same samples in the other order:
//
//	a b    a b
//	a b    b a
//
// Both are equally likely if samples are independent, whatever their distribution. Where things have edges, the first
// is far more common. Where levels are mixed by a dither, the second is.
package drawn
