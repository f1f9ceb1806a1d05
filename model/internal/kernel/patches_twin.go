package kernel

// countFree computes
//
//	counts = number of rows with |q| >= d and |r - rho p| >= e
func countFree(counts, q, r, d, e, p []float32, rows int, rho float32) {
	c := rowAt(counts, 0)
	*c = row{}
	for i := range rows {
		qi, ri, di, ei, pi := rowAt(q, i), rowAt(r, i), rowAt(d, i), rowAt(e, i), rowAt(p, i)
		for l := range c {
			if abs(qi[l]) >= di[l] && abs(ri[l]-float32(rho*pi[l])) >= ei[l] {
				c[l]++
			}
		}
	}
}

// transpose sets dst[j*dstStride+i] = src[i*srcStride+j] for i, j < 16.
func transpose(dst, src []float32, dstStride, srcStride int) {
	for i := range BlockSide {
		at := i
		for _, v := range src[i*srcStride:][:BlockSide] {
			dst[at] = v
			at += dstStride
		}
	}
}

// addPatch computes, for rows of num and den that start stride apart:
//
//	den += w window
//	num += w window x, for side x side values
func addPatch(num, den, x, window []float32, stride, side int, w float32) {
	for i := range side {
		n, d := num[i*stride:][:side], den[i*stride:][:side]
		x, window := x[i*side:][:side], window[i*side:][:side]
		for j := range n {
			f := float32(w * window[j])
			n[j] += float32(f * x[j])
			d[j] += f
		}
	}
}
