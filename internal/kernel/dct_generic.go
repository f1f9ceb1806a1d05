package kernel

// cosine[k] is cos(k pi / 16) / 2: apart from their signs, all values of the transform of 8 samples.
const (
	cosine1, cosine2, cosine3 = 0.49039264020161522, 0.46193976625564337, 0.41573480615127262
	cosine4, cosine5, cosine6 = 0.35355339059327373, 0.27778511650980109, 0.19134171618254489
	cosine7                   = 0.09754516100806413
)

// dct transforms rows of patches and then columns.
func dct(dst, src []float32) { transform(dst, src, forward8) }

// inverseDCT is the inverse of dct.
func inverseDCT(dst, src []float32) { transform(dst, src, backward8) }

// transform calls f for 8 rows of a panel at a time: for those of the rows of patches, and then for those of the
// columns.
func transform(dst, src []float32, f func(dst, src []float32, step int)) {
	for r := range PatchSide {
		at := r * PatchSide * Lanes
		f(dst[at:], src[at:], Lanes)
	}
	for c := range PatchSide {
		at := c * Lanes
		f(dst[at:], dst[at:], PatchSide*Lanes)
	}
}

// forward8 transforms 8 rows that start step values apart. Cosines of even frequencies are symmetric, those of odd ones
// antisymmetric.
func forward8(dst, src []float32, step int) {
	var x, z [PatchSide]*row
	for i := range x {
		x[i], z[i] = (*row)(src[i*step:]), (*row)(dst[i*step:])
	}
	for l := range Lanes {
		s0, s1, s2, s3 := x[0][l]+x[7][l], x[1][l]+x[6][l], x[2][l]+x[5][l], x[3][l]+x[4][l]
		d0, d1, d2, d3 := x[0][l]-x[7][l], x[1][l]-x[6][l], x[2][l]-x[5][l], x[3][l]-x[4][l]
		e0, e1, o0, o1 := s0+s3, s1+s2, s0-s3, s1-s2
		z[0][l], z[4][l] = cosine4*(e0+e1), cosine4*(e0-e1)
		z[2][l], z[6][l] = cosine2*o0+cosine6*o1, cosine6*o0-cosine2*o1
		z[1][l] = cosine1*d0 + cosine3*d1 + cosine5*d2 + cosine7*d3
		z[3][l] = cosine3*d0 - cosine7*d1 - cosine1*d2 - cosine5*d3
		z[5][l] = cosine5*d0 - cosine1*d1 + cosine7*d2 + cosine3*d3
		z[7][l] = cosine7*d0 - cosine5*d1 + cosine3*d2 - cosine1*d3
	}
}

// backward8 is the inverse of forward8, which is its transpose.
func backward8(dst, src []float32, step int) {
	var x, z [PatchSide]*row
	for i := range x {
		x[i], z[i] = (*row)(dst[i*step:]), (*row)(src[i*step:])
	}
	for l := range Lanes {
		z0, z1, z2, z3, z4, z5, z6, z7 := z[0][l], z[1][l], z[2][l], z[3][l], z[4][l], z[5][l], z[6][l], z[7][l]
		e0, e1, o0, o1 := cosine4*(z0+z4), cosine4*(z0-z4), cosine2*z2+cosine6*z6, cosine6*z2-cosine2*z6
		s0, s1, s2, s3 := e0+o0, e1+o1, e1-o1, e0-o0
		d0 := cosine1*z1 + cosine3*z3 + cosine5*z5 + cosine7*z7
		d1 := cosine3*z1 - cosine7*z3 - cosine1*z5 - cosine5*z7
		d2 := cosine5*z1 - cosine1*z3 + cosine7*z5 + cosine3*z7
		d3 := cosine7*z1 - cosine5*z3 + cosine3*z5 - cosine1*z7
		x[0][l], x[7][l] = s0+d0, s0-d0
		x[1][l], x[6][l] = s1+d1, s1-d1
		x[2][l], x[5][l] = s2+d2, s2-d2
		x[3][l], x[4][l] = s3+d3, s3-d3
	}
}

// extractPatches copies n patches, PatchStep apart, to the lanes of a panel.
func extractPatches(dst, src []float32, n, stride int) {
	for r := range PatchSide {
		for m := range n {
			v := (*patchRow)(src[r*stride+m*PatchStep:])
			at := r*PatchSide*Lanes + m
			for _, x := range v {
				dst[at] = x
				at += Lanes
			}
		}
	}
}
