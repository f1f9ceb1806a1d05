package imageio

import "encoding/binary"

// predict applies a predictor to a row in place: predictor 2 to integers of 1 or 2 bytes, predictor 3 to floats. For
// floats, memory is as long as the row and is overwritten.
func predict(row, memory []byte, samples, size int, order binary.ByteOrder) {
	step := samples * size
	switch size {
	case 1:
		for i := len(row) - 1; i >= step; i-- {
			row[i] -= row[i-step]
		}
	case 2:
		for i := len(row) - 2; i >= step; i -= 2 {
			order.PutUint16(row[i:], order.Uint16(row[i:])-order.Uint16(row[i-step:]))
		}
	case 4:
		n := len(row) / 4
		for i := range n {
			v := order.Uint32(row[4*i:])
			for b := range 4 {
				memory[b*n+i] = byte(v >> (24 - 8*b))
			}
		}
		copy(row, memory)
		predict(row, nil, samples, 1, nil)
	}
}
