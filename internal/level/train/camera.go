package main

import (
	"math"
	"math/rand/v2"
)

// camera is a drawn set of settings of a simulated camera: T. Brooks et al., "Unprocessing images for learned raw
// denoising", CVPR 2019; S. Guo et al., "Toward convolutional blind denoising of real photographs", CVPR 2019.
type camera struct {
	balance        [3]float64    // sensitivity of red, green and blue
	colours        [3][3]float64 // from the sensor's colours to those of the picture
	exposure       float64       // white of the picture, as a share of what the sensor holds
	photons        float64       // at full scale of the sensor
	read           float64       // noise of reading, on the same scale
	phaseX, phaseY int           // of the mosaic
	edgeAware      bool          // demosaicing
	contrast       float64       // of the tone curve, besides gamma
	chroma, luma   float64       // radii of smoothing in the camera; 0 = none
	sigmaFilter    float64       // limit, 0 = none
	sharpRadius    float64
	sharpAmount    float64 // 0 = none
	scale          float64 // of resizing
	soft           bool
	quality        int // of JPEG, 0 = none
	half           bool
}

// drawCamera draws settings.
func drawCamera(r *rand.Rand) camera {
	c := camera{
		balance:  [3]float64{1 / between(r, 1.3, 2.4), 1, 1 / between(r, 1.2, 2.4)},
		exposure: between(r, 0.4, 1),
		photons:  logBetween(r, 250, 20000),
		read:     logBetween(r, 0.0003, 0.006),
		phaseX:   r.IntN(2), phaseY: r.IntN(2),
		edgeAware: r.IntN(3) > 0,
		scale:     1,
		soft:      r.IntN(2) == 0,
	}
	s := between(r, 0, 0.6) // saturation that the colour matrix adds
	for i := range 3 {
		for j := range 3 {
			c.colours[i][j] = -s / 2
			if i == j {
				c.colours[i][j] = 1 + s
			}
		}
	}
	if r.IntN(2) == 0 {
		c.contrast = between(r, 0, 0.6)
	}
	if r.IntN(2) == 0 {
		c.chroma = between(r, 0.6, 2.5)
	}
	if r.IntN(2) == 0 {
		c.luma = between(r, 0.4, 0.9)
	}
	if r.IntN(4) == 0 {
		c.sigmaFilter = logBetween(r, 0.02, 0.15)
	}
	if r.IntN(2) == 0 {
		c.sharpRadius, c.sharpAmount = between(r, 0.6, 1.6), between(r, 0.2, 1.4)
	}
	switch r.IntN(4) {
	case 0:
		c.scale = between(r, 0.5, 1)
	case 1:
		c.scale = between(r, 1, 2)
	}
	if r.IntN(10) < 7 {
		c.quality, c.half = 50+r.IntN(49), r.IntN(3) > 0
	}
	return c
}

// smoothMore draws again what makes noise broad: cameras at high sensitivity smooth strong noise.
func (c *camera) smoothMore(r *rand.Rand) {
	c.photons = logBetween(r, 80, 4000)
	c.luma, c.chroma = between(r, 0.6, 1.5), between(r, 1, 4)
	c.scale = 1
	if r.IntN(2) == 0 {
		c.quality = 0
	}
}

// shoot photographs a clean colour picture with and without noise. Compression is part of the noise.
func (c camera) shoot(p *picture, r *rand.Rand) (noisy, clean *picture) {
	raw := c.expose(p)
	exact := raw.clone()
	for i, v := range raw.planes[0] {
		sigma := math.Sqrt(max(0, float64(v))/c.photons + c.read*c.read)
		raw.planes[0][i] = float32(min(max(float64(v)+sigma*r.NormFloat64(), -0.05), 1))
	}
	noisy, clean = c.develop(raw).quantise(), c.develop(exact).quantise()
	if c.quality > 0 {
		noisy = jpegRoundTrip(noisy, c.quality, c.half)
	}
	return noisy, clean
}

// expose returns the mosaic of a picture: linear light in one plane.
func (c camera) expose(p *picture) *picture {
	inverse := invert(c.colours)
	m := newPicture(p.width, p.height, 1)
	for i := range m.planes[0] {
		var light [3]float64
		for k := range light {
			light[k] = math.Pow(c.straighten(float64(p.planes[k][i])), 2.2)
		}
		k := c.filterAt(i%p.width, i/p.width)
		sensor := inverse[k][0]*light[0] + inverse[k][1]*light[1] + inverse[k][2]*light[2]
		m.planes[0][i] = float32(max(0, sensor) * c.balance[k] * c.exposure)
	}
	return m
}

// filterAt is the colour of the mosaic: red and green, then green and blue.
func (c camera) filterAt(x, y int) int { return (x+c.phaseX)%2 + (y+c.phaseY)%2 }

// develop turns a mosaic into a picture.
func (c camera) develop(mosaic *picture) *picture {
	p := c.demosaic(mosaic)
	if c.luma > 0 {
		p = blur(p, c.luma)
	}
	for i := range p.planes[0] {
		var v [3]float64
		for k := range v {
			v[k] = float64(p.planes[k][i]) / c.balance[k] / c.exposure
		}
		for k := range v {
			light := c.colours[k][0]*v[0] + c.colours[k][1]*v[1] + c.colours[k][2]*v[2]
			p.planes[k][i] = float32(c.bend(math.Pow(min(max(light, 0), 1), 1/2.2)))
		}
	}
	if c.sigmaFilter > 0 {
		p = smooth(p, c.sigmaFilter, 0.8)
	}
	if c.chroma > 0 {
		p = blurChroma(p, c.chroma)
	}
	if c.sharpAmount > 0 {
		p = sharpen(p, c.sharpRadius, c.sharpAmount)
	}
	if c.scale != 1 {
		p = resize(p, c.scale, c.soft)
	}
	return p
}

// bend is an S-shaped tone curve, straighten its inverse.
func (c camera) bend(v float64) float64 { return v + c.contrast*v*(1-v)*(2*v-1)/1.5 }

func (c camera) straighten(v float64) float64 {
	x := v
	for range 20 { // the slope is at least 0.6, so this converges
		x = min(max(x-(c.bend(x)-v), 0), 1)
	}
	return x
}

// demosaic interpolates the missing colours.
func (c camera) demosaic(m *picture) *picture {
	p := newPicture(m.width, m.height, 3)
	w, h := m.width, m.height
	at := func(x, y int) float64 { // mirrored at edges, which keeps the colour of the mosaic
		x, y = mirror(x, w), mirror(y, h)
		return float64(m.planes[0][y*w+x])
	}
	for y := range h {
		for x := range w {
			p.planes[1][y*w+x] = float32(c.green(at, x, y))
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
func (c camera) green(at func(x, y int) float64, x, y int) float64 {
	v := at(x, y)
	if c.filterAt(x, y) == 1 {
		return v
	}
	left, right, up, down := at(x-1, y), at(x+1, y), at(x, y-1), at(x, y+1)
	if !c.edgeAware {
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
func (c camera) interpolate(p *picture, at func(x, y int) float64, k int) {
	w, h := p.width, p.height
	value := func(x, y int) float64 {
		v := at(x, y)
		if c.edgeAware {
			v -= float64(p.planes[1][mirror(y, h)*w+mirror(x, w)])
		}
		return v
	}
	for y := range h {
		for x := range w {
			sum, n := 0.0, 0
			for j := -1; j <= 1; j++ {
				for i := -1; i <= 1; i++ {
					if c.filterAt(x+i+2, y+j+2) == k && (i == 0 && j == 0 || c.filterAt(x, y) != k) {
						sum, n = sum+value(x+i, y+j), n+1
					}
				}
			}
			v := sum / float64(n)
			if c.edgeAware {
				v += float64(p.planes[1][y*w+x])
			}
			p.planes[k][y*w+x] = float32(v)
		}
	}
}

// invert inverts a matrix of 3 x 3.
func invert(m [3][3]float64) (inverse [3][3]float64) {
	cofactor := func(i, j int) float64 {
		a, b, c, d := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
		return m[a][c]*m[b][d] - m[a][d]*m[b][c]
	}
	det := m[0][0]*cofactor(0, 0) + m[0][1]*cofactor(0, 1) + m[0][2]*cofactor(0, 2)
	for i := range 3 {
		for j := range 3 {
			inverse[j][i] = cofactor(i, j) / det
		}
	}
	return inverse
}

func between(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }

func logBetween(r *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, r.Float64())
}
