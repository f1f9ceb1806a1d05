package imageio

// The inverse DCT computes 8 x 8 samples with the factorisation of C. Loeffler, A. Ligtenberg and G. Moschytz,
// "Practical fast 1-D DCT algorithms with 11 multiplications" (ICASSP 1989). Its constants have 13 bits of fraction.
// The result of the first pass has 2 more bits than a sample. With this precision and rounding the samples are the same
// as those of libjpeg's "islow" method, which most programs use.
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
	bent := false // in a column
	for x := range 8 {
		const last = 7*8 + 1
		in, step, out := (*[last]int16)(b[x:]), (*[last]int32)(steps[x:]), (*[last]int32)(w[x:])
		c0 := int32(in[0]) * step[0]
		if in[8]|in[16]|in[24]|in[32]|in[40]|in[48]|in[56] == 0 {
			dc := c0 << idctPass
			out[0], out[8], out[16], out[24], out[32], out[40], out[48], out[56] = dc, dc, dc, dc, dc, dc, dc, dc
			continue
		}
		bent = true
		c1, c2, c3, c4 := int32(in[8])*step[8], int32(in[16])*step[16], int32(in[24])*step[24], int32(in[32])*step[32]
		c5, c6, c7 := int32(in[40])*step[40], int32(in[48])*step[48], int32(in[56])*step[56]

		const shift, half = idctBits - idctPass, 1 << (idctBits - idctPass - 1)
		s0, s1, s2, s3 := idctEven(c0, c2, c4, c6, half)
		d0, d1, d2, d3 := idctOdd(c1, c3, c5, c7)
		out[0], out[8], out[16], out[24] = (s0+d0)>>shift, (s1+d1)>>shift, (s2+d2)>>shift, (s3+d3)>>shift
		out[56], out[48], out[40], out[32] = (s0-d0)>>shift, (s1-d1)>>shift, (s2-d2)>>shift, (s3-d3)>>shift
	}
	for y := range 8 {
		out := (*[8]byte)(dst[y*stride:])
		if y > 0 && !bent { // all rows are equal, as in many blocks of chroma
			*out = *(*[8]byte)(dst)
			continue
		}
		in := (*[8]int32)(w[8*y:])
		const shift, half = idctBits + idctPass + 3, 1 << (idctBits + idctPass + 2)
		s0, s1, s2, s3 := idctEven(in[0], in[2], in[4], in[6], half)
		d0, d1, d2, d3 := idctOdd(in[1], in[3], in[5], in[7])
		out[0], out[1], out[2], out[3] = clamp8((s0+d0)>>shift+128), clamp8((s1+d1)>>shift+128),
			clamp8((s2+d2)>>shift+128), clamp8((s3+d3)>>shift+128)
		out[7], out[6], out[5], out[4] = clamp8((s0-d0)>>shift+128), clamp8((s1-d1)>>shift+128),
			clamp8((s2-d2)>>shift+128), clamp8((s3-d3)>>shift+128)
	}
}

// idctEven and idctOdd compute the one-dimensional inverse DCT of 8 coefficients, scaled by 1 << idctBits times the
// square root of 8. Sample i is even[i]+odd[i], and sample 7-i is even[i]-odd[i]. half is added to all even parts, for
// rounding.
func idctEven(c0, c2, c4, c6, half int32) (e0, e1, e2, e3 int32) {
	z := (c2 + c6) * idct0541
	t2, t3 := z-c6*idct1847, z+c2*idct0765
	t0, t1 := (c0+c4)<<idctBits+half, (c0-c4)<<idctBits+half
	return t0 + t3, t1 + t2, t1 - t2, t0 - t3
}

func idctOdd(c1, c3, c5, c7 int32) (o0, o1, o2, o3 int32) {
	z1, z2, z3, z4 := (c7+c1)*-idct0899, (c5+c3)*-idct2562, c7+c3, c5+c1
	z5 := (z3 + z4) * idct1175
	z3, z4 = z5-z3*idct1961, z5-z4*idct0390
	return c1*idct1501 + z1 + z4, c3*idct3072 + z2 + z3, c5*idct2053 + z2 + z4, c7*idct0298 + z1 + z3
}

// clamp8 has a branch that is rarely taken, which is faster than a minimum and a maximum.
func clamp8(v int32) byte {
	if uint32(v) > 255 {
		v = ^v >> 31
	}
	return byte(v)
}
