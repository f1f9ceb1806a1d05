//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

var avx2 = backend{
	name: "avx2", tile: 4,
	solverLoops: solverLoops{
		mul: mulAVX2, primalStep: primalStepAVX2, dual: dualAVX2, dualStep: dualStepAVX2,
		startSingle: startSingleAVX2, dualStepSingle: dualStepSingleAVX2, dualStepPair: dualStepPairAVX2,
		startPair: startPairAVX2, weights: weightsAVX2, countFree: countFreeAVX2, solve: solveAVX2,
	},
	networkLoops: networkLoops{
		affine: affineAVX2, rectified: rectifiedAVX2, logs: logsAVX2, logsOfDifference: logsOfDifferenceAVX2,
		logMagnitudes: logMagnitudesAVX2, tileInputs: tileInputsAVX2, tileOutputs: tileOutputsAVX2,
		largeInputs: largeInputsAVX2, largeOutputs: largeOutputsAVX2, addLargeOutputs: addLargeOutputsAVX2,
		fetch:    fetchAVX2,
		integers: intLayout{tile: 4, group: 2}, quantize: quantizeAVX2, mulIntegers: mulIntegersAVX2,
	},
	patchLoops: patchLoops{
		transpose: transposeAVX2, gram: gramAVX2, rightMultiply: rightMultiplyAVX2, jacobi: jacobiAVX2,
		gather: gatherAVX2, sumPatches: sumPatchesAVX2, addTo: addToAVX2, addPatches: addPatchesAVX2,
		extractPatches: extractPatchesAVX2, dct: dctAVX2, inverseDCT: inverseDCTAVX2,
		transformLines: transformLinesAVX2,
		blockEnergies:  blockEnergiesAVX2, patchEnergies: patchEnergiesAVX2,
	},
}

var avx512 = backend{
	name: "avx512", tile: 8,
	solverLoops: solverLoops{
		mul: mulAVX512, primalStep: primalStepAVX512, dual: dualAVX512, dualStep: dualStepAVX512,
		startSingle: startSingleAVX512, dualStepSingle: dualStepSingleAVX512, dualStepPair: dualStepPairAVX512,
		startPair: startPairAVX512, weights: weightsAVX512, countFree: countFreeAVX512, solve: solveAVX512,
	},
	networkLoops: networkLoops{
		affine: affineAVX512, rectified: rectifiedAVX512, logs: logsAVX512,
		logsOfDifference: logsOfDifferenceAVX512, logMagnitudes: logMagnitudesAVX512,
		tileInputs: tileInputsAVX512, tileOutputs: tileOutputsAVX512, largeInputs: largeInputsAVX512,
		largeOutputs: largeOutputsAVX512, addLargeOutputs: addLargeOutputsAVX512, fetch: fetchAVX512,
		integers: intLayout{tile: 8, group: 2}, quantize: quantizeAVX512, mulIntegers: mulIntegersAVX512,
	},
	patchLoops: patchLoops{
		transpose: transposeAVX512, gram: gramAVX512, rightMultiply: rightMultiplyAVX512, jacobi: jacobiAVX512,
		gather: gatherAVX2, sumPatches: sumPatchesAVX2, addTo: addToAVX2, addPatches: addPatchesAVX2,
		extractPatches: extractPatchesAVX2, dct: dctAVX512, inverseDCT: inverseDCTAVX512,
		transformLines: transformLinesAVX512, blockEnergies: blockEnergiesAVX512,
		patchEnergies: patchEnergiesAVX512,
	},
}

// avx512VNNI multiplies integers with an instruction that not all processors with AVX-512 have. The results are the
// same.
var avx512VNNI = func() backend {
	b := avx512
	b.mulIntegers = mulIntegersVNNIAVX512
	return b
}()

// assembly returns the backends that the processor and the operating system support.
func assembly() (b []*backend) {
	x := &cpu.X86
	if x.HasAVX2 && x.HasFMA {
		b = append(b, &avx2)
	}
	switch {
	case !x.HasAVX512F || !x.HasAVX512DQ || !x.HasAVX512VL || !x.HasAVX512BW:
	case x.HasAVX512VNNI:
		b = append(b, &avx512VNNI)
	default:
		b = append(b, &avx512)
	}
	return b
}
