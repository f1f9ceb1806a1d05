package imageio

// The inverse DCT computes 8 x 8 samples with the factorisation of C. Loeffler, A. Ligtenberg and G. Moschytz, "Practical
// fast 1-D DCT algorithms with 11 multiplications" (ICASSP 1989). Its constants have 13 bits of fraction. The result of
// the first pass has 2 more bits than a sample. With this precision and rounding the samples are the same as those of
// libjpeg's "islow" method, which most programs use.
const (
	idctBits = 13
	idctPass = 2 // additional bits between the passes

	// Constants of the rotations: round(c * 1 << idctBits).
	idct0298 = 2446
	idct0390 = 3196
	idct0541 = 4433
	idct0765 = 6270
	idct0899 = 7373
	idct1175 = 9633
	idct1501 = 12299
	idct1847 = 15137
	idct1961 = 16069
	idct2053 = 16819
	idct2562 = 20995
	idct3072 = 25172
)

// inverseDCT computes the samples of a block and stores them in dst, in rows of stride samples. Each coefficient is
// multiplied by its step, which is also in row-major order.
func inverseDCT(dst []byte, stride int, b *jpegBlock, steps *[64]int32) {
	var w [64]int32
	for x := range 8 {
		c := func(v int) int32 { return int32(b[8*v+x]) * steps[8*v+x] }
		if b[8+x]|b[16+x]|b[24+x]|b[32+x]|b[40+x]|b[48+x]|b[56+x] == 0 {
			dc := c(0) << idctPass
			for y := range 8 {
				w[8*y+x] = dc
			}
			continue
		}
		s, d := idct8(c(0), c(1), c(2), c(3), c(4), c(5), c(6), c(7))
		const shift, half = idctBits - idctPass, 1 << (idctBits - idctPass - 1)
		for y := range 4 {
			w[8*y+x] = (s[y] + d[y] + half) >> shift
			w[8*(7-y)+x] = (s[y] - d[y] + half) >> shift
		}
	}
	for y := range 8 {
		r, out := (*[8]int32)(w[8*y:]), dst[y*stride:][:8]
		s, d := idct8(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7])
		const shift, half = idctBits + idctPass + 3, 1 << (idctBits + idctPass + 2)
		for x := range 4 {
			out[x] = clamp8((s[x]+d[x]+half)>>shift + 128)
			out[7-x] = clamp8((s[x]-d[x]+half)>>shift + 128)
		}
	}
}

// idct8 computes the one-dimensional inverse DCT of 8 coefficients, scaled by 1 << idctBits times the square root of 8.
// Sample i is even[i]+odd[i], and sample 7-i is even[i]-odd[i].
func idct8(c0, c1, c2, c3, c4, c5, c6, c7 int32) (even, odd [4]int32) {
	z := (c2 + c6) * idct0541
	t2, t3 := z-c6*idct1847, z+c2*idct0765
	t0, t1 := (c0+c4)<<idctBits, (c0-c4)<<idctBits
	even = [4]int32{t0 + t3, t1 + t2, t1 - t2, t0 - t3}

	z1, z2, z3, z4 := (c7+c1)*-idct0899, (c5+c3)*-idct2562, (c7+c3)*-idct1961, (c5+c1)*-idct0390
	z5 := (c7 + c3 + c5 + c1) * idct1175
	z3, z4 = z3+z5, z4+z5
	odd = [4]int32{c1*idct1501 + z1 + z4, c3*idct3072 + z2 + z3, c5*idct2053 + z2 + z4, c7*idct0298 + z1 + z3}
	return even, odd
}

func clamp8(v int32) byte { return byte(min(max(v, 0), 255)) }
