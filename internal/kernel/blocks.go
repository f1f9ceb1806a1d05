package kernel

import "fmt"

// BlockRun divides the number of lines that TransformLines takes, and that of blocks.
const BlockRun = 8

// TransformLines sets dst to the cosine transforms of n lines of 8 samples, as dct.Transform8 does. Sample i of line l
// is at i*n+l, and so is its coefficient of frequency i. Dst and src may be the same.
func TransformLines(dst, src []float64, n int) {
	checkBlocks(n, n)
	checkDoubles(dst, PatchSide*n)
	checkDoubles(src, PatchSide*n)
	selected.Load().transformLines(dst, src, n)
}

// BlockEnergies sums up squared coefficients of n blocks of 8 x 8 samples, from those of their columns, whose vertical
// frequency v begins at v*stride. There, column i of block b is at places[i]+b. Sums gets rows of n values: the
// coefficients of frequency 0, and the sums of those whose vertical and horizontal frequencies add up to 3 to 7, 8 to
// 10 and 11 to 14.
func BlockEnergies(sums, columns []float64, places *[PatchSide]int, n, stride int) {
	checkEnergies(sums, columns, 4, places, n, stride)
	selected.Load().blockEnergies(sums, columns, places, n, stride)
}

// PatchEnergies is BlockEnergies with the sums of other frequencies: 1 to 7, and 8 to 14.
func PatchEnergies(sums, columns []float64, places *[PatchSide]int, n, stride int) {
	checkEnergies(sums, columns, 3, places, n, stride)
	selected.Load().patchEnergies(sums, columns, places, n, stride)
}

func checkEnergies(sums, columns []float64, rows int, places *[PatchSide]int, n, stride int) {
	checkBlocks(n, stride)
	checkDoubles(sums, rows*n)
	checkDoubles(columns, PatchSide*stride)
	for _, p := range places {
		if p < 0 || p+n > stride {
			panic(fmt.Sprintf("kernel: %d blocks from column %d of %d", n, p, stride))
		}
	}
}

func checkBlocks(n, stride int) {
	if n < 1 || n%BlockRun != 0 || stride < n {
		panic(fmt.Sprintf("kernel: %d blocks or lines in rows of %d values", n, stride))
	}
}

func checkDoubles(v []float64, n int) {
	if len(v) < n {
		panic(fmt.Sprintf("kernel: %d values, want %d", len(v), n))
	}
}
