package imageio

import (
	"image"
	"slices"
)

// Tags of DNG that tell how a picture is developed.
const (
	tagColorMatrix1     = 50721
	tagColorMatrix2     = 50722
	tagAsShotNeutral    = 50728
	tagBaselineExposure = 50730
	tagIlluminant1      = 50778
	tagIlluminant2      = 50779
)

// Development says how a picture is to look that is developed from a Mosaic. What the file does not tell, or tells with
// numbers that no camera has, is zero.
type Development struct {
	// Neutral is the red, green and blue of the sensor where the picture is white.
	Neutral [3]float64
	// Matrix gives the red, green and blue of the sensor for CIE XYZ, in daylight (D65) if the file tells that.
	Matrix [3][3]float64
	// Exposure is by how many stops the picture is lighter than the samples.
	Exposure float64

	turn orientation
}

// readDevelopment reads how the picture is developed.
func (d *dngFile) readDevelopment() {
	told := func(tag uint16, n int, least, most float64) []float64 {
		v, err := d.numbers(tag, uint64(n))
		if err != nil || len(v) != n || slices.Min(v) < least || slices.Max(v) > most {
			return nil
		}
		return v
	}
	out := &d.mosaic.Development
	copy(out.Neutral[:], told(tagAsShotNeutral, 3, 1e-3, 1e3))
	matrix := told(tagColorMatrix1, 9, -10, 10)
	const d65 = 21 // of LightSource in Exif
	if second := told(tagColorMatrix2, 9, -10, 10); matrix == nil ||
		second != nil && told(tagIlluminant1, 1, d65, d65) == nil {
		matrix = second
	}
	for i, v := range matrix {
		out.Matrix[i/3][i%3] = v
	}
	for _, v := range told(tagBaselineExposure, 1, -10, 10) {
		out.Exposure = v
	}
	for _, v := range told(tagOrientation, 1, 1, 8) {
		out.turn = orientation(v)
	}
}

// Upright turns a developed picture, or a part of one, upright in place.
func (d *Development) Upright(img *Image) { d.turn.apply(img) }

// Stored returns where in the plane a part of the upright active area lies.
func (m *Mosaic) Stored(upright image.Rectangle) image.Rectangle {
	back, size := m.Development.turn, m.Active.Size()
	switch back { // all others turn back what they turn
	case 6:
		back = 8
	case 8:
		back = 6
	}
	if back.transposed() {
		size = image.Pt(size.Y, size.X)
	}
	return back.rectangle(upright, size.X, size.Y).Add(m.Active.Min)
}
