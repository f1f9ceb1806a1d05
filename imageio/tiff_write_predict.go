package imageio

import "encoding/binary"

// predictor replaces samples by differences, which compress better.
type predictor struct {
	order         binary.ByteOrder
	samples, size int    // samples of a pixel, and bytes of a sample
	memory        []byte // a row
}

// apply applies a predictor to a block in place, row by row. PackBits has none.
func (p *predictor) apply(kind uint32, block []byte, row int) {
	if kind <= predictorNone {
		return
	}
	for ; len(block) > 0; block = block[row:] {
		if kind == predictorFloat {
			p.float(block[:row])
		} else {
			subtract(block[:row], p.samples, p.size, p.order)
		}
	}
}

// float puts the first bytes of all samples first, then all second bytes and so on, and subtracts those before.
func (p *predictor) float(row []byte) {
	if p.memory == nil {
		p.memory = make([]byte, len(row))
	}
	n := len(row) / p.size
	for i := range n {
		for b := range p.size {
			from := b
			if p.order == binary.ByteOrder(binary.LittleEndian) {
				from = p.size - 1 - b
			}
			p.memory[b*n+i] = row[p.size*i+from]
		}
	}
	copy(row, p.memory)
	subtract(row, p.samples, 1, nil)
}

// subtract subtracts from each sample, of size bytes, the same sample of the pixel before.
func subtract(row []byte, samples, size int, order binary.ByteOrder) {
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
		for i := len(row) - 4; i >= step; i -= 4 {
			order.PutUint32(row[i:], order.Uint32(row[i:])-order.Uint32(row[i-step:]))
		}
	case 8:
		for i := len(row) - 8; i >= step; i -= 8 {
			order.PutUint64(row[i:], order.Uint64(row[i:])-order.Uint64(row[i-step:]))
		}
	}
}
