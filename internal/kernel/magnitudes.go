package kernel

// LogMagnitudes sets dst to log(|v| + NoisyOffset), with an absolute error of at most 4e-5. The lengths must be equal
// and multiples of Lanes. NaN stays.
func LogMagnitudes(dst, v []float32) {
	checkRowsOf(dst, v)
	if len(v) > 0 {
		selected.Load().logMagnitudes(dst, v)
	}
}
