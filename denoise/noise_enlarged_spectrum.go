package denoise

import (
	"context"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

const (
	lineLength = 128
	maxLines   = 500 // in each direction, about
)

// spectrum returns the mean power of rows and columns of a plane by frequency, from 0 to half a cycle a sample: white
// noise has its variance everywhere. It is nil for small planes.
func spectrum(plane []float32, width, height, workers int) []float64 {
	if width < lineLength || height < lineLength {
		return nil
	}
	t := newLineTables()
	places := linesOf(width, height)
	powers := make([]*linePower, len(places))
	_ = parallel.For(context.Background(), workers, len(places), func(_, i int) { // too short to stop
		powers[i] = t.power(plane[places[i].at:], places[i].stride)
	})
	sum, lines := make([]float64, lineLength/2+1), 0.0
	// in the order of the places, so that the sums are the same for any number of workers
	for _, power := range powers {
		if power == nil {
			continue
		}
		for k, v := range power {
			sum[k] += v
		}
		lines++
	}
	for k := range sum {
		sum[k] /= max(1, lines)
	}
	return sum
}

// linePlace is where a line of samples begins in a plane, and how far apart its samples are.
type linePlace struct{ at, stride int }

// linesOf returns the places of some lines in rows, and then of some in columns.
func linesOf(width, height int) (places []linePlace) {
	rows, columns := width/lineLength, height/lineLength
	stepY, stepX := max(1, rows*height/maxLines|1), max(1, columns*width/maxLines|1)
	for y := 0; y < height; y += stepY {
		for i := range rows {
			places = append(places, linePlace{y*width + i*lineLength, 1})
		}
	}
	for x := 0; x < width; x += stepX {
		for i := range columns {
			places = append(places, linePlace{i*lineLength*width + x, width})
		}
	}
	return places
}

// linePower is the power of a line by frequency.
type linePower [lineLength/2 + 1]float64

// lineTables are the window of a line, the sum of its squares, and one cycle of a cosine and a sine.
type lineTables struct {
	window, cosine, sine [lineLength]float64
	norm                 float64
}

func newLineTables() *lineTables {
	t := new(lineTables)
	for i := range t.window { // F. J. Harris, 1978
		x := 2 * math.Pi * (float64(i) + 0.5) / lineLength
		t.window[i] = 0.35875 - 0.48829*math.Cos(x) + 0.14128*math.Cos(2*x) - 0.01168*math.Cos(3*x)
		t.norm += t.window[i] * t.window[i]
		t.sine[i], t.cosine[i] = math.Sincos(2 * math.Pi * float64(i) / lineLength)
	}
	return t
}

// power returns the power of a line, or nil if its samples are not finite.
func (t *lineTables) power(samples []float32, stride int) *linePower {
	var line [lineLength]float64
	mean := 0.0
	for i := range line {
		line[i] = float64(samples[i*stride])
		mean += line[i] / lineLength
	}
	if !isFinite(mean) {
		return nil
	}
	for i := range line {
		line[i] = (line[i] - mean) * t.window[i]
	}
	power := new(linePower)
	for k := range power {
		re, im := 0.0, 0.0
		for i, v := range line {
			re += v * t.cosine[i*k%lineLength]
			im += v * t.sine[i*k%lineLength]
		}
		power[k] = (re*re + im*im) / t.norm
	}
	return power
}
