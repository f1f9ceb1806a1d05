package level

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
	"github.com/blorc-denoise/blorc-denoise/internal/radix"
)

const (
	maxWindows = 400 // looked at: more add time and hardly any knowledge
	minBlocks  = 40  // at each scale: fewer say nothing
	darkest    = 3   // means of blocks, in gray levels: what is outside is clipped
	brightest  = 252
)

// quantiles of the energies of blocks. Noise is everywhere and texture is not, so the low ones tell.
var quantiles = [...]float64{0.01, 0.05, 0.15, 0.4}

// picture is one gray or three colour planes.
type picture struct {
	planes        [][]float32
	width, height int
}

// windows returns the corners of the windows: a regular grid over the picture.
func (p *picture) windows() (corners [][2]int) {
	columns, rows := grid(p.width), grid(p.height)
	for columns*rows > maxWindows {
		if rows == 1 || columns > 1 && columns*p.height > rows*p.width { // the denser axis
			columns--
		} else {
			rows--
		}
	}
	for j := range rows {
		for i := range columns {
			corners = append(corners, [2]int{position(i, columns, p.width), position(j, rows, p.height)})
		}
	}
	return corners
}

// grid is the number of windows that overlap by half on an axis.
func grid(length int) int {
	if length < windowSide {
		return 0
	}
	return (length-windowSide)/(windowSide/2) + 1
}

// position is where window i of n starts on an axis: a multiple of 8, so that blocks coincide with those of a JPEG
// file.
func position(i, n, length int) int {
	if n == 1 {
		return (length - windowSide) / 2 / blockSide * blockSide
	}
	return i * (length - windowSide) / (n - 1) / blockSide * blockSide
}

// survey measures the blocks of all windows, scale by scale and window by window.
func (p *picture) survey(workers int) (all [scales][]block) {
	corners := p.windows()
	for s := range all {
		all[s] = make([]block, len(corners)*perWindow[s])
	}
	workers = min(parallel.Workers(workers), max(1, len(corners)))
	memory := make([]scratch, workers)
	_ = parallel.For(context.Background(), workers, len(corners), func(worker, i int) { // too short to stop
		var out [scales][]block
		for s := range out {
			out[s] = all[s][i*perWindow[s]:][:perWindow[s]]
		}
		p.look(&memory[worker], corners[i][0], corners[i][1], &out)
	})
	return all
}

// Features are statistics of a picture from which its noise can be told. It returns nil if the picture is too small or
// has too few blocks that are neither clipped nor flat. A picture of three planes has more of them than one of one
// plane.
func Features(planes [][]float32, width, height, workers int) []float64 {
	p := &picture{planes, width, height}
	all := p.survey(workers)
	var f []float64
	for scale, blocks := range all {
		few := usable(blocks)
		if len(few) < minBlocks {
			return nil
		}
		f = append(f, everywhere(few, scale, len(planes))...)
		f = append(f, smoothest(few, scale, len(planes))...)
		f = append(f, byBrightness(few, scale)...)
		f = append(f, byCoarse(few, scale, len(planes))...)
		if scale == 0 {
			f = append(f, math.Log(float64(len(few))))
			f = append(f, blockiness(blocks)...)
		}
	}
	return append(f, flattest(all, len(planes))...)
}

// usable leaves out blocks that are clipped, and flat ones such as those of a border that was added later. Where most
// blocks are flat, the picture is a drawing or the like, and it returns none.
func usable(blocks []block) []block {
	var few []block
	flat := 0
	for _, b := range blocks {
		if b.ok {
			few = append(few, b)
			if b.flat {
				flat++
			}
		}
	}
	if 2*flat > len(few) {
		return nil
	}
	return slices.DeleteFunc(few, func(b block) bool { return b.flat })
}

// level is the logarithm of a standard deviation. White noise of one level has the same at all scales.
func level(energy float64, scale int) float64 {
	return math.Log(math.Sqrt(energy)*float64(int(1)<<scale) + floor)
}

// floor bounds logarithms, in gray levels: rounding alone has 0.29.
const floor = 0.1

// everywhere are quantiles of the energies.
func everywhere(blocks []block, scale, planes int) (f []float64) {
	v := make([]float32, len(blocks))
	for c := range min(planes, 2) {
		for band := range bands {
			for i := range blocks {
				v[i] = blocks[i].luma[band]
				if c == 1 {
					v[i] = blocks[i].chroma[band]
				}
			}
			radix.Sort(v)
			for _, q := range quantiles {
				f = append(f, level(quantile.Between(v, q), scale))
			}
		}
	}
	return f
}

// smoothest is the spectrum of the blocks with the least energy in the two coarsest bands. Noise of those blocks is not
// selected by what is finer.
func smoothest(blocks []block, scale, planes int) []float64 {
	texture := func(b *block) float32 { return b.luma[0] + b.luma[1] }
	v := make([]float32, len(blocks))
	for i := range blocks {
		v[i] = texture(&blocks[i])
	}
	radix.Sort(v)
	limit := v[max(len(v)/20, min(len(v), 20)-1)]
	var s spectrum
	for i := range blocks {
		if texture(&blocks[i]) <= limit {
			s.add(&blocks[i])
		}
	}
	return s.levels(scale, planes)
}

// spectrum is a mean over blocks.
type spectrum struct {
	luma, chroma [bands]float64
	n            int
}

func (s *spectrum) add(b *block) {
	for i := range bands {
		s.luma[i] += float64(b.luma[i])
		s.chroma[i] += float64(b.chroma[i])
	}
	s.n++
}

func (s *spectrum) levels(scale, planes int) (f []float64) {
	n := float64(max(s.n, 1))
	for _, e := range s.luma {
		f = append(f, level(e/n, scale))
	}
	if planes == 3 {
		for _, e := range s.chroma {
			f = append(f, level(e/n, scale))
		}
	}
	return f
}

// byBrightness are levels of the middle band in dark, middle and bright blocks, against that of all blocks, and the
// share of these blocks.
func byBrightness(blocks []block, scale int) (f []float64) {
	const share = 0.1
	var classes [3][]float32
	var all []float32
	for i := range blocks {
		b := &blocks[i]
		class := 0
		if b.mean > 60 {
			class = 1
		}
		if b.mean > 130 {
			class = 2
		}
		classes[class] = append(classes[class], b.luma[2])
		all = append(all, b.luma[2])
	}
	radix.Sort(all)
	common := level(quantile.Between(all, share), scale)
	for _, v := range classes {
		difference := 0.0
		if len(v) >= 10 {
			radix.Sort(v)
			difference = level(quantile.Between(v, share), scale) - common
		}
		f = append(f, difference)
		if scale == 0 {
			f = append(f, float64(len(v))/float64(len(all)))
		}
	}
	return f
}

// blockiness compares the finest luma of blocks that coincide with those of a JPEG file, if it was not cropped, with
// that of blocks between them.
func blockiness(blocks []block) (f []float64) {
	var v [2][]float32
	perWindow := perWindow[0]
	for i := range blocks {
		if b := &blocks[i]; b.ok && !b.flat {
			// The first half of the blocks of a window coincide with those of a file.
			c := i % perWindow / (perWindow / 2)
			v[c] = append(v[c], b.luma[4])
		}
	}
	if len(v[0]) < 10 || len(v[1]) < 10 {
		return []float64{0, 0}
	}
	radix.Sort(v[0])
	radix.Sort(v[1])
	for _, q := range []float64{0.05, 0.3} {
		f = append(f, level(quantile.Between(v[0], q), 0)-level(quantile.Between(v[1], q), 0))
	}
	return f
}

// flattest is the spectrum at all scales of the windows that are flattest at the coarsest scale.
func flattest(all [scales][]block, planes int) (f []float64) {
	type window struct {
		index   int
		texture float32
	}
	var order []window
	last := scales - 1
	for i := 0; i*perWindow[last] < len(all[last]); i++ {
		w := window{index: i}
		n := 0
		for _, b := range all[last][i*perWindow[last]:][:perWindow[last]] {
			if b.ok && !b.flat {
				w.texture += b.luma[0]
				n++
			}
		}
		if 2*n >= perWindow[last] {
			w.texture /= float32(n)
			order = append(order, w)
		}
	}
	slices.SortFunc(order, func(a, b window) int { return cmp.Or(cmp.Compare(a.texture, b.texture), a.index-b.index) })
	order = order[:min(len(order), max(3, len(order)/10))]
	for s := range scales {
		var mean spectrum
		for _, w := range order {
			for i := range perWindow[s] {
				if b := &all[s][w.index*perWindow[s]+i]; b.ok && !b.flat {
					mean.add(b)
				}
			}
		}
		f = append(f, mean.levels(s, planes)...)
	}
	return f
}
