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

// gather copies row r of patch m of src, whose corner is corners[m], to dst[places[r]+m*Lanes].
func gather(dst []float32, places []int, src []float32, corners []int32, stride int) {
	for m, c := range corners {
		for r, at := range places {
			v := *(*patchRow)(src[int(c)+r*stride:])
			*(*patchRow)(dst[at+m*Lanes:]) = v
		}
	}
}

// sumPatches sets sum to the sum of the patches, added in order.
func sumPatches(sum, src []float32, corners []int32, stride int) {
	clear(sum)
	for _, c := range corners {
		for r := range PatchSide {
			s, v := (*patchRow)(sum[r*PatchSide:]), (*patchRow)(src[int(c)+r*stride:])
			for i := range s {
				s[i] += v[i]
			}
		}
	}
}

// addPatches computes, for row r of patch m at corners[m] of num and den, and at places[r]+m*Lanes of x:
//
//	den += w window
//	num += w window x
func addPatches(num, den, x []float32, places []int, window []float32, corners []int32, stride int, w float32) {
	var factors [PatchSide * PatchSide]float32
	for i, v := range window {
		factors[i] = w * v
	}
	for m, c := range corners {
		for r, place := range places {
			at := int(c) + r*stride
			n, d := (*patchRow)(num[at:]), (*patchRow)(den[at:])
			x, f := (*patchRow)(x[place+m*Lanes:]), (*patchRow)(factors[r*PatchSide:])
			for i := range n {
				n[i] += float32(f[i] * x[i])
				d[i] += f[i]
			}
		}
	}
}

// addTo adds row r of patch m, at places[r]+m*Lanes of x, to the image at corners[m].
func addTo(image, x []float32, places []int, corners []int32, stride int) {
	for m, c := range corners {
		for r, place := range places {
			sum, v := (*patchRow)(image[int(c)+r*stride:]), (*patchRow)(x[place+m*Lanes:])
			for i := range sum {
				sum[i] += v[i]
			}
		}
	}
}

type patchRow = [PatchSide]float32
