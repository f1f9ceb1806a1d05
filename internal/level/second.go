package level

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/radix"
)

// The second look is at what a denoiser removes, told the level of the first look. If it removes noise, that looks the same everywhere, and is
// about as strong as the noise even if the level is wrong. If it removes texture, that has a form, and there is more of it where much is left.

// Remover denoises a gray plane in place, told a level. Samples and level are on a scale where 1 is white. It may be called by several
// goroutines at a time.
type Remover func(plane []float32, width, height int, sigma float64)

const (
	areaSide  = 192 // of the areas that are denoised, in samples
	mostAreas = 3   // on the longer axis
	leastTold = 0.7 // the least level that the denoiser is told, in grey levels
)

// area is a part of a picture.
type area struct{ x, y, width, height int }

// areas spreads areas over a picture.
func areas(width, height int) (all []area) {
	columns, rows := min(max(width/areaSide, 1), mostAreas), min(max(height/areaSide, 1), mostAreas)
	if height > width {
		columns = min(columns, mostAreas-1)
	} else {
		rows = min(rows, mostAreas-1)
	}
	w, h := min(width, areaSide), min(height, areaSide)
	middle := func(i, n, length, side int) int { return ((2*i+1)*length/n - side) / 2 / blockSide * blockSide }
	for j := range rows {
		for i := range columns {
			all = append(all, area{middle(i, columns, width, w), middle(j, rows, height, h), w, h})
		}
	}
	return all
}

// SecondLook returns statistics of what is removed from the brightness of a picture, and of what is left, given the level of the first look in
// grey levels. They go after the Inputs. It returns nil if there are too few blocks.
func SecondLook(planes [][]float32, width, height int, told float64, remove Remover, workers int) []float64 {
	told = min(max(told, leastTold), highest)
	sigma := told / 255 / math.Sqrt(float64(len(planes))) // of the mean of the planes
	list := areas(width, height)
	both := make([]split, len(list))
	_ = parallel.For(context.Background(), parallel.Workers(workers), len(list), func(_, i int) { // too short to stop
		a := list[i]
		noisy := brightness(planes, width, a)
		result := slices.Clone(noisy)
		remove(result, a.width, a.height, sigma)
		both[i] = splitBlocks(noisy, result, a)
	})
	all := both[0]
	for _, b := range both[1:] {
		for s := range scales {
			all.removed[s] = append(all.removed[s], b.removed[s]...)
			all.left[s] = append(all.left[s], b.left[s]...)
		}
	}
	return all.features(told)
}

// brightness returns the mean of the planes in an area.
func brightness(planes [][]float32, width int, a area) []float32 {
	out := make([]float32, 0, a.width*a.height)
	for y := range a.height {
		from := (a.y+y)*width + a.x
		for x := range a.width {
			sum := float32(0)
			for _, p := range planes {
				sum += p[from+x]
			}
			out = append(out, sum/float32(len(planes)))
		}
	}
	return out
}

// split holds blocks of what is removed and, in the same order, of what is left.
type split struct{ removed, left [scales][]block }

// splitBlocks measures windows side by side.
func splitBlocks(noisy, result []float32, a area) (out split) {
	const middle = 0.5 // blocks that are far from it count as clipped
	difference := make([]float32, len(noisy))
	for i, v := range noisy {
		difference[i] = v - result[i] + middle
	}
	var memory scratch
	for i, plane := range [][]float32{difference, result} {
		to := []*[scales][]block{&out.removed, &out.left}[i]
		p := &picture{[][]float32{plane}, a.width, a.height}
		var blocks [scales][]block
		for s := range blocks {
			blocks[s] = make([]block, perWindow[s])
		}
		for y := 0; y+windowSide <= a.height; y += windowSide {
			for x := 0; x+windowSide <= a.width; x += windowSide {
				p.look(&memory, x, y, &blocks)
				for s := range blocks {
					to[s] = append(to[s], blocks[s]...)
				}
			}
		}
	}
	return out
}

var (
	// splitQuantiles are quantiles of the energies of blocks.
	splitQuantiles = [...]float64{0.05, 0.2, 0.5, 0.8}
	// busy are shares of the blocks in order of the energy that is left in them.
	busy = [...]float64{0, 0.1, 0.3, 0.6, 1}
)

// features returns nil if there are too few blocks that are neither clipped nor flat.
func (p *split) features(told float64) (f []float64) {
	for s := range scales {
		var few split
		for i := range p.left[s] {
			if removed, left := &p.removed[s][i], &p.left[s][i]; removed.ok && left.ok && !(removed.flat && left.flat) {
				few.removed[s], few.left[s] = append(few.removed[s], *removed), append(few.left[s], *left)
			}
		}
		removed, left := few.removed[s], few.left[s]
		if len(removed) < minBlocks {
			return nil
		}
		f = append(f, splitLevels(removed, s)...)
		f = append(f, splitLevels(left, s)...)
		f = append(f, byBusy(removed, left, s)...)
	}
	return append(f, math.Log(told))
}

// splitLevels are quantiles of the energies in each band.
func splitLevels(blocks []block, scale int) (f []float64) {
	v := make([]float32, len(blocks))
	for band := range bands {
		for i := range blocks {
			v[i] = blocks[i].luma[band]
		}
		radix.Sort(v)
		for _, q := range splitQuantiles {
			f = append(f, level(quantile(v, q), scale))
		}
	}
	return f
}

// byBusy says how much is removed, and what form it has, by how much is left.
func byBusy(removed, left []block, scale int) (f []float64) {
	order := make([]int, len(left))
	energy := make([]float32, len(left))
	for i := range order {
		order[i] = i
		for _, e := range left[i].luma {
			energy[i] += e
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(energy[i], energy[j]), i-j) })
	var least []float64
	for k := range len(busy) - 1 {
		n := float64(len(order))
		from, to := int(n*busy[k]), int(n*busy[k+1])
		class := order[from:max(to, from+1)]
		levels := medianLevels(removed, class, scale, 1)
		if k == 0 {
			least = levels
			f = append(f, levels...)
		} else {
			for i, v := range levels {
				f = append(f, v-least[i])
			}
		}
		f = append(f, meanForm(removed, class, 1)...)
	}
	return f
}
