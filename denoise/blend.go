package denoise

import "slices"

// blend mixes an image of one or three colour planes with its input, as the options say for luma and chroma.
func blend(planes, input [][]float32, o Options, by crew) {
	if o.strength(0) != o.strength(1) && len(planes) == 3 {
		decorrelate(planes, by)
		decorrelate(input, by)
		defer correlate(planes, by)
	}
	for i, in := range input {
		blendPlane(planes[i], in, o.strength(i), by)
	}
}

// blendPlane mixes a plane with its input.
func blendPlane(plane, input []float32, strength float32, by crew) {
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
func giveGrainBack(luma, noisy []float32, width int, o Options) {
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
	share := float32(o.Grain)
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
