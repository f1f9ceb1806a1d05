package estimate

import (
	"math"
	"slices"
)

// Broad measures noise whose fine part is gone, as cameras and compressors leave it: it looks at the picture at half its
// size. The noise is the energy in the upper half of the frequencies of 8 x 8 patches there, which are the middle ones of
// the picture itself.
type Broad struct {
	Level      float64 // from the lower third of the patches' energies: about 0.6 of the root mean square of camera noise
	Everywhere float64 // what nine tenths of the patches have at least, on the same scale
}

// The lower third varies little against the noise of real pairs and still avoids texture. With the factor, the level of
// white noise is about its standard deviation. Models are made for levels, so none of this may change without them.
const (
	broadShare      = 0.3
	everywhereShare = 0.1
	broadFactor     = 1.9
)

// MeasureBroad measures the mean of planes of width x height samples, in the units of the samples. Patches that are
// clipped or flat do not count. The result is finite and never negative, and zero for images that are too small.
func MeasureBroad(planes [][]float32, width, height int) Broad {
	half, w, h := halfMean(planes, width, height)
	side := min(maxSide, w, h)
	if side < 2 {
		return Broad{}
	}
	g := newGrid([][]float32{half}, w, h, side)
	var energies []float64
	for _, p := range usable(g.survey(), side) {
		energies = append(energies, p.fine/float64(len(g.high)))
	}
	if len(energies) == 0 {
		return Broad{}
	}
	slices.Sort(energies)
	at := func(share float64) float64 {
		return broadFactor * math.Sqrt(energies[int(share*float64(len(energies)-1))])
	}
	return Broad{Level: at(broadShare), Everywhere: at(everywhereShare)}
}

// halfMean is the mean of the planes at half their size.
func halfMean(planes [][]float32, width, height int) (half []float32, w, h int) {
	w, h = width/2, height/2
	half = make([]float32, w*h)
	for _, p := range planes {
		for y := range h {
			above, below := p[2*y*width:][:width], p[(2*y+1)*width:][:width]
			for x := range w {
				half[y*w+x] += above[2*x] + above[2*x+1] + below[2*x] + below[2*x+1]
			}
		}
	}
	for i := range half {
		half[i] /= float32(4 * len(planes))
	}
	return half, w, h
}
