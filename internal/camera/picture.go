package camera

// Picture holds one gray or three colour planes of width x height samples, 1 being white. Samples may leave 0..1 unless
// the picture has been through Quantise.
type Picture struct {
	Width, Height int
	Planes        [][]float32
}

// NewPicture returns a black picture.
func NewPicture(width, height, planes int) *Picture {
	p := &Picture{Width: width, Height: height}
	for range planes {
		p.Planes = append(p.Planes, make([]float32, width*height))
	}
	return p
}

// Clone returns a copy with samples of its own.
func (p *Picture) Clone() *Picture {
	q := NewPicture(p.Width, p.Height, len(p.Planes))
	for i := range p.Planes {
		copy(q.Planes[i], p.Planes[i])
	}
	return q
}

// Each replaces every sample.
func (p *Picture) Each(f func(v float64) float64) {
	for _, plane := range p.Planes {
		for i, v := range plane {
			plane[i] = float32(f(float64(v)))
		}
	}
}

// Gray returns the BT.601 luma.
func (p *Picture) Gray() *Picture {
	if len(p.Planes) == 1 {
		return p.Clone()
	}
	q := NewPicture(p.Width, p.Height, 1)
	for i := range q.Planes[0] {
		q.Planes[0][i] = 0.299*p.Planes[0][i] + 0.587*p.Planes[1][i] + 0.114*p.Planes[2][i]
	}
	return q
}

// Quantise rounds the samples to 8 bits, in place.
func (p *Picture) Quantise() *Picture {
	p.Each(func(v float64) float64 { return float64(ToByte(v)) / 255 })
	return p
}

// ToByte returns the 8-bit value nearest to a sample, which it limits to 0..1.
func ToByte(v float64) uint8 { return uint8(min(max(v*255, 0), 255) + 0.5) }
