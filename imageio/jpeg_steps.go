package imageio

import "math"

// Steps are the quantisation steps of a JPEG file: each DCT coefficient of an 8 x 8 block is a multiple of its step.
// Where the step is large, weak detail and noise are lost. The zero value means that they are not known.
type Steps struct {
	// Luma and Chroma are in gray levels of 0-255, row by row, with the mean of the block first. Chroma is zero in gray
	// files.
	Luma, Chroma [64]uint8
	// ChromaHalved says that the file has fewer samples of chroma than of luma.
	ChromaHalved bool
}

// transpose exchanges horizontal and vertical frequencies.
func (s Steps) transpose() Steps {
	t := s
	for i := range 64 {
		t.Luma[i%8*8+i/8], t.Chroma[i%8*8+i/8] = s.Luma[i], s.Chroma[i]
	}
	return t
}

// steps returns the steps of gray and YCbCr files. The components of others are no luma and chroma.
func (d *jpegDecoder) steps(plain bool) (s Steps) {
	if n := len(d.components); n != 1 && n != 3 || plain {
		return Steps{}
	}
	for i, c := range d.components[:min(2, len(d.components))] {
		to := [...]*[64]uint8{&s.Luma, &s.Chroma}[i]
		for k, v := range c.steps {
			if v < 1 { // of a component that is missing
				return Steps{}
			}
			to[k] = uint8(min(v, math.MaxUint8))
		}
		s.ChromaHalved = s.ChromaHalved || c.right*c.down > 1
	}
	return s
}
