package denoise

import "slices"

// mixes reports whether the options want a share of the input in the result.
func (o Options) mixes(planes int) bool {
	return o.strength(0) < 1 || planes == 3 && o.strength(1) < 1 || o.Grain > 0
}

// mix mixes an image with its input, as the options say for luma and chroma, and gives grain back. It overwrites the
// input.
func (j job) mix(img image, input [][]float32) {
	by := j.pool()
	if len(img.planes) == 3 && (j.strength(0) != j.strength(1) || j.Grain > 0) {
		decorrelate(img.planes, by)
		decorrelate(input, by)
		defer correlate(img.planes, by)
	}
	for i, in := range input {
		blendPlane(img.planes[i], in, j.strength(i), by)
	}
	if j.Grain > 0 {
		giveGrainBack(img.planes[0], input[0], img.width, j.Grain)
	}
}

// blendPlane mixes a plane with its input.
func blendPlane(plane, input []float32, strength float32, by pool) {
	by.pieces(len(input), func(from, to int) {
		out := plane[from:to]
		for j, v := range input[from:to] {
			out[j] = v + strength*(out[j]-v)
		}
	})
}

// noisyLuma returns a copy of the noisy luma if grain will be given back.
func (o Options) noisyLuma(luma []float32) []float32 {
	if o.Grain == 0 {
		return nil
	}
	return slices.Clone(luma)
}

// giveGrainBack adds a share of the fine part of the removed noise to the luma: what a binomial filter over 5 x 5
// samples takes from noisy - luma. It overwrites noisy.
func giveGrainBack(luma, noisy []float32, width int, grain float64) {
	if noisy == nil {
		return
	}
	for i, v := range luma {
		noisy[i] -= v
	}
	height := len(luma) / width
	lines := make([]float32, 6*width) // five filtered rows of the removed noise, and their sum
	row := func(y int) []float32 { return lines[y%5*width:][:width] }
	filter := func(y int) {
		binomialRow(row(y), noisy[min(max(y-2, 0), height-1)*width:][:width])
	}
	for y := range 4 {
		filter(y)
	}
	mean := lines[5*width:]
	share := float32(grain)
	for y := range height {
		filter(y + 4)
		a, b, c, d, e := row(y), row(y+1), row(y+2), row(y+3), row(y+4)
		for x := range mean {
			mean[x] = (a[x] + e[x] + 4*(b[x]+d[x]) + 6*c[x]) / 16
		}
		out, removed := luma[y*width:][:width], noisy[y*width:][:width]
		for x, v := range removed {
			out[x] += share * (v - mean[x])
		}
	}
}

// binomialRow filters a row by (1, 4, 6, 4, 1) / 16. Samples at the ends are repeated.
func binomialRow(dst, src []float32) {
	last := len(src) - 1
	at := func(x int) float32 { return src[min(max(x, 0), last)] }
	for x := range dst {
		dst[x] = (at(x-2) + at(x+2) + 4*(at(x-1)+at(x+1)) + 6*at(x)) / 16
	}
}
