//go:build !noasm

package kernel

var neon = backend{
	name: "neon", tile: 8,
	mul: mulNEON, primalStep: primalStepNEON,
	dual: dualNEON, dualLanes: dualLanesNEON,
	dualStep: dualStepNEON, dualStepLanes: dualStepLanesNEON, dualStepPair: dualStepPairNEON, startPair: startPairNEON,
	weights: weightsNEON, countFree: countFree, transpose: transpose, gram: gramNEON, turn: turnNEON, jacobi: jacobiNEON,
	gather: gather, sumPatches: sumPatches, addPatches: addPatches,
	peak: peakNEON, peakFlops: 24 * 4 * 2,
}

// assembly returns NEON, which every arm64 processor has.
func assembly() []*backend { return []*backend{&neon} }
