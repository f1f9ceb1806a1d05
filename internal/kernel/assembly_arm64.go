//go:build !noasm

package kernel

var neon = backend{
	name: "neon", tile: 8,
	mul: mulNEON, affine: affineNEON, rectified: rectifiedNEON, primalStep: primalStepNEON,
	dual: dualNEON, dualStep: dualStepNEON, startSingle: startSingleNEON, dualStepSingle: dualStepSingleNEON,
	dualStepPair: dualStepPairNEON, startPair: startPairNEON,
	weights: weightsNEON, countFree: countFreeNEON, transpose: transposeNEON, gram: gramNEON,
	rightMultiply: rightMultiplyNEON, jacobi: jacobiNEON,
	gather: gatherNEON, sumPatches: sumPatchesNEON, addPatches: addPatchesNEON, addTo: addToNEON,
	logs: logs, logsOfDifference: logsOfDifference, logMagnitudes: logMagnitudes, solve: solve, dct: dctNEON,
	inverseDCT: inverseDCTNEON, extractPatches: extractPatches,
	tileInputs: tileInputsNEON, tileOutputs: tileOutputsNEON,
	largeInputs: largeInputsNEON, largeOutputs: largeOutputsNEON, addLargeOutputs: addLargeOutputsNEON,
	fetch:          fetchNEON,
	transformLines: transformLines, blockEnergies: blockEnergies, patchEnergies: patchEnergies,
	integers: intLayout{tile: 8, group: 1}, quantize: quantizeNEON, mulIntegers: mulIntegersNEON,
}

// assembly returns NEON, which every arm64 processor has.
func assembly() []*backend { return []*backend{&neon} }
