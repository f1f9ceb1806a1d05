package estimate

import (
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Broad is the level of noise without fine detail, as cameras and compressors leave it, on the scale of the samples. It is
// measured on the image at half its size, from the energy in the upper half of the frequencies of 8 x 8 patches. These are the
// middle frequencies of the image at full size. Both fields are quantiles of the same measure over all patches.
type Broad struct {
	Level       float64 // 30 % quantile: about 0.6 of the root mean square of camera noise
	LowQuantile float64 // 10 % quantile: nine tenths of the patches have at least as much noise
}

// On real pairs of noisy and clean photographs, the 30 % quantile varies little relative to the noise and still avoids texture.
// The factor makes the level of white noise about its standard deviation. Models are trained for levels, so a change of any of
// these needs new models.
const (
	broadShare  = 0.3
	lowShare    = 0.1
	broadFactor = 1.9
)

// MeasureBroad measures the mean of the planes, each of width x height samples in rows. Patches that are clipped or flat do not
// count. The result is finite, at least 0, and zero for images with fewer than 4 samples in one direction.
func MeasureBroad(planes [][]float32, width, height, workers int) Broad {
	half, w, h := halfMean(planes, width, height, workers)
	side := min(maxSide, w, h)
	if side < 2 {
		return Broad{}
	}
	g := newGrid([][]float32{half}, w, h, side)
	var energies []float64
	for _, p := range usable(g.survey(workers), side) {
		energies = append(energies, p.fine/float64(len(g.high)))
	}
	if len(energies) == 0 {
		return Broad{}
	}
	slices.Sort(energies)
	at := func(share float64) float64 {
		return broadFactor * math.Sqrt(energies[int(share*float64(len(energies)-1))])
	}
	return Broad{Level: at(broadShare), LowQuantile: at(lowShare)}
}

// halfMean returns the mean of the planes at half their size, w x h samples. An odd last row or column is dropped.
func halfMean(planes [][]float32, width, height, workers int) (half []float32, w, h int) {
	w, h = width/2, height/2
	half = make([]float32, w*h)
	_ = parallel.For(context.Background(), workers, h, func(_, y int) { // too short to stop
		row := half[y*w:][:w]
		for i, p := range planes {
			above, below := p[2*y*width:][:2*w], p[(2*y+1)*width:][:2*w]
			if i == 0 { // reading new memory before it is written takes time
				for x := range row {
					row[x] = above[2*x] + above[2*x+1] + below[2*x] + below[2*x+1]
				}
				continue
			}
			for x := range row {
				row[x] += above[2*x] + above[2*x+1] + below[2*x] + below[2*x+1]
			}
		}
		for x := range row {
			row[x] /= float32(4 * len(planes))
		}
	})
	return half, w, h
}
