package kernel

// largeInputs computes, for each channel and the 6 x 6 cells d of each tile, v = B' d B, where largeSeen is B'. Rows
// come first. The backends do not differ in the order of operations, and factors are powers of two, so results are the
// same.
func largeInputs(v, grid []float32, channels, plane, stride int) {
	for c := range channels {
		for i := range Lanes {
			var rows [6][6]float32
			for k := range rows {
				var d [6]float32
				for l := range d {
					d[l] = grid[(16*c+k%4*4+l%4)*plane+k/4*stride+l/4+i]
				}
				rows[k] = largeSeen(d)
			}
			for l := range 6 {
				var x [6]float32
				for k := range x {
					x[k] = rows[k][l]
				}
				for k, x := range largeSeen(x) {
					v[((6*k+l)*channels+c)*Lanes+i] = x
				}
			}
		}
	}
}

func largeSeen(x [6]float32) [6]float32 {
	a, b := x[4]-4*x[2], x[3]-4*x[1]
	c, d := x[4]-x[2], 2*(x[3]-x[1])
	return [6]float32{4*(x[0]-x[2]) + c, a + b, a - b, c + d, c - d, 4*(x[1]-x[3]) + (x[5] - x[3])}
}

// largeOutputs computes max(A' m A, 0) for each channel and the 6 x 6 products m of each tile, where largeCells is A'.
func largeOutputs(grid, m []float32, channels, plane, stride int) {
	eachLargeOutput(grid, m, channels, plane, stride, func(cell *float32, v float32) { *cell = max(v, 0) })
}

// addLargeOutputs adds A' m A to the grid.
func addLargeOutputs(grid, m []float32, channels, plane, stride int) {
	eachLargeOutput(grid, m, channels, plane, stride, func(cell *float32, v float32) { *cell += v })
}

// eachLargeOutput calls f for each cell and its A' m A.
func eachLargeOutput(grid, m []float32, channels, plane, stride int, f func(cell *float32, v float32)) {
	for c := range channels {
		for i := range Lanes {
			var rows [6][largeSide]float32
			for k := range rows {
				var x [6]float32
				for l := range x {
					x[l] = m[((6*k+l)*channels+c)*Lanes+i]
				}
				rows[k] = largeCells(x)
			}
			for a := range largeSide {
				var x [6]float32
				for k := range x {
					x[k] = rows[k][a]
				}
				for b, v := range largeCells(x) {
					f(&grid[(16*c+(b+1)%4*4+(a+1)%4)*plane+(b+1)/4*stride+(a+1)/4+i], v)
				}
			}
		}
	}
}

func largeCells(x [6]float32) [largeSide]float32 {
	s, d := x[1]+x[2], x[1]-x[2]
	t, e := x[3]+x[4], 2*(x[3]-x[4])
	return [largeSide]float32{x[0] + s + t, d + e, s + 4*t, d + x[5] + 4*e}
}
