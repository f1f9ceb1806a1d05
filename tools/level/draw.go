package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// nodes are the levels, in gray levels of 0-255, that the denoiser is told in turn. The first leaves the picture as it
// is.
var nodes = []float64{0, 1, 2, 4, 8, 16, 32, 64, 128}

// measuredSide is the side of the part of a picture that is denoised, in samples.
const measuredSide = 192

// seenSides are the sizes in which the networks see a picture.
var seenSides = []int{pictureSide, 256, measuredSide}

// drawn is what is measured of a picture.
type drawn struct {
	Number int
	Kind   string
	File   string
	Planes int
	Inputs [][]float64 // of the picture in some sizes; the steps of its file are unknown
	Known  [][]float64 // the same with the steps of its file, if it has some
	// mean square error with the first nodes, samples being 0..255; with further ones it is much larger
	MSE []float64
}

// header is the first line of the file.
type header struct {
	Nodes []float64
	// Contrast is what e times the contrast adds to each input, by the number of planes: without and with steps.
	Contrast map[int][2][]float64
}

// draw measures the pictures that the file does not have yet.
func (j job) draw(g *generator) error {
	known, err := readDrawn(j.drawn)
	if err != nil {
		return err
	}
	has := map[int]bool{}
	for _, d := range known {
		has[d.Number] = true
	}
	f, err := os.OpenFile(j.drawn, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	if len(known) == 0 {
		if err := enc.Encode(header{nodes, map[int][2][]float64{1: contrastOf(1), 3: contrastOf(3)}}); err != nil {
			return err
		}
	}
	var mu sync.Mutex
	var failed error
	_ = parallel.For(context.Background(), j.workers, j.count, func(_, i int) {
		if has[i] {
			return
		}
		d, err := g.measure(i)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			err = enc.Encode(d)
		}
		failed = errors.Join(failed, err)
	})
	return failed
}

func readDrawn(path string) (all []drawn, err error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var d drawn
		if json.Unmarshal(s.Bytes(), &d) == nil && d.Kind != "" { // a last line may have been cut short
			all = append(all, d)
		}
	}
	return all, s.Err()
}

// measure draws a picture, and measures it.
func (g *generator) measure(number int) (drawn, error) {
	r := g.recipe(number)
	p, err := g.make(r)
	if err != nil {
		return drawn{}, err
	}
	d := drawn{Number: number, Kind: r.Kind, File: r.File, Planes: len(p.noisy.Planes)}
	for _, side := range seenSides {
		c := centre(p.noisy, side)
		x := inputsOf(c, level.Steps{})
		if x == nil {
			continue
		}
		d.Inputs = append(d.Inputs, x)
		if p.steps.Known() {
			d.Known = append(d.Known, inputsOf(c, p.steps))
		}
	}
	d.MSE, err = p.centre(measuredSide).errors()
	return d, err
}

func inputsOf(p *camera.Picture, steps level.Steps) []float64 {
	white := estimate.Sigma(p.Planes, p.Width, p.Height, 1)
	return level.Inputs(p.Planes, p.Width, p.Height, white, steps, 1)
}

// errors denoises the pair with the nodes, at fast quality, until the result is much worse than the best.
func (p pair) errors() (all []float64, err error) {
	best := math.Inf(1)
	for _, sigma := range nodes {
		q := p.noisy.Clone()
		if sigma > 0 {
			o := denoise.Options{Noise: denoise.Camera, Sigma: sigma, Quality: denoise.Fast, Workers: 1}
			if _, err := denoise.Planes(context.Background(), q.Planes, q.Width, q.Height, o); err != nil {
				return nil, err
			}
		}
		e := meanSquare(q, p.clean, p.bits)
		all, best = append(all, e), min(best, e)
		if len(all) > 4 && e > 3*best+10 {
			break
		}
	}
	return all, nil
}

// meanSquare is the error in gray levels, after clipping and rounding as in a file.
func meanSquare(p, clean *camera.Picture, bits int) float64 {
	sum, n := 0.0, 0
	for c, plane := range p.Planes {
		for i, v := range plane {
			x := min(max(255*float64(v), 0), 255)
			if bits == 8 {
				x = math.Round(x)
			}
			d := x - 255*float64(clean.Planes[c][i])
			sum += d * d
			n++
		}
	}
	return sum / float64(n)
}

// contrastOf compares the inputs for noise with those for e times as strong noise, without and with steps, which are as
// many times as large.
func contrastOf(planes int) (shifts [2][]float64) {
	of := func(contrast float64, steps level.Steps) []float64 {
		p := camera.NewPicture(measuredSide, measuredSide, planes)
		rng := rand.New(rand.NewPCG(1, 1))
		p.Each(func(float64) float64 { return 0.5 + 0.03*contrast*rng.NormFloat64() })
		return inputsOf(p, steps)
	}
	steps := func(size uint8) (s level.Steps) {
		for k := range s.Luma {
			s.Luma[k], s.Chroma[k] = size, size
		}
		return s
	}
	const step = 8
	for known, s := range [2][2]level.Steps{{}, {steps(step), steps(uint8(math.Round(step * math.E)))}} {
		weak, strong := of(1, s[0]), of(math.E, s[1])
		for i := range weak {
			shifts[known] = append(shifts[known], strong[i]-weak[i])
		}
	}
	return shifts
}
