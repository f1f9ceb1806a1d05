package imageio

import "math"

// checkDepth refuses a depth that the format or the image cannot have.
func (o *WriteOptions) checkDepth(img *Image) error {
	switch {
	case o.Depth == 0:
		return nil
	case o.Depth != Depth16 && o.Depth != DepthFloat32:
		return failf(ErrArgument, "depth of %v, must be 16-bit or float32", o.Depth)
	case o.Depth == DepthFloat32 && o.Format != TIFF:
		return failf(ErrUnsupported, "%v cannot hold floats; write TIFF", o.Format)
	case o.Format == JPEG:
		return failf(ErrUnsupported, "JPEG cannot hold 16 bits; write PNG or TIFF")
	case o.Depth == DepthFloat32 && !img.Depth.isFloat() && !img.isLight():
		return failf(ErrUnsupported, "amounts of ink and Lab colour cannot be written as floats")
	}
	return nil
}

// isLight reports whether the colour planes are amounts of light, which files may store as such.
func (m *Image) isLight() bool {
	p := m.stored.photometric
	return len(m.Planes) != 4 && (p == 0 || p == whiteIsZero+1)
}

// deepened returns the image with the depth that it is written with. It shares the samples, except those that become
// floats.
func (o WriteOptions) deepened(img *Image) *Image {
	deep, kind := *img, img.Depth.kind()
	switch {
	case o.Depth == DepthFloat32 && kind != kindFloat && img.isLight():
		return img.asFloats(o.White)
	case o.Depth == DepthFloat32 && img.Depth == DepthFloat16,
		o.Depth == Depth16 && kind == kindUint && img.Depth < Depth16:
		deep.Depth, deep.stored.wide = o.Depth, nil
	}
	return &deep
}

// asFloats returns an image of integers as one of floats, which have the values of the integers if they are written
// with this level for white. Integers that were not changed stay integers.
func (m *Image) asFloats(white float64) *Image {
	out := *m
	out.Depth, out.Planes, out.Extra = DepthFloat32, nil, nil
	out.stored = storedAs{alphaAt: m.stored.alphaAt, white: white}
	if white == 0 {
		white = 1
	}
	top := m.Depth.Max()
	scaled := func(p []float32) []float32 {
		q := make([]float32, len(p))
		for i, v := range p {
			level := float64(v) * top
			if whole := math.Round(level); math.Abs(level-whole) <= math.Abs(level)*0x1p-22 { // float32 rounds so
				level = whole
			}
			q[i] = float32(level / white)
		}
		return q
	}
	for _, p := range m.Planes {
		out.Planes = append(out.Planes, scaled(p))
	}
	for _, p := range m.Extra {
		out.Extra = append(out.Extra, scaled(p))
	}
	return &out
}
