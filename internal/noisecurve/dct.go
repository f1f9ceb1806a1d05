package noisecurve

// side is the side of a block, in samples.
const side = 8

// line holds a row or a column of a block, or of its coefficients.
type line = [side]float64
