package baseline

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// shrinkage shrinks the coefficients of a noisy group in place and returns the weight of the group in the average. The
// group has count blocks, transformed in three dimensions; the Hadamard transform along the blocks is not normalized.
// pilot holds the coefficients of the same group in the pilot.
type shrinkage func(noisy, pilot []float32, count int) (weight float32)

// hardThreshold sets coefficients below the threshold to zero. The threshold is for an orthonormal transform, in gray
// levels. The weight is one over the number of coefficients kept, to which the remaining variance is proportional.
func hardThreshold(threshold float32) shrinkage {
	return func(noisy, _ []float32, count int) float32 {
		limit := threshold * float32(math.Sqrt(float64(count)))
		kept := 0
		for i, v := range noisy {
			if v > -limit && v < limit {
				noisy[i] = 0
			} else {
				kept++
			}
		}
		return 1 / float32(max(1, kept))
	}
}

// wiener multiplies each coefficient by p^2 / (p^2 + sigma^2), where p is the coefficient of the pilot and sigma is in
// gray levels. The weight is one over the sum of the squared factors.
func wiener(sigma float32) shrinkage {
	return func(noisy, pilot []float32, count int) float32 {
		variance := sigma * sigma * float32(count)
		sum := float32(0)
		for i, p := range pilot {
			a := p * p / (p*p + variance)
			noisy[i] *= a
			sum += a * a
		}
		return 1 / max(sum, 1e-6)
	}
}

// bm3dBand is the work on the reference blocks of neighbouring rows. Rows are counted from the top of the plane.
type bm3dBand struct {
	stage        bm3dStage
	noisy, pilot patchify.Plane
	xs, ys       []int
	first, end   int       // the corners of all blocks that may be in a group are on rows first..end-1
	yCoefs       []float32 // transformed blocks of the noisy plane with corners on rows first..end-1
	pCoefs       []float32 // the same for the pilot
	sum, weight  []float32 // weighted sums of filtered samples and sums of weights, for rows first..end+size-2
}

func newBand(s bm3dStage, noisy, pilot patchify.Plane, xs, ys []int) *bm3dBand {
	b := &bm3dBand{stage: s, noisy: noisy, pilot: pilot, xs: xs, ys: ys,
		first: max(0, ys[0]-bm3dWindow), end: min(noisy.Height-s.size, ys[len(ys)-1]+bm3dWindow) + 1}
	samples := (b.end - b.first + s.size - 1) * noisy.Width
	b.sum, b.weight = make([]float32, samples), make([]float32, samples)
	return b
}

// filter filters all groups of the band and fills sum and weight.
func (b *bm3dBand) filter() {
	s := b.stage
	b.yCoefs = b.transformAll(b.noisy)
	b.pCoefs = b.yCoefs
	if &b.pilot.Pix[0] != &b.noisy.Pix[0] {
		b.pCoefs = b.transformAll(b.pilot)
	}
	n := s.size * s.size
	group, pilot, scratch := make([]float32, s.most*n), make([]float32, s.most*n), make([]float32, n)
	for _, list := range search(b.pilot, b.xs, b.ys, s.size, s.most, s.threshold) {
		count := 1
		for 2*count <= len(list) {
			count *= 2
		}
		b.gather(group, b.yCoefs, list[:count])
		b.gather(pilot, b.pCoefs, list[:count])
		weight := s.shrink(group[:count*n], pilot[:count*n], count)
		hadamard(group, count, n)
		for i, m := range list[:count] {
			block := group[i*n : (i+1)*n]
			s.transform.apply(s.transform.inverse, block, block, scratch)
			b.add(block, m, weight, 1/float32(count))
		}
	}
	b.yCoefs, b.pCoefs = nil, nil
}

// transformAll returns the coefficients of the block at every position of the band, row by row.
func (b *bm3dBand) transformAll(plane patchify.Plane) []float32 {
	size := b.stage.size
	n := size * size
	across := plane.Width - size + 1
	coefs := make([]float32, (b.end-b.first)*across*n)
	block, scratch := make([]float32, n), make([]float32, n)
	for y := b.first; y < b.end; y++ {
		for x := range across {
			patchify.ExtractLane(block, 1, 0, plane, x, y, size)
			at := ((y-b.first)*across + x) * n
			b.stage.transform.apply(b.stage.transform.forward, coefs[at:at+n], block, scratch)
		}
	}
	return coefs
}

// gather copies the coefficients of the blocks of a group and transforms along the blocks.
func (b *bm3dBand) gather(group, coefs []float32, list matches) {
	n := b.stage.size * b.stage.size
	across := b.noisy.Width - b.stage.size + 1
	for i, m := range list {
		x, y := int(m.at)%b.noisy.Width, int(m.at)/b.noisy.Width
		copy(group[i*n:(i+1)*n], coefs[((y-b.first)*across+x)*n:])
	}
	hadamard(group, len(list), n)
}

// add adds a filtered block times scale to the sums at its place.
func (b *bm3dBand) add(block []float32, m match, weight, scale float32) {
	size, at := b.stage.size, int(m.at)-b.first*b.noisy.Width
	for r := range size {
		sum, total := b.sum[at:at+size], b.weight[at:at+size]
		for c, v := range block[r*size : (r+1)*size] {
			w := weight * b.stage.window[r*size+c]
			sum[c] += w * scale * v
			total[c] += w
		}
		at += b.noisy.Width
	}
}

// addTo adds the band to the sums of the whole plane.
func (b *bm3dBand) addTo(sum, weight []float32) {
	at := b.first * b.noisy.Width
	for i, v := range b.sum {
		sum[at+i] += v
		weight[at+i] += b.weight[i]
	}
}
