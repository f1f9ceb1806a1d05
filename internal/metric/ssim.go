package metric

import "math"

const (
	windowSize  = 11
	windowSigma = 1.5
	k1, k2      = 0.01, 0.03
)

// SSIM returns the mean structural similarity index, -1 to 1, of two planes of width x height samples in rows: Z. Wang,
// A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, "Image quality assessment: from error visibility to structural
// similarity", IEEE Transactions on Image Processing 13(4), 2004. It has that paper's 11 x 11 Gaussian window of sigma
// 1.5 pixels, K1 = 0.01 and K2 = 0.03. The mean is over all positions at which the window lies within the image. The
// image is not reduced first. If it has fewer than 11 samples in one direction, the window is as long as the image
// there. SSIM panics if a plane is empty or does not have width x height samples.
func SSIM(clean, restored []float32, width, height int) float64 {
	mustMatch(len(clean), len(restored))
	mustMatch(len(clean), width*height)
	across, down := window(width), window(height)
	var columns [momentCount][]float64
	for m := range columns {
		columns[m] = make([]float64, width)
	}
	sum, count := 0.0, 0
	for y := 0; y+len(down) <= height; y++ {
		first, last := y*width, (y+len(down))*width
		filterDown(&columns, clean[first:last], restored[first:last], down)
		for x := 0; x+len(across) <= width; x++ {
			sum += filterAcross(&columns, x, across).index()
			count++
		}
	}
	return sum / float64(count)
}

// SSIMPlanes returns the mean of the SSIM of each pair of planes. It panics if there are no planes or their numbers
// differ.
func SSIMPlanes(clean, restored [][]float32, width, height int) float64 {
	mustMatch(len(clean), len(restored))
	sum := 0.0
	for i, plane := range clean {
		sum += SSIM(plane, restored[i], width, height)
	}
	return sum / float64(len(clean))
}

// window returns the weights of the window along one direction, in which the image has size samples. They sum to 1. The
// two-dimensional window is the product of two of these.
func window(size int) []float64 {
	weights := make([]float64, min(windowSize, size))
	sum := 0.0
	for i := range weights {
		distance := float64(i) - float64(len(weights)-1)/2
		weights[i] = math.Exp(-distance * distance / (2 * windowSigma * windowSigma))
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// Weighted means from which the index is computed; x is the clean plane, y the restored one.
const (
	meanX = iota
	meanY
	meanXX
	meanYY
	meanXY
	momentCount
)

// moments holds these means at one position.
type moments [momentCount]float64

// filterDown sets columns to the weighted means down each column of a band. clean and restored hold the rows of the
// band, which is as high as the window.
func filterDown(columns *[momentCount][]float64, clean, restored []float32, weights []float64) {
	width := len(columns[0])
	for _, column := range columns {
		clear(column)
	}
	for i := range clean {
		at, weight := i%width, weights[i/width]
		x, y := float64(clean[i]), clip(restored[i])
		columns[meanX][at] += weight * x
		columns[meanY][at] += weight * y
		columns[meanXX][at] += weight * x * x
		columns[meanYY][at] += weight * y * y
		columns[meanXY][at] += weight * x * y
	}
}

// filterAcross returns the weighted means of the columns from x on.
func filterAcross(columns *[momentCount][]float64, x int, weights []float64) (result moments) {
	for m, column := range columns {
		for i, weight := range weights {
			result[m] += weight * column[x+i]
		}
	}
	return result
}

// index returns the SSIM at one position.
func (m moments) index() float64 {
	const c1, c2 = k1 * k1, k2 * k2
	varianceX := m[meanXX] - m[meanX]*m[meanX]
	varianceY := m[meanYY] - m[meanY]*m[meanY]
	covariance := m[meanXY] - m[meanX]*m[meanY]
	luminance := (2*m[meanX]*m[meanY] + c1) / (m[meanX]*m[meanX] + m[meanY]*m[meanY] + c1)
	structure := (2*covariance + c2) / (varianceX + varianceY + c2)
	return luminance * structure
}
