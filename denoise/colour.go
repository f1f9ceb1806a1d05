package denoise

import "math"

// Before the colour planes are denoised one by one, an orthonormal matrix turns red, green and blue into luma (their
// sum) and two differences (chroma). White noise of one sigma in red, green and blue stays white noise of that sigma,
// while most of the structure of the image moves into the luma.
var (
	r3 = float32(1 / math.Sqrt(3))
	r2 = float32(1 / math.Sqrt(2))
	r6 = float32(1 / math.Sqrt(6))
)

// decorrelate replaces red, green and blue by luma, red minus blue, and red minus twice green plus blue.
func decorrelate(planes [][]float32, by pool) {
	rotate(planes, by, toLuma)
}

func toLuma(r, g, b float32) (luma, c, d float32) {
	return r3 * (r + g + b), r2 * (r - b), r6 * (r - 2*g + b)
}

// correlate is the inverse of decorrelate.
func correlate(planes [][]float32, by pool) {
	rotate(planes, by, toColours)
}

func toColours(l, c, d float32) (r, g, b float32) {
	return r3*l + r2*c + r6*d, r3*l - 2*r6*d, r3*l - r2*c + r6*d
}

// rotate maps each pixel of three planes.
func rotate(planes [][]float32, by pool, f func(a, b, c float32) (float32, float32, float32)) {
	by.pieces(len(planes[0]), func(from, to int) {
		p, q, r := planes[0][from:to], planes[1][from:to], planes[2][from:to]
		for i := range p {
			p[i], q[i], r[i] = f(p[i], q[i], r[i])
		}
	})
}

// contrast is how strong the structure of each decorrelated plane is, compared with the gray images for which models
// are made. A plane of contrast c with noise of sigma is like a gray image with noise of sigma/c.
var contrast = [3]float64{math.Sqrt(3), 0.5, 0.5}
