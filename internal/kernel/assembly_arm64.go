//go:build !noasm

package kernel

var neon = backend{
	name: "neon", tile: 8,
	solverLoops: solverLoops{
		mul: mulNEON, primalStep: primalStepNEON, dual: dualNEON, dualStep: dualStepNEON,
		startSingle: startSingleNEON, dualStepSingle: dualStepSingleNEON, dualStepPair: dualStepPairNEON,
		startPair: startPairNEON, weights: weightsNEON, countFree: countFreeNEON, solve: solve,
	},
	networkLoops: networkLoops{
		affine: affineNEON, rectified: rectifiedNEON, logs: logs, logsOfDifference: logsOfDifference,
		logMagnitudes: logMagnitudes, tileInputs: tileInputsNEON, tileOutputs: tileOutputsNEON,
		largeInputs: largeInputsNEON, largeOutputs: largeOutputsNEON, addLargeOutputs: addLargeOutputsNEON,
		fetch:    fetchNEON,
		integers: intLayout{tile: 8, group: 1}, quantize: quantizeNEON, mulIntegers: mulIntegersNEON,
	},
	patchLoops: patchLoops{
		transpose: transposeNEON, gram: gramNEON, rightMultiply: rightMultiplyNEON, jacobi: jacobiNEON,
		gather: gatherNEON, sumPatches: sumPatchesNEON, addTo: addToNEON, addPatches: addPatchesNEON,
		extractPatches: extractPatches, dct: dctNEON, inverseDCT: inverseDCTNEON,
		transformLines: transformLines, blockEnergies: blockEnergies, patchEnergies: patchEnergies,
	},
}

// assembly returns NEON, which every arm64 processor has.
func assembly() []*backend { return []*backend{&neon} }
