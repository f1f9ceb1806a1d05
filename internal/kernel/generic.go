package kernel

// generic is plain Go. It specifies the other backends, and it runs where there is no assembly.
var generic = backend{
	name: "go", tile: 1,
	solverLoops: solverLoops{
		mul: mul, primalStep: primalStep, dual: dual, dualStep: dualStep, startSingle: startSingle,
		dualStepSingle: dualStepSingle, dualStepPair: dualStepPair, startPair: startPair, weights: weights,
		countFree: countFree, solve: solve,
	},
	networkLoops: networkLoops{
		affine: affine, rectified: rectified, logs: logs, logsOfDifference: logsOfDifference,
		logMagnitudes: logMagnitudes, tileInputs: tileInputs, tileOutputs: tileOutputs,
		largeInputs: largeInputs, largeOutputs: largeOutputs, addLargeOutputs: addLargeOutputs, fetch: fetch,
		integers: intLayout{tile: 1, group: 1},
		quantize: quantize, mulIntegers: mulIntegers,
	},
	patchLoops: patchLoops{
		transpose: transpose, gram: gram, rightMultiply: rightMultiply, jacobi: jacobi, gather: gather,
		sumPatches: sumPatches, addTo: addTo, addPatches: addPatches, extractPatches: extractPatches, dct: dct,
		inverseDCT: inverseDCT, transformLines: transformLines, blockEnergies: blockEnergies,
		patchEnergies: patchEnergies,
	},
}

type row = [Lanes]float32

func rowAt(panel []float32, i int) *row { return (*row)(panel[i*Lanes:]) }

// mul computes, for a of rows x cols packed in tiles of 1 row:
//
//	c = a b
func mul(c, a, b []float32, rows, cols int) {
	for i := range rows {
		ci := rowAt(c, i)
		*ci = row{}
		accumulate(ci, a[i*cols:(i+1)*cols], b)
	}
}

// affine computes, for a of rows x cols packed in tiles of 1 row:
//
//	c = a b + bias, with one bias for each row
func affine(c, a, b, bias []float32, rows, cols int) {
	mul(c, a, b, rows, cols)
	for i := range rows {
		ci, v := rowAt(c, i), bias[i]
		for j := range ci {
			ci[j] += v
		}
	}
}

// rectified computes, for a of rows x cols packed in tiles of 1 row:
//
//	c = max(a b + bias, 0), with one bias for each row
func rectified(c, a, b, bias []float32, rows, cols int) {
	affine(c, a, b, bias, rows, cols)
	for i := range rows {
		ci := rowAt(c, i)
		for j, v := range ci {
			ci[j] = max(v, 0)
		}
	}
}

// primalStep computes, for a of rows x cols packed in tiles of 1 row:
//
//	x = scale (y + a b), with one scale for each row
func primalStep(x, a, b, y, scale []float32, rows, cols int) {
	for i := range rows {
		xi := rowAt(x, i)
		*xi = *rowAt(y, i)
		accumulate(xi, a[i*cols:(i+1)*cols], b)
		s := scale[i]
		for j := range xi {
			xi[j] *= s
		}
	}
}

// dual computes, for a of rows x cols packed in tiles of 1 row:
//
//	u = clip(a b + q, -bound, bound), with one bound for each row
func dual(u, a, b, q, bounds []float32, rows, cols int) {
	for i := range rows {
		ui := sums(u, a, b, q, i, cols)
		for j, s := range ui {
			ui[j] = clip(s, bounds[i])
		}
	}
}

// dualStep computes, for a of rows x cols packed in tiles of 1 row:
//
//	s = a b + q
//	e = clip(s, -bound, bound) - s, with one bound for each row
//	q = s + c1 e
//	v = -q - c2 e
func dualStep(v, a, b, q, bounds []float32, rows, cols int, c1, c2 float32) {
	for i := range rows {
		vi, qi, hi := sums(v, a, b, q, i, cols), rowAt(q, i), bounds[i]
		for j, s := range vi {
			e := clip(s, hi) - s
			s += c1 * e
			qi[j] = s
			vi[j] = -s - c2*e
		}
	}
}

// startSingle computes, for a of rows x cols packed in tiles of 1 row:
//
//	y = a b
//	s = rho y
//	e = clip(s, -bound, bound) - s, with one bound for each row
//	q = s + c1 e
//	v = (-q - c2 e) - next y
func startSingle(v, a, b, q, y, bounds []float32, rows, cols int, c1, c2, rho, next float32) {
	mul(y, a, b, rows, cols)
	for i := range rows {
		for j, wx := range rowAt(y, i) {
			at := i*Lanes + j
			q[at], v[at] = finishSingle(rho*wx, bounds[i], c1, c2, next*wx)
		}
	}
}

// dualStepSingle computes, for a of rows x cols packed in tiles of 1 row:
//
//	s = scale (y + a b) + q
//	e = clip(s, -bound, bound) - s, with one bound for each row
//	q = s + c1 e
//	v = (-q - c2 e) - next y
func dualStepSingle(v, a, b, q, y, bounds []float32, rows, cols int, c1, c2, scale, next float32) {
	for i := range rows {
		for j, wx := range sums(v, a, b, y, i, cols) {
			at := i*Lanes + j
			q[at], v[at] = finishSingle(scale*wx+q[at], bounds[i], c1, c2, next*y[at])
		}
	}
}

// finishSingle is the end of a dual step of one penalty, from s on.
func finishSingle(s, bound, c1, c2, nextY float32) (q, v float32) {
	e := clip(s, bound) - s
	s += c1 * e
	return s, (-s - c2*e) - nextY
}

// dualStepPair computes, for a of rows x cols packed in tiles of 1 row:
//
//	s = scale (y + a b) + q
//	t = scale (y + a b) + r
//	f = clip(s, -d, d) - s
//	g = clip(t - rho p, -e, e) - t
//	q = s + c1 f
//	r = t + c1 g
//	v = ((-q - c2 f) + (-r - c2 g)) - next y, with panels of bounds d and e
func dualStepPair(v, a, b, q, r, d, e, p, y []float32, rows, cols int, c1, c2, rho, scale, next float32) {
	for i := range rows {
		vi := sums(v, a, b, y, i, cols)
		qi, ri, di, ei, pi, yi := rowAt(q, i), rowAt(r, i), rowAt(d, i), rowAt(e, i), rowAt(p, i), rowAt(y, i)
		for j, wx := range vi {
			s, t := scale*wx+qi[j], scale*wx+ri[j]
			f, g := clip(s, di[j])-s, clip(t-rho*pi[j], ei[j])-t
			s += c1 * f
			t += c1 * g
			qi[j], ri[j] = s, t
			vi[j] = ((-s - c2*f) + (-t - c2*g)) - next*yi[j]
		}
	}
}

// startPair computes, for panels of the given rows:
//
//	s = t = rho p
//	f = clip(s, -d, d) - s
//	g = -t
//	q = s + c1 f
//	r = t + c1 g
//	v = ((-q - c2 f) + (-r - c2 g)) - next y, with a panel of bounds d
func startPair(v, q, r, d, p, y []float32, rows int, c1, c2, rho, next float32) {
	for i := range rows {
		vi, qi, ri, di, pi, yi := rowAt(v, i), rowAt(q, i), rowAt(r, i), rowAt(d, i), rowAt(p, i), rowAt(y, i)
		for j, s := range pi {
			s *= rho
			f, t := clip(s, di[j])-s, s
			s += c1 * f
			t -= c1 * t
			qi[j], ri[j] = s, t
			vi[j] = ((-s - c2*f) + (-t + c2*(rho*pi[j]))) - next*yi[j]
		}
	}
}

// clip returns NaN for NaN.
func clip(s, bound float32) float32 { return max(min(s, bound), -bound) }

// sums sets row i of c to row i of a b + start, and returns it.
func sums(c, a, b, start []float32, i, cols int) *row {
	ci := rowAt(c, i)
	*ci = *rowAt(start, i)
	accumulate(ci, a[i*cols:(i+1)*cols], b)
	return ci
}

// accumulate adds a b to c, where b is len(a) x Lanes. Taking four rows of b at a time halves the memory traffic on c.
func accumulate(c *row, a, b []float32) {
	l := 0
	for ; l+3 < len(a); l += 4 {
		a0, a1, a2, a3 := a[l], a[l+1], a[l+2], a[l+3]
		b0, b1, b2, b3 := rowAt(b, l), rowAt(b, l+1), rowAt(b, l+2), rowAt(b, l+3)
		for j := range c {
			c[j] += (a0*b0[j] + a1*b1[j]) + (a2*b2[j] + a3*b3[j])
		}
	}
	for ; l < len(a); l++ {
		a0, b0 := a[l], rowAt(b, l)
		for j := range c {
			c[j] += a0 * b0[j]
		}
	}
}
