package level

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
	"github.com/blorc-denoise/blorc-denoise/internal/radix"
)

// parts are middle and fine frequencies.
const parts = 2

// partOf is the part that a band belongs to, or -1.
var partOf = [bands]int{-1, 0, 0, 1, 1}

// form is what tells texture from noise in a block, whatever its contrast. All of it is between 0 and 1. Texture often
// has a direction, a few large coefficients, and colours that go with its brightness. Noise has none of it.
type form struct {
	slant [parts]float32 // difference of horizontal and vertical energy over their sum
	peak  [parts]float32 // sum of fourth powers of coefficients over the square of that of second powers
	tie   [parts]float32 // correlation of luma and chroma, mean of both planes without sign
}

func (s *form) measure(planes []coefficients) {
	luma := &planes[0]
	for part, list := range mirrored {
		var h, v, fourth float32
		for _, p := range list {
			a, b := luma[p[0]]*luma[p[0]], luma[p[1]]*luma[p[1]]
			h, v = h+a, v+b
			fourth += a*a + b*b
		}
		if sum := h + v; sum > tiny {
			s.slant[part] = float32(math.Abs(float64(h-v))) / sum
			s.peak[part] = fourth / (sum * sum)
		}
		for c := 1; c < len(planes); c++ {
			var both, other float32
			for _, p := range list {
				x, y := planes[c][p[0]], planes[c][p[1]]
				both += luma[p[0]]*x + luma[p[1]]*y
				other += x*x + y*y
			}
			if product := float64(h+v) * float64(other); product > tiny {
				s.tie[part] += float32(math.Abs(float64(both))/math.Sqrt(product)) / 2
			}
		}
	}
}

// tiny bounds energies that are divided by, in squared gray levels.
const tiny = 1e-3

// mirrored lists the pairs of horizontal and vertical frequencies of each part. Those along the diagonal are in none.
var mirrored = func() (list [parts][][2]int) {
	for y := range blockSide {
		for x := y + 1; x < blockSide; x++ {
			if part := partOf[bandOf[x+y]]; part >= 0 {
				list[part] = append(list[part], [2]int{y*blockSide + x, x*blockSide + y})
			}
		}
	}
	return list
}()

// classes are shares of the blocks in order of their coarse energy.
var classes = [...]float64{0, 0.1, 0.3, 0.6, 0.9}

// byCoarse says how the fine detail of blocks goes with their coarse detail. The level of noise is the same in all
// blocks, and so is its form. That of texture is not.
func byCoarse(blocks []block, scale, planes int) (f []float64) {
	order := radix.Order(len(blocks), func(i int) float64 { return float64(blocks[i].luma[0]) })
	var least []float64
	for k := range len(classes) - 1 {
		n := float64(len(order))
		from, to := int(n*classes[k]), int(n*classes[k+1])
		class := order[from:max(to, from+1)]
		levels := medianLevels(blocks, class, scale, planes)
		if k == 0 {
			least = levels
		} else {
			for i, v := range levels {
				f = append(f, v-least[i])
			}
		}
		if k < 3 {
			f = append(f, meanForm(blocks, class, planes)...)
		}
	}
	return f
}

// medianLevels are the median levels of the three finest bands of some blocks.
func medianLevels(blocks []block, class []int32, scale, planes int) (f []float64) {
	v := make([]float32, len(class))
	for c := range min(planes, 2) {
		for band := 2; band < bands; band++ {
			for i, at := range class {
				v[i] = blocks[at].luma[band]
				if c == 1 {
					v[i] = blocks[at].chroma[band]
				}
			}
			radix.Sort(v)
			f = append(f, level(quantile.Between(v, 0.5), scale))
		}
	}
	return f
}

// meanForm is the mean form of some blocks.
func meanForm(blocks []block, class []int32, planes int) (f []float64) {
	var sum [3 * parts]float64
	for _, at := range class {
		s := &blocks[at].form
		for part := range parts {
			sum[part] += float64(s.slant[part])
			sum[parts+part] += float64(s.peak[part])
			sum[2*parts+part] += float64(s.tie[part])
		}
	}
	for i, v := range sum {
		if i < 2*parts || planes == 3 {
			f = append(f, v/float64(len(class)))
		}
	}
	return f
}
