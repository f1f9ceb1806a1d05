package kernel

import eight "github.com/blorc-denoise/blorc-denoise/internal/dct" // dct is the transform of panels here

// transformLines transforms one line after the other.
func transformLines(dst, src []float64, n int) {
	var in, out [PatchSide]float64
	for l := range n {
		for i := range in {
			in[i] = src[i*n+l]
		}
		eight.Transform8(&in, &out)
		for i, c := range out {
			dst[i*n+l] = c
		}
	}
}

// blockEnergies has a sum for each range of frequencies.
func blockEnergies(sums, columns []float64, places *[PatchSide]int, n, stride int) {
	for b := range n {
		coarse, fine, finest := 0.0, 0.0, 0.0 // as variables, they stay in registers
		for v := range PatchSide {
			c := acrossBlock(columns[v*stride+b:], places)
			if v == 0 {
				sums[b] = c[0]
			}
			for _, a := range c[max(0, 3-v) : PatchSide-v] {
				coarse += float64(a * a)
			}
			from := min(PatchSide, 11-v)
			for _, a := range c[PatchSide-v : from] {
				fine += float64(a * a)
			}
			for _, a := range c[from:] {
				finest += float64(a * a)
			}
		}
		sums[n+b], sums[2*n+b], sums[3*n+b] = coarse, fine, finest
	}
}

// patchEnergies is blockEnergies with other ranges.
func patchEnergies(sums, columns []float64, places *[PatchSide]int, n, stride int) {
	for b := range n {
		texture, fine := 0.0, 0.0
		for v := range PatchSide {
			c := acrossBlock(columns[v*stride+b:], places)
			if v == 0 {
				sums[b], c[0] = c[0], 0
			}
			for _, a := range c[:PatchSide-v] {
				texture += float64(a * a)
			}
			for _, a := range c[PatchSide-v:] {
				fine += float64(a * a)
			}
		}
		sums[n+b], sums[2*n+b] = texture, fine
	}
}

// acrossBlock transforms a row of coefficients of columns.
func acrossBlock(row []float64, places *[PatchSide]int) (c [PatchSide]float64) {
	var in [PatchSide]float64
	for i, p := range places {
		in[i] = row[p]
	}
	eight.Transform8(&in, &c)
	return c
}
