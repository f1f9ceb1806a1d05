package denoise

import "math"

// halved returns a plane at half the size, and the mean square of what it has lost.
func (img image) halved() (small image, lost float64) {
	one := pool{workers: 1}
	small = img.reduced(2, one)
	blurred := make([]float32, len(img.planes[0]))
	addEnlarged(blurred, img.width, small.planes[0], small.width, small.height, 2, one)
	for i, v := range img.planes[0] {
		d := float64(v - blurred[i])
		lost += d * d / float64(len(blurred))
	}
	return small, lost
}

// reduced averages squares of side x side samples. What is left over at the right and the lower edge belongs to the
// last ones.
func (img image) reduced(side int, by pool) image {
	small := image{nil, img.width / side, img.height / side}
	for _, p := range img.planes {
		q := make([]float32, small.width*small.height)
		by.each(small.height, func(y int) {
			row := q[y*small.width:][:small.width]
			for j := range side {
				addSums(row, p[(y*side+j)*img.width:], side)
			}
			for x := range row {
				row[x] /= float32(side * side)
			}
		})
		small.planes = append(small.planes, q)
	}
	return small
}

// addSums adds to each sample of a row the next ones of another row, side for each.
func addSums(row, samples []float32, side int) {
	for x, sum := range row {
		for _, v := range samples[x*side:][:side] {
			sum += v
		}
		row[x] = sum
	}
}

// addEnlarged adds a plane of width w and height h, enlarged by a whole number, to another one. It interpolates with
// the cubic of E. Catmull and R. Rom.
func addEnlarged(plane []float32, width int, small []float32, w, h, scale int, by pool) {
	height := len(plane) / width
	xs, ys := tapsOf(width, w, scale), tapsOf(height, h, scale)
	by.pieces(len(plane), func(from, to int) {
		across := make([]float32, 4)
		for i := from; i < to; i++ {
			tx, ty := &xs[i%width], &ys[i/width]
			for j, y := range ty.at {
				row := small[y*w:]
				across[j] = tx.weights[0]*row[tx.at[0]] + tx.weights[1]*row[tx.at[1]] + tx.weights[2]*row[tx.at[2]] +
					tx.weights[3]*row[tx.at[3]]
			}
			plane[i] += ty.weights[0]*across[0] + ty.weights[1]*across[1] + ty.weights[2]*across[2] +
				ty.weights[3]*across[3]
		}
	})
}

// tap says which samples of the small plane a sample of the large one comes from.
type tap struct {
	at      [4]int
	weights [4]float32
}

func tapsOf(length, small, scale int) []tap {
	taps := make([]tap, length)
	for i := range taps {
		centre := (float64(i)+0.5)/float64(scale) - 0.5
		first := math.Floor(centre)
		f := centre - first
		weights := [4]float64{
			f * (-0.5 + f*(1-0.5*f)),
			1 + f*f*(1.5*f-2.5),
			f * (0.5 + f*(2-1.5*f)),
			f * f * (0.5*f - 0.5),
		}
		for j := range taps[i].at {
			taps[i].at[j] = min(max(int(first)-1+j, 0), small-1)
			taps[i].weights[j] = float32(weights[j])
		}
	}
	return taps
}
