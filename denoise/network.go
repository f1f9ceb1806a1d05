package denoise

import (
	"github.com/blorc-denoise/blorc-denoise/models"
)

// A U-Net makes the pilots for white noise, where there is time for it: what the passes on groups of patches and the
// guided stages for colours start from. The network was trained on many pictures; the passes find similar patches in
// this one. The network also has a share in the result. At fast quality it is the result; then a gray image has a small
// one. Where the colours have a noise level of their own, and for weak noise at fast quality, it gets the luma alone.

// minAlone is the level of noise, in gray levels, from which the network removes the noise of colour images alone, at
// fast quality. Below it, stages remove the noise of the colours: they keep saturated colours better.
const minAlone = 16

// forNetwork returns the planes for a network: all of them, or the luma of colours.
func (img image) forNetwork(planes int, by pool) [][]float32 {
	if planes == len(img.planes) {
		return img.planes
	}
	luma := make([]float32, img.width*img.height)
	by.pieces(len(luma), func(from, to int) {
		red, green, blue := img.planes[0][from:to], img.planes[1][from:to], img.planes[2][from:to]
		for i, r := range red {
			luma[from+i], _, _ = toLuma(r, green[i], blue[i])
		}
	})
	return [][]float32{luma}
}

// runNetwork runs the network, if there is one. It returns the results, or nil, and the job for the rest of the work.
func (n evenNoise) runNetwork(j job, img image) ([][]float32, job, error) {
	planes := n.networkPlanes(len(img.planes), j.Options)
	if planes == 0 {
		return nil, j, nil
	}
	by := j.pool()
	samples := img.forNetwork(planes, by)
	var pilots [][]float32
	for _, p := range samples {
		if err := j.err(); err != nil {
			return nil, j, err
		}
		pilots = append(pilots, by.clone(p))
	}
	time := networkTime
	if j.Quality == Fast && planes == len(img.planes) {
		time = 1
	}
	r := rangeFor(pilots, float32(n.sigma))
	r.bound(pilots)
	if err := j.err(); err != nil {
		return nil, j, err
	}
	levels, err := n.meanOfPages(j, pilots, img)
	if err != nil {
		return nil, j, err
	}
	network, ok := models.NetworkFor(len(pilots), j.Quality == Fast)
	if !ok {
		return nil, j, badArgument("no network is for %d planes", len(pilots))
	}
	err = network.Run(j.ctx, pilots, levels, img.width, img.height, float32(n.sigma), j.Workers,
		j.between(0, time).Progress)
	if err != nil {
		return nil, j, err
	}
	r.undo(pilots, samples)
	return pilots, j.between(time, 1), nil
}

// networkBeyond is the distance from the range of most samples beyond which the network gets bounded samples, in noise
// levels. A network is for levels from 3 on, so full scale is at most 85 of them, and this touches no picture of usual
// range.
const networkBeyond = 128

// noiseBelow is how many noise levels below 0 the samples of a black picture reach: one in 200 is below 2.6.
const noiseBelow = 3

// networkRange is the range of samples for a network. The network was trained on pictures whose darkest samples are
// near 0 and whose lightest are at most 255 times the level of the noise. It would spoil what is around a sample that
// is far outside, such as a star or a broken one.
type networkRange struct {
	black     float32 // becomes 0
	low, high float32 // samples outside are moved to these bounds
}

// rangeFor returns the range for planes with noise of a level: that of most samples, and some beyond.
func rangeFor(planes [][]float32, sigma float32) networkRange {
	span, low := dynamicRange(planes)
	r := networkRange{low: float32(low) - networkBeyond*sigma, high: float32(low+span) + networkBeyond*sigma}
	if low > span || low < -noiseBelow*float64(sigma) {
		r.black = float32(low)
	}
	return r
}

// bound prepares samples for the network.
func (r networkRange) bound(planes [][]float32) {
	for _, p := range planes {
		for i, v := range p {
			p[i] = min(max(v, r.low), r.high) - r.black
		}
	}
}

// undo adds to results of the network what bound took from the samples.
func (r networkRange) undo(results, samples [][]float32) {
	for k, p := range results {
		for i, v := range samples[k] {
			p[i] += r.black
			if v < r.low || v > r.high {
				p[i] += v - min(max(v, r.low), r.high)
			}
		}
	}
}

// networkTime is about the share of the time that the network takes if stages follow.
const networkTime = 0.5

// networkPlanes returns how many planes of an image a network gets: all of them, or 1 for the luma of colours, or 0 if
// there is no network for the noise.
func (n evenNoise) networkPlanes(planes int, o Options) int {
	if n.correlated || !o.Models.refined(false) {
		return 0
	}
	level, fast := 255*n.sigma/n.unit, o.Quality == Fast
	pays := func(planes int) bool {
		network, ok := models.NetworkFor(planes, fast)
		return ok && level >= network.From
	}
	switch {
	case planes == 3 && n.chroma == 0 && pays(3) && (!fast || level >= minAlone):
		return 3
	case pays(1):
		return 1
	}
	return 0
}
