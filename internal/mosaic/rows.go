package mosaic

import (
	"math"
	"slices"
)

const (
	// leastMasked is how many samples without light a row must have.
	leastMasked = 4
	// sure is how many standard deviations the variance of the means of rows must be above that of independent noise.
	sure = 4
	// outlier is how many standard deviations of the noise a sample of a row counts for at most: some are hot.
	outlier = 4
	// strongest is the largest standard deviation of the offsets, over that of the noise within rows.
	strongest = 2
)

// RowOffsets returns how far each row of a sensor is above the mean of all, or nil if that does not differ from noise.
// Masked are the samples beside each row that get no light; their columns alternate between two colours. The offsets
// are the most likely ones: those of few samples are closer to 0. Offsets much larger than the noise within rows are
// not those of a sensor, but of light that reaches the samples.
func RowOffsets(masked [][]float32) []float32 {
	least := math.MaxInt
	for _, row := range masked {
		least = min(least, len(row))
	}
	if len(masked) < leastMasked || least < leastMasked {
		return nil
	}
	black, n := blackOf(masked), float64(least)
	within, limit := 0.0, math.Inf(1)
	for range 3 { // hot ones count less each time
		within = withinRows(masked, black, limit) * math.Sqrt(n/(n-1))
		limit = outlier * within
	}
	means, between := make([]float64, len(masked)), 0.0
	for y := range masked {
		means[y] = rowMean(masked[y], black[y%side], limit)
		between += means[y] * means[y] / float64(len(masked))
	}
	chance := within * within / n
	rows := between - chance
	if rows < sure*chance*math.Sqrt(2/float64(len(masked))) || rows > strongest*strongest*within*within {
		return nil
	}
	offsets := make([]float32, len(masked))
	for y, v := range means {
		offsets[y] = float32(v * rows / between)
	}
	return offsets
}

// withinRows returns the standard deviation of samples from the mean of their row, if all vary as much. It is that of a
// normal distribution with the mean absolute difference.
func withinRows(masked [][]float32, black [side][side]float64, limit float64) float64 {
	sum, count := 0.0, 0
	for y, row := range masked {
		mean := rowMean(row, black[y%side], limit)
		for x, v := range row {
			sum += min(math.Abs(float64(v)-black[y%side][x%side]-mean), limit)
		}
		count += len(row)
	}
	return math.Sqrt(math.Pi/2) * sum / float64(count)
}

// rowMean returns how far the mean of a row is above black. Samples count for no more than a limit.
func rowMean(row []float32, black [side]float64, limit float64) (mean float64) {
	for x, v := range row {
		mean += min(max(float64(v)-black[x%side], -limit), limit) / float64(len(row))
	}
	return mean
}

// Lower takes a share of the offset of each row away from it, if there are offsets.
func (m Mosaic) Lower(offsets []float32, share float32) {
	for y, o := range offsets {
		row := m.Pix[y*m.Width:][:m.Width]
		for x := range row {
			row[x] -= share * o
		}
	}
}

// blackOf returns the means of the samples in even and odd rows and columns: of their middle half, since some are hot.
func blackOf(masked [][]float32) (black [side][side]float64) {
	var all [side][side][]float32
	for y, row := range masked {
		for x, v := range row {
			of := &all[y%side][x%side]
			*of = append(*of, v)
		}
	}
	for y := range all {
		for x, of := range all[y] {
			slices.Sort(of)
			middle := of[len(of)/4 : len(of)-len(of)/4]
			for _, v := range middle {
				black[y][x] += float64(v) / float64(len(middle))
			}
		}
	}
	return black
}
