package denoise

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// A page is strong strokes on flat paper, as text and line drawings are. Its strokes tell nothing about noise. Where the gaps between
// strokes are narrow, other estimators take the strokes for noise. So the noise of the paper bounds the level.
const (
	pageSide  = 8 // of the blocks that tell a page, in samples
	paperSide = 4 // of the blocks that show the noise of the paper

	mostPageBlocks = 1 << 15

	flatContrast   = 0.125 // largest range of samples in a flat block, as a share of the range of the plane
	strokeContrast = 0.5   // least range of samples in a block with strokes

	// mostBetween is the share of blocks between both, of all that are not flat, that a page has at most. The photographs of BSD500, of
	// Urban-100 (001-050) and of PolyU have 0.14 or more.
	mostBetween = 0.13
	leastPaper  = 0.15 // share of flat small blocks of a page, at least
	leastDrawn  = 16   // blocks that are not flat

	// Drawings in few colours, such as comics, have more blocks between. Nearly all of their small blocks are flat. Of 264 photographs, one
	// has both.
	mostBetweenDrawing = 0.3
	leastPaperDrawing  = 0.6

	mostOverPaper = 2 // white noise above this multiple of the paper's comes from strokes

	// The level of broad noise is 2 to 3 times its standard deviation. Levels above a multiple of the paper's come from strokes. For drawings
	// it is higher, because of the photographs that look like them.
	mostOverPage, mostOverDrawing = 3.5, 6.5
	usualBroad                    = 2.7

	// Noise of paper that is found in part: a level below a share of the paper's becomes a multiple of it. Weaker noise may be a fine print.
	leastOfPaper = 0.5
	raisedBroad  = 1.5
	leastSeen    = 2.0 / 255

	// Paper that is as bright as a file can tell shows the darker half of its noise. A normal variable that is clipped at its mean has
	// a variance of 1/2 - 1/(2 pi) of its own.
	leastClipped = 0.25
	clippedHalf  = 0.5 - 1/(2*math.Pi)
)

// boundByPaper replaces noise that the paper of a page or of a drawing does not have.
func (s evidence) boundByPaper(found foundNoise) (foundNoise, bool) {
	switch found.(type) {
	case gaussianNoise, broadNoise:
	default:
		return nil, false
	}
	paper, page, ok := s.pageBlocks(s.curve, s.o.Workers).pageOrDrawing()
	if !ok {
		return nil, false
	}
	most := mostOverDrawing
	if page {
		most = mostOverPage
	}
	level := found.result().Sigma / (255 * s.unit)
	luma := 1.0 // the grain of paper is the same in red, green and blue
	if len(s.planes) == 3 {
		luma = math.Sqrt(3)
	}
	_, broad := found.(broadNoise)
	switch {
	case broad && level > most*luma*paper:
		return newBroad(usualBroad*luma*paper*s.unit, s.unit, true), true
	case page && !broad && level > mostOverPaper*paper:
		return newGaussian(paper*s.unit, s.unit, true), true
	case level < leastOfPaper*paper && paper > leastSeen:
		return newBroad(raisedBroad*luma*paper*s.unit, s.unit, true), true
	}
	return nil, false
}

// pageBlocks looks at the blocks of an image that tell a page. The curve may know the ranges of the planes.
func (img image) pageBlocks(curve noisecurve.Curve, workers int) *pageBlocks {
	var all pageBlocks
	for i, p := range img.planes {
		low, high, ok := curve.Range(i)
		if !ok {
			low, high = rangeOf(p, workers)
		}
		scale := 1 / float64(high-low)
		if !(scale > 0) || math.IsInf(scale, 0) {
			continue // a plane of one value
		}
		img.eachBlock(&all, pageSide, workers, p, func(n *pageBlocks, b sampleBlock) {
			switch c := b.contrast() * scale; {
			case c >= strokeContrast:
				n.strokes++
			case c >= flatContrast:
				n.between++
			}
		})
		img.eachBlock(&all, paperSide, workers, p, func(n *pageBlocks, b sampleBlock) {
			n.small++
			if b.contrast()*scale < flatContrast {
				n.variances = append(n.variances, b.variance(low, high))
			}
		})
	}
	return &all
}

// rangeOf returns the least and the largest sample of a plane. Samples that are not finite make the range useless: then there is no page.
func rangeOf(p []float32, workers int) (low, high float32) {
	low, high = float32(math.Inf(1)), float32(math.Inf(-1))
	var mu sync.Mutex
	pieces(workers, len(p), func(from, to int) {
		l, h := ends(p[from:to])
		mu.Lock()
		defer mu.Unlock()
		low, high = min(low, l), max(high, h)
	})
	return low, high
}

// ends returns the least and the largest sample, or NaN if one sample is.
func ends(p []float32) (low, high float32) {
	low, high = float32(math.Inf(1)), float32(math.Inf(-1))
	for _, v := range p { // comparisons take less time than min and max
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
		if v != v {
			return v, v
		}
	}
	return low, high
}

// pageBlocks says what the blocks of a picture look like.
type pageBlocks struct {
	strokes, between int       // blocks that tell a page
	small            int       // blocks that may show paper
	variances        []float64 // of the noise of those that are flat
}

func (n *pageBlocks) add(other pageBlocks) {
	n.strokes += other.strokes
	n.between += other.between
	n.small += other.small
	n.variances = append(n.variances, other.variances...)
}

// paper returns the standard deviation of the noise of the paper, or false if the blocks are not those of a page.
func (n *pageBlocks) paper() (sigma float64, ok bool) {
	return n.flat(mostBetween, leastPaper)
}

// pageOrDrawing returns the standard deviation of the noise of the paper, and whether the picture is a page. It is false for pictures that are
// neither that nor a drawing.
func (n *pageBlocks) pageOrDrawing() (sigma float64, page, ok bool) {
	if sigma, page = n.paper(); page {
		return sigma, true, true
	}
	sigma, ok = n.drawing()
	return sigma, false, ok
}

// drawing is like paper for drawings that are no pages.
func (n *pageBlocks) drawing() (sigma float64, ok bool) {
	return n.flat(mostBetweenDrawing, leastPaperDrawing)
}

// flat returns the usual standard deviation of flat blocks, or false if the shares of blocks are others.
func (n *pageBlocks) flat(mostBetween, leastFlat float64) (sigma float64, ok bool) {
	drawn, flat := n.between+n.strokes, len(n.variances)
	if drawn < leastDrawn || float64(n.between) > mostBetween*float64(drawn) || float64(flat) < leastFlat*float64(n.small) {
		return 0, false
	}
	slices.Sort(n.variances)
	return math.Sqrt(n.variances[flat/2]), true
}

// eachBlock calls look for blocks that are spread over a plane, about mostPageBlocks for all planes, and adds up what it finds.
func (img image) eachBlock(all *pageBlocks, side, workers int, plane []float32, look func(n *pageBlocks, b sampleBlock)) {
	step := side
	for len(img.planes)*(img.width/step)*(img.height/step) > mostPageBlocks {
		step++
	}
	if img.height < side {
		return
	}
	rows := (img.height-side)/step + 1
	found := make([]pageBlocks, parallel.Workers(workers))
	_ = parallel.For(context.Background(), len(found), rows, func(worker, row int) { // too short to stop
		var memory [pageSide * pageSide]float32
		for x := 0; x+side <= img.width; x += step {
			look(&found[worker], img.block(memory[:0], plane, x, row*step, side))
		}
	})
	for _, n := range found {
		all.add(n)
	}
}

// sampleBlock is the samples of a block.
type sampleBlock []float32

// block appends the block of a plane at (x, y) to b.
func (img image) block(b sampleBlock, p []float32, x, y, side int) sampleBlock {
	for row := range side {
		b = append(b, p[(y+row)*img.width+x:][:side]...)
	}
	return b
}

func (b sampleBlock) contrast() float64 {
	low, high := ends(b)
	return float64(high - low)
}

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
