package imageio

import "encoding/binary"

// unpredict reverses the predictor of the current row in place. It returns the byte order that the samples then have.
// Predictor 2 is described in TIFF 6.0, section 14; for floats it works on their bits. Predictor 3 is described in
// Adobe Photoshop TIFF Technical Note 3 (2005): the first bytes of all samples, then all second bytes and so on, all
// stored as differences.
func (d *tiffDecoder) unpredict(samples int) binary.ByteOrder {
	switch d.predictor {
	case predictorHorizontal:
		sumSamples(d.row, samples, int(d.bits)/8, d.order)
	case predictorFloat:
		sumSamples(d.row, samples, 1, nil)
		d.shuffle = append(d.shuffle[:0], d.row...)
		size := int(d.bits) / 8
		n := len(d.row) / size
		for i := range n {
			for b := range size {
				d.row[size*i+b] = d.shuffle[b*n+i]
			}
		}
		return binary.BigEndian
	}
	return d.order
}

// sumSamples adds to each sample, of size bytes, the same sample of the pixel before.
func sumSamples(row []byte, samples, size int, order binary.ByteOrder) {
	step := samples * size
	switch size {
	case 1:
		for i := step; i < len(row); i++ {
			row[i] += row[i-step]
		}
	case 2:
		for i := step; i+2 <= len(row); i += 2 {
			order.PutUint16(row[i:], order.Uint16(row[i:])+order.Uint16(row[i-step:]))
		}
	case 4:
		for i := step; i+4 <= len(row); i += 4 {
			order.PutUint32(row[i:], order.Uint32(row[i:])+order.Uint32(row[i-step:]))
		}
	case 8:
		for i := step; i+8 <= len(row); i += 8 {
			order.PutUint64(row[i:], order.Uint64(row[i:])+order.Uint64(row[i-step:]))
		}
	}
}
