package main

import (
	"context"
	"encoding/gob"
	"hash/fnv"
	"math"
	"os"
	"path"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// sample is a picture, or the middle of one, as the networks see it.
type sample struct {
	kind   string
	inputs []float64
	loss   loss
	weight float64
	aside  bool // not trained on
}

// cropSides are the sizes in which a picture is shown.
var cropSides = []int{pictureSide, 256, 192, 128}

// inputs are the numbers that a network has.
func inputs(p *camera.Picture) []float64 {
	return level.Inputs(p.Planes, p.Width, p.Height, estimate.Sigma(p.Planes, p.Width, p.Height, 1), 1)
}

// readSamples returns all crops of all recipes that have curves. It keeps their inputs in a file, since computing them takes
// minutes.
func readSamples(file string, g *generator, all []recipe, curves map[string]curve) ([]sample, error) {
	known := map[string][][]float64{}
	if f, err := os.Open(file); err == nil {
		defer f.Close()
		if err := gob.NewDecoder(f).Decode(&known); err != nil {
			return nil, err
		}
	}
	var missing []recipe
	for _, r := range all {
		if _, ok := curves[r.name()]; ok && known[r.name()] == nil {
			missing = append(missing, r)
		}
	}
	found := make([][][]float64, len(missing))
	errs := make([]error, len(missing))
	_ = parallel.For(context.Background(), 0, len(missing), func(_, i int) {
		p, err := g.make(missing[i])
		if err != nil {
			errs[i] = err
			return
		}
		for _, side := range cropSides {
			found[i] = append(found[i], inputs(p.noisy.Centre(side)))
		}
	})
	for i, r := range missing {
		if errs[i] != nil {
			return nil, errs[i]
		}
		known[r.name()] = found[i]
	}
	if len(missing) > 0 {
		f, err := os.Create(file)
		if err != nil {
			return nil, err
		}
		if err := gob.NewEncoder(f).Encode(known); err != nil {
			return nil, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return gather(all, curves, known), nil
}

// gather makes samples of all crops.
func gather(all []recipe, curves map[string]curve, known map[string][][]float64) (samples []sample) {
	for _, r := range all {
		c, ok := curves[r.name()]
		if !ok {
			continue
		}
		for _, f := range known[r.name()] {
			if len(f) > 0 {
				samples = append(samples, sample{r.Kind, f, newLoss(c).shift(caution(r.Kind)), kindWeight(r.Kind), isAside(r.File)})
			}
		}
	}
	return samples
}

// kindWeight is how much a picture counts in training.
func kindWeight(kind string) float64 {
	switch kind {
	case "real":
		return 4
	case "moved":
		return 2
	case "clean":
		return 4
	}
	return 1
}

// caution is added to the logarithm of the best levels of real noise. Networks that were trained without the pictures of one
// camera, and without its noise in others, read too low for it: raised by 1.2, their levels lose least.
func caution(kind string) float64 {
	if kind == "real" || kind == "moved" {
		return math.Log(1.2)
	}
	return 0
}

// isAside picks one file in six, with all pictures that are made of it.
func isAside(file string) bool {
	h := fnv.New32a()
	h.Write([]byte(strings.Replace(path.Base(file), "_mean", "_real", 1)))
	return h.Sum32()%6 == 0
}

// loss tells what a predicted level costs.
type loss struct {
	x []float64 // logarithms of levels, rising
	y []float64 // decibels that are lost against the best
}

const (
	// bestPSNR is where differences stop to count: an error of 50 dB is invisible.
	bestPSNR = 50
	// keptPSNR is how much a picture without noise may change at no cost.
	keptPSNR = 47.5
)

// lowest replaces level 0, which has no logarithm: at 0.5 grey levels the models change nothing that counts.
var lowest = math.Log(0.5)

func newLoss(c curve) loss {
	var l loss
	least, kept := meanSquareOf(bestPSNR), math.Inf(1)
	if c.MSE[0] < 0.01 {
		least, kept = 0, keptPSNR
	}
	top := math.Inf(-1)
	for i, sigma := range c.Sigma {
		l.x = append(l.x, math.Log(max(sigma, 0.5)))
		psnr := min(10*math.Log10(255*255/(c.MSE[i]+least)), kept)
		l.y = append(l.y, psnr)
		top = max(top, psnr)
	}
	for i := range l.y {
		l.y[i] = top - l.y[i]
	}
	return l
}

func meanSquareOf(psnr float64) float64 { return 255 * 255 * math.Pow(10, -psnr/10) }

// shift returns the loss of levels that are too low by a logarithm.
func (l loss) shift(by float64) loss {
	for i := range l.x {
		l.x[i] += by
	}
	return l
}

// at interpolates and gives the slope as well.
func (l loss) at(x float64) (value, slope float64) {
	n := len(l.x)
	if x <= l.x[0] {
		return l.y[0], 0
	}
	i := 0
	for i < n-2 && x > l.x[i+1] {
		i++
	}
	slope = (l.y[i+1] - l.y[i]) / (l.x[i+1] - l.x[i])
	if x > l.x[n-1] {
		slope = max(slope, 3)
		return l.y[n-1] + slope*(x-l.x[n-1]), slope
	}
	return l.y[i] + slope*(x-l.x[i]), slope
}
