package camera

import "math"

// ISO limits of Typical.
const (
	MinISO = 50
	MaxISO = 1_000_000
)

// Typical returns a camera as they are sold, at a sensitivity: its sensor holds 40,000 electrons at ISO 100, and
// reading it adds between 2 and 6 electrons.
func Typical(iso float64) Camera {
	const saturation = 0.35
	c := Camera{
		Balance:     [3]float64{1 / 2.0, 1, 1 / 1.6},
		Exposure:    0.9,
		EdgeAware:   true,
		Contrast:    0.3,
		Chroma:      1.2,
		Luma:        0.5,
		SharpRadius: 1,
		SharpAmount: 0.6,
		Scale:       1,
		Half:        true,
	}
	for i := range 3 {
		for j := range 3 {
			c.Colours[i][j] = -saturation / 2
			if i == j {
				c.Colours[i][j] = 1 + saturation
			}
		}
	}
	c.SetISO(iso)
	return c
}

// SetISO sets the noise to that of a sensitivity.
func (c *Camera) SetISO(iso float64) {
	c.Photons = 40_000 * 100 / iso
	c.Read = math.Hypot(2, 6*100/iso) / c.Photons
}
