package kernel

// tileInputs computes, for each channel and the 4 x 4 cells d of each tile:
//
//	v = B' d B, where B' x = x0 - x2, x1 + x2, x2 - x1, x1 - x3
func tileInputs(v, grid []float32, channels, plane, stride int) {
	for c := range channels {
		at := func(k, l int) *row { // cells in row k and column l of tiles
			return (*row)(grid[(4*c+k%2*2+l%2)*plane+k/2*stride+l/2:])
		}
		for k := range 4 {
			var x [4]row
			var out [4]*row
			for l := range x {
				out[l] = rowAt(v, (4*k+l)*channels+c)
				d0, d1, d2, d3 := at(0, l), at(1, l), at(2, l), at(3, l)
				for i := range x[l] {
					switch k {
					case 0:
						x[l][i] = d0[i] - d2[i]
					case 1:
						x[l][i] = d1[i] + d2[i]
					case 2:
						x[l][i] = d2[i] - d1[i]
					case 3:
						x[l][i] = d1[i] - d3[i]
					}
				}
			}
			for i := range Lanes {
				out[0][i] = x[0][i] - x[2][i]
				out[1][i] = x[1][i] + x[2][i]
				out[2][i] = x[2][i] - x[1][i]
				out[3][i] = x[1][i] - x[3][i]
			}
		}
	}
}

// tileOutputs computes, for each channel and the 4 x 4 products m of each tile:
//
//	max(A' m A + bias, 0), where A' x = x0 + x1 + x2, x1 - x2 - x3
func tileOutputs(grid, m, bias []float32, plane, stride int) {
	channels := len(bias)
	for c, bias := range bias {
		at := func(k, l int) *row { return rowAt(m, (4*k+l)*channels+c) }
		for b := range tileSide {
			var x [4]row
			for l := range x {
				m0, m1, m2, m3 := at(0, l), at(1, l), at(2, l), at(3, l)
				for i := range x[l] {
					if b == 0 {
						x[l][i] = m0[i] + m1[i] + m2[i]
					} else {
						x[l][i] = m1[i] - m2[i] - m3[i]
					}
				}
			}
			odd, even := (*row)(grid[(4*c+(1-b)*2+1)*plane+b*stride:]), (*row)(grid[(4*c+(1-b)*2)*plane+b*stride+1:])
			for i := range odd {
				odd[i] = max(x[0][i]+x[1][i]+x[2][i]+bias, 0)
				even[i] = max(x[1][i]-x[2][i]-x[3][i]+bias, 0)
			}
		}
	}
}
