package imageio

// photometric returns the value of the tag for the colours of the image: that of its source if the planes leave it
// open.
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
