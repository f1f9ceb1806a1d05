package kernel

// backend is one implementation of the loops. The plain Go versions have the documentation of the functions.
type backend struct {
	name string
	tile int // rows that Pack interleaves
	solverLoops
	networkLoops
	patchLoops
}

// solverLoops are those of the solvers: products with transforms, each with what an iteration does to its result, and
// the bounds of coefficients.
type solverLoops struct {
	mul            func(c, a, b []float32, rows, cols int)
	primalStep     func(x, a, b, y, scale []float32, rows, cols int)
	dual           func(u, a, b, q, bounds []float32, rows, cols int)
	dualStep       func(v, a, b, q, bounds []float32, rows, cols int, c1, c2 float32)
	startSingle    func(v, a, b, q, y, bounds []float32, rows, cols int, c1, c2, rho, next float32)
	dualStepSingle func(v, a, b, q, y, bounds []float32, rows, cols int, c1, c2, scale, next float32)
	dualStepPair   func(v, a, b, q, r, d, e, p, y []float32, rows, cols int, c1, c2, rho, scale, next float32)
	startPair      func(v, q, r, d, p, y []float32, rows int, c1, c2, rho, next float32)
	weights        func(d, e, p, y, bias, packed []float32, rows, hidden, block int, mean float32)
	countFree      func(counts, q, r, d, e, p []float32, rows int, rho float32)
	solve          func(z, u, v, y, p, skip, most []float32)
}

// networkLoops are those of the networks: layers, convolutions in tiles, products of integers, and logarithms, which
// networks and classifiers read.
type networkLoops struct {
	affine    func(c, a, b, bias []float32, rows, cols int)
	rectified func(c, a, b, bias []float32, rows, cols int)

	logs             func(dst, v []float32)
	logsOfDifference func(dst, a, b []float32)
	logMagnitudes    func(dst, v []float32)

	tileInputs                    func(v, grid []float32, channels, plane, stride int)
	tileOutputs                   func(grid, m, bias []float32, plane, stride int)
	largeInputs                   func(v, grid []float32, channels, plane, stride int)
	largeOutputs, addLargeOutputs func(grid, m []float32, channels, plane, stride int)
	fetch                         func(v []float32, rows, n, stride int)

	integers    intLayout
	quantize    func(words []int16, scales, b []float32, rows int, limit float32)
	mulIntegers func(c []float32, a []int16, rowScales []float32, b []int16, scales []float32, rows, groups int)
}

// patchLoops are those of patches, blocks and their groups: they move them between images and panels, rotate groups to
// their axes, and transform blocks.
type patchLoops struct {
	transpose     func(dst, src []float32, dstStride, srcStride int)
	gram          func(gram, block []float32, rows, stride int)
	rightMultiply func(block, m []float32, rows, stride int)
	jacobi        func(axes, gram []float32, sweeps int)

	gather         func(dst []float32, places []int, src []float32, corners []int32, stride int)
	sumPatches     func(sum, src []float32, corners []int32, stride int)
	addTo          func(image, x []float32, places []int, corners []int32, stride int)
	addPatches     func(num, den, x []float32, places []int, window []float32, corners []int32, stride int, w float32)
	extractPatches func(dst, src []float32, n, stride int)

	dct, inverseDCT              func(dst, src []float32)
	transformLines               func(dst, src []float64, n int)
	blockEnergies, patchEnergies func(sums, columns []float64, places *[PatchSide]int, n, stride int)
}
