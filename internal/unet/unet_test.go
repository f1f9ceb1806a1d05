package unet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/half"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
)

// drawn returns the tensors of a network with random weights. Their size is such that values neither grow nor vanish.
func drawn(planes int, channels []int, blocks int) map[string]safetensors.Tensor {
	rng := rand.New(rand.NewPCG(1, uint64(planes)))
	all := map[string]safetensors.Tensor{}
	put := func(name string, inputs float64, shape ...int) {
		t := safetensors.Tensor{DType: safetensors.F16, Shape: shape,
			Values: make([]float64, shape[0]*shape[1]*shape[2]*shape[3])}
		for i := range t.Values {
			t.Values[i] = float64(half.Value(half.Of(float32(rng.NormFloat64() / math.Sqrt(inputs)))))
		}
		all[name+".weight"] = t
	}
	putBlocks := func(prefix string, c int) {
		for b := range blocks {
			put(fmt.Sprintf("%s.%d.0", prefix, b), float64(9*c), c, c, 3, 3)
			put(fmt.Sprintf("%s.%d.1", prefix, b), float64(18*c), c, c, 3, 3)
		}
	}
	put("head", float64(9*(4*planes+1)), channels[0], 4*planes+1, 3, 3)
	last := len(channels) - 1
	for l, c := range channels[:last] {
		putBlocks(fmt.Sprintf("enc.%d", l), c)
		putBlocks(fmt.Sprintf("dec.%d", l), c)
		put(fmt.Sprintf("down.%d", l), float64(4*c), channels[l+1], c, 2, 2)
		put(fmt.Sprintf("up.%d", l), float64(channels[l+1]), channels[l+1], c, 2, 2)
	}
	putBlocks("body", channels[last])
	put("tail", float64(9*channels[0]), 4*planes, channels[0], 3, 3)
	return all
}

func mustBuild(t testing.TB, all map[string]safetensors.Tensor) *Network {
	t.Helper()
	return must.Get(Read(marshal(t, all)))(t)
}

// noisy returns planes of a smooth image with noise.
func noisy(planes, width, height int) [][]float32 {
	rng := rand.New(rand.NewPCG(3, 4))
	image := make([][]float32, planes)
	for p := range image {
		for i := range width * height {
			x, y := float64(i%width), float64(i/width)
			image[p] = append(image[p], float32(0.5+0.3*math.Sin(x/9+float64(p))*math.Cos(y/7)+0.1*rng.NormFloat64()))
		}
	}
	return image
}

func clone(image [][]float32) [][]float32 {
	c := make([][]float32, len(image))
	for i, p := range image {
		c[i] = slices.Clone(p)
	}
	return c
}

// volume holds channels of cells for the plain network. Cells outside are zero.
type volume struct {
	channels, width, height int
	values                  []float64
}

func newVolume(channels, width, height int) volume {
	return volume{channels, width, height, make([]float64, channels*width*height)}
}

func (v volume) at(c, x, y int) *float64 {
	if x < 0 || y < 0 || x >= v.width || y >= v.height {
		return new(float64)
	}
	return &v.values[(c*v.height+y)*v.width+x]
}

// each calls f for all cells.
func (v volume) each(f func(c, x, y int, cell *float64)) {
	for i := range v.values {
		x, y, c := i%v.width, i/v.width%v.height, i/v.width/v.height
		f(c, x, y, &v.values[i])
	}
}

// convolve is a layer with side x side taps, of which the first is at (shift, shift) from the cell.
func (v volume) convolve(w safetensors.Tensor, step, shift int) volume {
	side := w.Shape[3]
	out := newVolume(w.Shape[0], v.width/step, v.height/step)
	out.each(func(o, x, y int, cell *float64) {
		for i := range v.channels {
			for t := range side * side {
				*cell += w.Values[(o*v.channels+i)*side*side+t] * *v.at(i, step*x+t%side+shift, step*y+t/side+shift)
			}
		}
	})
	return out
}

func (v volume) transposed(w safetensors.Tensor) volume {
	out := newVolume(w.Shape[1], 2*v.width, 2*v.height)
	out.each(func(o, x, y int, cell *float64) {
		for i := range v.channels {
			*cell += w.Values[(i*out.channels+o)*4+y%2*2+x%2] * *v.at(i, x/2, y/2)
		}
	})
	return out
}

func (v volume) add(u volume) volume {
	for i, x := range u.values {
		v.values[i] += x
	}
	return v
}

func (v volume) blocks(all map[string]safetensors.Tensor, prefix string) volume {
	for b := 0; ; b++ {
		first, ok := all[fmt.Sprintf("%s.%d.0.weight", prefix, b)]
		if !ok {
			return v
		}
		h := v.convolve(first, 1, -1)
		for i, x := range h.values {
			h.values[i] = max(x, 0)
		}
		v = v.add(h.convolve(all[fmt.Sprintf("%s.%d.1.weight", prefix, b)], 1, -1))
	}
}

// level computes a level and all below.
func (v volume) level(all map[string]safetensors.Tensor, l int) volume {
	down, ok := all[fmt.Sprintf("down.%d.weight", l)]
	if !ok {
		return v.blocks(all, "body")
	}
	v = v.blocks(all, fmt.Sprintf("enc.%d", l))
	below := v.convolve(down, 2, 0).level(all, l+1)
	return v.add(below.transposed(all[fmt.Sprintf("up.%d.weight", l)])).blocks(all, fmt.Sprintf("dec.%d", l))
}

// plainly is Denoise in plain arithmetic, for the whole image at a time.
func plainly(all map[string]safetensors.Tensor, image [][]float32, width, height int, sigma float64) [][]float64 {
	step := 2
	for l := 0; all[fmt.Sprintf("down.%d.weight", l)].Shape != nil; l++ {
		step *= 2
	}
	before := (border + step - 1) / step * step
	size := func(n int) int { return (before + n + border + 2*step - 1) / (2 * step) * (2 * step) }
	sample := func(p, x, y int) float64 {
		for n := width; x < 0 || x >= n; {
			x = max(-x, min(x, 2*(n-1)-x))
			if n == 1 {
				x = 0
			}
		}
		for n := height; y < 0 || y >= n; {
			y = max(-y, min(y, 2*(n-1)-y))
			if n == 1 {
				y = 0
			}
		}
		return float64(image[p][y*width+x])
	}
	in := newVolume(4*len(image)+1, size(width)/2, size(height)/2)
	in.each(func(c, x, y int, cell *float64) {
		*cell = sigma
		if c < 4*len(image) {
			*cell = sample(c/4, 2*x+c%2-before, 2*y+c/2%2-before)
		}
	})
	out := in.convolve(all["head.weight"], 1, -1).level(all, 0).convolve(all["tail.weight"], 1, -1)
	result := make([][]float64, len(image))
	for p := range image {
		for i, v := range image[p] {
			x, y := i%width+before, i/width+before
			result[p] = append(result[p], float64(v)+*out.at(4*p+y%2*2+x%2, x/2, y/2))
		}
	}
	return result
}
