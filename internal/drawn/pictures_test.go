package drawn

import (
	"math"
	"math/rand/v2"
)

const across, down = 320, 240

// draw returns a plane with the samples that at gives.
func draw(at func(x, y int) float64) []float32 {
	p := make([]float32, across*down)
	for i := range p {
		p[i] = float32(at(i%across, i/across))
	}
	return p
}

// slope is a picture without noise, of 0 to 1.
func slope(x, y int) float64 {
	return 0.5 + 0.25*math.Sin(float64(x)/60) + 0.2*math.Cos(float64(y)/45)
}

// levels rounds to equally spaced levels of 0 to 1.
func levels(v float64, n int) float64 {
	return math.Round(min(max(v, 0), 1)*float64(n-1)) / float64(n-1)
}

// cells draws a map of labels: each cell around a random point has a number of its own.
func cells(n int, number func(cell int) float64) []float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	xs, ys := make([]float64, n), make([]float64, n)
	for i := range n {
		xs[i], ys[i] = rng.Float64()*across, rng.Float64()*down
	}
	return draw(func(x, y int) float64 {
		best, nearest := math.Inf(1), 0
		for i := range n {
			if d := math.Hypot(xs[i]-float64(x), ys[i]-float64(y)); d < best {
				best, nearest = d, i
			}
		}
		return number(nearest)
	})
}

// strokes draws dark strokes with smooth edges on white paper, in 8 bits.
func strokes() []float32 {
	rng := rand.New(rand.NewPCG(3, 4))
	p := draw(func(int, int) float64 { return 1 })
	for range 250 {
		x0, y0, angle := rng.Float64()*across, rng.Float64()*down, float64(rng.IntN(8))*math.Pi/4
		for dy := -14; dy <= 14; dy++ {
			for dx := -14; dx <= 14; dx++ {
				x, y := int(x0)+dx, int(y0)+dy
				if x < 0 || y < 0 || x >= across || y >= down {
					continue
				}
				u, v := float64(x)-x0, float64(y)-y0
				along, beside := u*math.Cos(angle)+v*math.Sin(angle), v*math.Cos(angle)-u*math.Sin(angle)
				cover := min(max(1.2-math.Abs(beside), 0), 1) * min(max(7-math.Abs(along), 0), 1)
				i := y*across + x
				p[i] = float32(levels(min(float64(p[i]), 1-0.9*cover), 256))
			}
		}
	}
	return p
}

// ordered mixes n levels by a matrix of 4 x 4 thresholds.
func ordered(n int) []float32 {
	matrix := [16]float64{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5}
	return draw(func(x, y int) float64 {
		return levels(slope(x, y)+((matrix[y%4*4+x%4]+0.5)/16-0.5)/float64(n-1), n)
	})
}

// diffused mixes n levels by giving the error of each sample to those right of it and below it (Floyd and Steinberg).
func diffused(n int) []float32 {
	wanted := make([]float64, across*down)
	for i := range wanted {
		wanted[i] = slope(i%across, i/across)
	}
	return draw(func(x, y int) float64 {
		i := y*across + x
		v := levels(wanted[i], n)
		for _, to := range []struct{ dx, dy, share int }{{1, 0, 7}, {-1, 1, 3}, {0, 1, 5}, {1, 1, 1}} {
			if x+to.dx >= 0 && x+to.dx < across && y+to.dy < down {
				wanted[i+to.dy*across+to.dx] += (wanted[i] - v) * float64(to.share) / 16
			}
		}
		return v
	})
}

// noisy draws a picture with white noise of n levels.
func noisy(sigma float64, n int) []float32 {
	rng := rand.New(rand.NewPCG(5, 6))
	return draw(func(x, y int) float64 { return levels(slope(x, y)+sigma*rng.NormFloat64(), n) })
}

// photons draws counts of photons, mean of them on average for a sample of 1.
func photons(mean float64) []float32 {
	rng := rand.New(rand.NewPCG(7, 8))
	return draw(func(x, y int) float64 {
		n, limit := 0, math.Exp(-mean*slope(x, y))
		for product := rng.Float64(); product > limit; product *= rng.Float64() {
			n++
		}
		return float64(n) / 255
	})
}

// repeated enlarges a plane by repeating its samples.
func repeated(p []float32, times int) []float32 {
	return draw(func(x, y int) float64 { return float64(p[y/times*across+x/times]) })
}
