package imageio

import "encoding/binary"

// photometric returns the value of the tag for the colours of the image: that of its source if the planes leave it open.
func (m *Image) photometric() uint64 {
	switch {
	case m.stored.photometric != 0:
		return uint64(m.stored.photometric - 1)
	case len(m.Planes) == 4:
		return separated
	case len(m.Planes) == 3:
		return rgb
	}
	return blackIsZero
}

// extraSamples returns the meanings of the samples that follow the colour.
func (m *Image) extraSamples() []uint64 {
	colour := len(m.Planes)
	if m.stored.photometric != 0 {
		colour = m.stored.inks
	}
	var list []uint64
	for c := colour; c < len(m.channels()); c++ {
		switch {
		case c != m.alphaChannel():
			list = append(list, 0)
		case m.Premultiplied:
			list = append(list, alphaAssociated)
		default:
			list = append(list, alphaUnassociated)
		}
	}
	return list
}

// predictor returns the predictor for samples of this depth: those that libtiff can reverse.
func (d Depth) predictor() uint64 {
	switch {
	case d.isFloat():
		return predictorFloat
	case d.bits() == 8, d.bits() == 16, d.bits() == 32:
		return predictorHorizontal
	}
	return predictorNone
}

// predictDepth applies the predictor of a depth to a row in place. Memory is as long as the row and is overwritten.
func predictDepth(row, memory []byte, samples int, d Depth, order binary.ByteOrder) {
	size := d.bits() / 8
	switch {
	case d.predictor() == predictorNone:
	case d.isFloat():
		splitBytes(row, memory, size, order)
		predict(row, nil, samples, 1, nil)
	case size == 4:
		for i := len(row) - 4; i >= 4*samples; i -= 4 {
			order.PutUint32(row[i:], order.Uint32(row[i:])-order.Uint32(row[i-4*samples:]))
		}
	default:
		predict(row, memory, samples, size, order)
	}
}

// splitBytes moves the first bytes of all samples to the front of the row, then all second bytes, and so on. The first
// byte is the most significant one.
func splitBytes(row, memory []byte, size int, order binary.ByteOrder) {
	n := len(row) / size
	little := order == binary.ByteOrder(binary.LittleEndian)
	for i := range n {
		for b := range size {
			from := b
			if little {
				from = size - 1 - b
			}
			memory[b*n+i] = row[size*i+from]
		}
	}
	copy(row, memory)
}
