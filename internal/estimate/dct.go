package estimate

import "math"

// maxSide is the side of a patch, but for images that are smaller.
const maxSide = 8

// block holds a patch or its coefficients; smaller ones are padded with zeros, so
// that the loops have a fixed length.
type block [maxSide][maxSide]float64

// dct is the orthonormal two-dimensional DCT of square patches.
type dct struct {
	side      int
	basis     block // rows by frequency
	low, high []frequency
}

type frequency struct{ vertical, horizontal int }

func newDCT(side int) *dct {
	d := &dct{side: side}
	for k := range side {
		scale := math.Sqrt(2 / float64(side))
		if k == 0 {
			scale = math.Sqrt(1 / float64(side))
		}
		for i := range side {
			d.basis[k][i] = scale * math.Cos(math.Pi*(float64(i)+0.5)*float64(k)/float64(side))
		}
	}
	for v := range side {
		for u := range side {
			switch {
			case u+v >= side:
				d.high = append(d.high, frequency{v, u})
			case u+v > 0: // the mean is neither texture nor noise
				d.low = append(d.low, frequency{v, u})
			}
		}
	}
	return d
}

// forward transforms a patch.
func (d *dct) forward(patch *block) *block {
	var across, result block
	for y := range d.side {
		for u := range d.side {
			across[u][y] = dot(&d.basis[u], &patch[y])
		}
	}
	for u := range d.side {
		for v := range d.side {
			result[v][u] = dot(&d.basis[v], &across[u])
		}
	}
	return &result
}

func dot(a, b *[maxSide]float64) float64 {
	return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3] +
		a[4]*b[4] + a[5]*b[5] + a[6]*b[6] + a[7]*b[7]
}
