package camera

import (
	"math"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/matrix3"
)

// Camera is the settings of a simulated camera: T. Brooks et al., "Unprocessing images for learned raw denoising", CVPR
// 2019; S. Guo et al., "Toward convolutional blind denoising of real photographs", CVPR 2019.
type Camera struct {
	Balance        [3]float64    // sensitivity of red, green and blue
	Colours        [3][3]float64 // from the sensor's colours to those of the picture
	Exposure       float64       // white of the picture, as a share of what the sensor holds
	Photons        float64       // at full scale of the sensor
	Read           float64       // noise of reading, on the same scale
	PhaseX, PhaseY int           // of the mosaic
	EdgeAware      bool          // demosaicing
	Contrast       float64       // of the tone curve, besides gamma
	Chroma, Luma   float64       // radii of smoothing in the camera; 0 = none
	Fade           float64       // share of the colour within a few samples that the camera takes away as noise
	SigmaFilter    float64       // limit, 0 = none
	SharpRadius    float64
	SharpAmount    float64 // 0 = none
	Scale          float64 // of resizing
	Soft           bool
	Quality        int  // of JPEG, 0 = none
	Half           bool // chroma at half the size
}

// Draw draws settings.
func Draw(r *rand.Rand) Camera {
	c := Camera{
		Balance:  [3]float64{1 / Between(r, 1.3, 2.4), 1, 1 / Between(r, 1.2, 2.4)},
		Exposure: Between(r, 0.4, 1),
		Photons:  LogBetween(r, 250, 20000),
		Read:     LogBetween(r, 0.0003, 0.006),
		PhaseX:   r.IntN(2), PhaseY: r.IntN(2),
		EdgeAware: r.IntN(3) > 0,
		Scale:     1,
		Soft:      r.IntN(2) == 0,
	}
	s := Between(r, 0, 0.6) // saturation that the colour matrix adds
	for i := range 3 {
		for j := range 3 {
			c.Colours[i][j] = -s / 2
			if i == j {
				c.Colours[i][j] = 1 + s
			}
		}
	}
	if r.IntN(2) == 0 {
		c.Contrast = Between(r, 0, 0.6)
	}
	if r.IntN(2) == 0 {
		c.Chroma = Between(r, 0.6, 2.5)
	}
	if r.IntN(2) == 0 {
		c.Luma = Between(r, 0.4, 0.9)
	}
	if r.IntN(4) == 0 {
		c.SigmaFilter = LogBetween(r, 0.02, 0.15)
	}
	if r.IntN(2) == 0 {
		c.SharpRadius, c.SharpAmount = Between(r, 0.6, 1.6), Between(r, 0.2, 1.4)
	}
	switch r.IntN(4) {
	case 0:
		c.Scale = Between(r, 0.5, 1)
	case 1:
		c.Scale = Between(r, 1, 2)
	}
	if r.IntN(10) < 7 {
		c.Quality, c.Half = 50+r.IntN(49), r.IntN(3) > 0
	}
	return c
}

// Develop photographs a clean colour picture with and without noise, before it is rounded and compressed.
func (c Camera) Develop(p *Picture, r *rand.Rand) (noisy, clean *Picture) {
	raw := c.expose(p)
	exact := raw.Clone()
	for i, v := range raw.Planes[0] {
		sigma := math.Sqrt(max(0, float64(v))/c.Photons + c.Read*c.Read)
		raw.Planes[0][i] = float32(min(max(float64(v)+sigma*r.NormFloat64(), -0.05), 1))
	}
	return c.develop(raw), c.develop(exact)
}

// expose returns the mosaic of a picture: linear light in one plane.
func (c Camera) expose(p *Picture) *Picture {
	inverse := matrix3.Matrix(c.Colours).Inverse()
	m := NewPicture(p.Width, p.Height, 1)
	for i := range m.Planes[0] {
		var light [3]float64
		for k := range light {
			light[k] = math.Pow(c.straighten(float64(p.Planes[k][i])), 2.2)
		}
		k := c.filterAt(i%p.Width, i/p.Width)
		sensor := inverse[k][0]*light[0] + inverse[k][1]*light[1] + inverse[k][2]*light[2]
		m.Planes[0][i] = float32(max(0, sensor) * c.Balance[k] * c.Exposure)
	}
	return m
}

// filterAt is the colour of the mosaic: red and green, then green and blue.
func (c Camera) filterAt(x, y int) int { return (x+c.PhaseX)%2 + (y+c.PhaseY)%2 }

// develop turns a mosaic into a picture.
func (c Camera) develop(mosaic *Picture) *Picture {
	p := c.demosaic(mosaic)
	if c.Luma > 0 {
		p = Blur(p, c.Luma)
	}
	for i := range p.Planes[0] {
		var v [3]float64
		for k := range v {
			v[k] = float64(p.Planes[k][i]) / c.Balance[k] / c.Exposure
		}
		for k := range v {
			light := c.Colours[k][0]*v[0] + c.Colours[k][1]*v[1] + c.Colours[k][2]*v[2]
			p.Planes[k][i] = float32(c.bend(math.Pow(min(max(light, 0), 1), 1/2.2)))
		}
	}
	if c.SigmaFilter > 0 {
		p = smooth(p, c.SigmaFilter, 0.8)
	}
	if c.Chroma > 0 {
		p = blurChroma(p, c.Chroma)
	}
	if c.Fade > 0 {
		p = mix(p, blurChroma(p, fadeRadius), c.Fade)
	}
	if c.SharpAmount > 0 {
		p = Sharpen(p, c.SharpRadius, c.SharpAmount)
	}
	if c.Scale != 1 {
		p = Resize(p, c.Scale, c.Soft)
	}
	return p
}

// fadeRadius is how far the colours of neighbours fade into each other.
const fadeRadius = 6

// mix returns p for a share of 0 and q for a share of 1.
func mix(p, q *Picture, share float64) *Picture {
	out := p.Clone()
	for c, plane := range out.Planes {
		for i, v := range plane {
			plane[i] = v + float32(share)*(q.Planes[c][i]-v)
		}
	}
	return out
}

// bend is an S-shaped tone curve, straighten its inverse.
func (c Camera) bend(v float64) float64 { return v + c.Contrast*v*(1-v)*(2*v-1)/1.5 }

func (c Camera) straighten(v float64) float64 {
	x := v
	for range 20 { // the slope is at least 0.6, so this converges
		x = min(max(x-(c.bend(x)-v), 0), 1)
	}
	return x
}

// demosaic interpolates the missing colours.
func (c Camera) demosaic(m *Picture) *Picture {
	p := NewPicture(m.Width, m.Height, 3)
	w, h := m.Width, m.Height
	at := func(x, y int) float64 { // mirrored at edges, which keeps the colour of the mosaic
		x, y = mirror(x, w), mirror(y, h)
		return float64(m.Planes[0][y*w+x])
	}
	for y := range h {
		for x := range w {
			p.Planes[1][y*w+x] = float32(c.green(at, x, y))
		}
	}
	for _, k := range []int{0, 2} {
		c.interpolate(p, at, k)
	}
	return p
}

func mirror(x, n int) int {
	if x < 0 {
		x = -x
	}
	if x >= n {
		x = 2*(n-1) - x
	}
	return min(max(x, 0), n-1)
}

// green is the mean of the neighbours, or along the edge with a correction by the other colour (J. Hamilton, J. Adams,
// "Adaptive color plan interpolation in single sensor color electronic camera", US patent 5629734, 1997).
func (c Camera) green(at func(x, y int) float64, x, y int) float64 {
	v := at(x, y)
	if c.filterAt(x, y) == 1 {
		return v
	}
	left, right, up, down := at(x-1, y), at(x+1, y), at(x, y-1), at(x, y+1)
	if !c.EdgeAware {
		return (left + right + up + down) / 4
	}
	bendX, bendY := 2*v-at(x-2, y)-at(x+2, y), 2*v-at(x, y-2)-at(x, y+2)
	slopeX, slopeY := math.Abs(left-right)+math.Abs(bendX), math.Abs(up-down)+math.Abs(bendY)
	alongX, alongY := (left+right)/2+bendX/4, (up+down)/2+bendY/4
	switch {
	case slopeX < slopeY:
		return alongX
	case slopeY < slopeX:
		return alongY
	}
	return (alongX + alongY) / 2
}

// interpolate fills in red or blue. The edge-aware way interpolates its difference to green.
func (c Camera) interpolate(p *Picture, at func(x, y int) float64, k int) {
	w, h := p.Width, p.Height
	value := func(x, y int) float64 {
		v := at(x, y)
		if c.EdgeAware {
			v -= float64(p.Planes[1][mirror(y, h)*w+mirror(x, w)])
		}
		return v
	}
	mean := func(x, y int) float64 { // of the samples of this colour around one that has another
		sum, n := 0.0, 0
		for j := -1; j <= 1; j++ {
			for i := -1; i <= 1; i++ {
				if c.filterAt(x+i+2, y+j+2) == k && (i == 0 && j == 0 || c.filterAt(x, y) != k) {
					sum, n = sum+value(x+i, y+j), n+1
				}
			}
		}
		return sum / float64(n)
	}
	for y := range h {
		for x := range w {
			v := mean(x, y)
			if c.EdgeAware {
				v += float64(p.Planes[1][y*w+x])
			}
			p.Planes[k][y*w+x] = float32(v)
		}
	}
}

// Between returns a number of an even distribution.
func Between(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }

// LogBetween returns a number whose logarithm is evenly distributed.
func LogBetween(r *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, r.Float64())
}
