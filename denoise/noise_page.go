package denoise

import (
	"math"
	"slices"
)

// A page is strong strokes on flat paper, as text and line drawings are. Its strokes tell nothing about noise. Where the gaps between
// strokes are narrow, other estimators take the strokes for noise. So the noise of the paper bounds the level.
const (
	pageBlock  = 8 // side of the blocks that tell a page, in samples
	paperBlock = 4 // side of the blocks that show the noise of the paper
	pageBlocks = 1 << 15

	flatContrast   = 0.125 // largest range of samples in a flat block, as a share of the range of the plane
	strokeContrast = 0.5   // least range of samples in a block with strokes

	// mostBetween is the share of blocks between both, of all that are not flat, that a page has at most. The photographs of BSD500, of
	// Urban-100 (001-050) and of PolyU have 0.14 or more.
	mostBetween = 0.13
	leastPaper  = 0.15 // share of flat small blocks of a page, at least
	leastDrawn  = 16   // blocks that are not flat

	mostOverPaper = 2 // noise above this multiple of the paper's comes from strokes

	// Paper that is as bright as a file can tell shows the darker half of its noise. A normal variable that is clipped at its mean has
	// a variance of 1/2 - 1/(2 pi) of its own.
	leastClipped = 0.25
	clippedHalf  = 0.5 - 1/(2*math.Pi)
)

// boundByPaper replaces noise that the paper of a page does not have.
func (s stretched) boundByPaper(found foundNoise) foundNoise {
	switch found.(type) {
	case gaussianNoise, broadNoise:
	default:
		return found
	}
	paper, ok := s.paper()
	if !ok || found.result().Sigma <= mostOverPaper*255*paper*s.unit {
		return found
	}
	return newGaussian(paper*s.unit, s.unit, true)
}

// paper returns the standard deviation of the flat blocks of a page. It is false for other pictures.
func (img image) paper() (sigma float64, ok bool) {
	var between, strokes, small int
	var variances []float64
	for _, p := range img.planes {
		low, high := float32(math.Inf(1)), float32(math.Inf(-1))
		for _, v := range p {
			low, high = min(low, v), max(high, v) // samples that are not finite make the range useless: then there is no page
		}
		scale := 1 / float64(high-low)
		if !(scale > 0) || math.IsInf(scale, 0) {
			continue // a plane of one value
		}
		img.eachBlock(pageBlock, func(x, y int) {
			switch c := img.block(p, x, y, pageBlock).contrast() * scale; {
			case c >= strokeContrast:
				strokes++
			case c >= flatContrast:
				between++
			}
		})
		img.eachBlock(paperBlock, func(x, y int) {
			small++
			if b := img.block(p, x, y, paperBlock); b.contrast()*scale < flatContrast {
				variances = append(variances, b.variance(low, high))
			}
		})
	}
	if between+strokes < leastDrawn || float64(between) > mostBetween*float64(between+strokes) || float64(len(variances)) < leastPaper*float64(small) {
		return 0, false
	}
	slices.Sort(variances)
	return math.Sqrt(variances[len(variances)/2]), true
}

// eachBlock calls f for the corners of blocks that are spread over a plane, about pageBlocks for all planes.
func (img image) eachBlock(side int, f func(x, y int)) {
	step := side
	for len(img.planes)*(img.width/step)*(img.height/step) > pageBlocks {
		step++
	}
	for y := 0; y+side <= img.height; y += step {
		for x := 0; x+side <= img.width; x += step {
			f(x, y)
		}
	}
}

// sampleBlock is the samples of a block.
type sampleBlock []float32

// block returns the block of a plane at (x, y).
func (img image) block(p []float32, x, y, side int) sampleBlock {
	b := make(sampleBlock, 0, side*side)
	for row := range side {
		b = append(b, p[(y+row)*img.width+x:][:side]...)
	}
	return b
}

func (b sampleBlock) contrast() float64 { return float64(slices.Max(b) - slices.Min(b)) }

// variance returns the variance of the noise in a block of a plane with samples from low to high.
func (b sampleBlock) variance(low, high float32) float64 {
	sum, squares, ends := 0.0, 0.0, 0.0
	for _, v := range b {
		d := float64(v - b[0])
		sum += d
		squares += d * d
		if v == low || v == high {
			ends++
		}
	}
	n := float64(len(b))
	variance := max(0, squares-sum*sum/n) / (n - 1)
	if ends >= leastClipped*n {
		variance /= clippedHalf
	}
	return variance
}
