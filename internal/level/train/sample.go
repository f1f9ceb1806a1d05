package main

import (
	"context"
	"encoding/gob"
	"errors"
	"hash/fnv"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// sample is a picture, or the middle of one, as the networks see it.
type sample struct {
	kind   string
	inputs [][]float64 // without the steps of the file and, if they are known, with them
	steps  bool        // all inputs are with them
	loss   loss
	weight float64
	recipe recipe
	source string // file of real noise
}

// aside reports whether a sample is left out, unless a fit is the final one.
func (s *sample) aside() bool { return isAside(s.recipe.File) }

// cropSides are the sizes in which a picture is shown.
var cropSides = []int{pictureSide, 256, 192, 128}

// statistics are all inputs but those of steps.
func statistics(p *camera.Picture) []float64 {
	return level.Statistics(p.Planes, p.Width, p.Height, estimate.Sigma(p.Planes, p.Width, p.Height, 1), 1)
}

// shown is what is kept of a picture: statistics of its crops, the steps of its file, and the file of its noise.
type shown struct {
	Crops  [][]float64
	Planes int
	Steps  level.Steps
	Source string
}

func show(p pair) *shown {
	s := &shown{Planes: len(p.noisy.Planes), Steps: p.steps, Source: p.source}
	for _, side := range cropSides {
		if f := statistics(p.noisy.Centre(side)); f != nil {
			s.Crops = append(s.Crops, f)
		}
	}
	return s
}

// album keeps the statistics of pictures in a file, since computing them takes minutes.
type album struct {
	file  string
	mu    sync.Mutex
	shown map[string]*shown
	fresh int // not in the file yet
}

func openAlbum(file string) (*album, error) {
	a := &album{file: file, shown: map[string]*shown{}}
	f, err := os.Open(file)
	if os.IsNotExist(err) {
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return a, gob.NewDecoder(f).Decode(&a.shown)
}

// add keeps the statistics of a picture, and writes the file now and then.
func (a *album) add(name string, s *shown) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shown[name] = s
	if a.fresh++; a.fresh < 200 {
		return nil
	}
	return a.save()
}

func (a *album) has(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.shown[name] != nil
}

func (a *album) save() error {
	if a.fresh == 0 {
		return nil
	}
	f, err := os.Create(a.file + ".new")
	if err != nil {
		return err
	}
	a.fresh = 0
	return errors.Join(gob.NewEncoder(f).Encode(a.shown), f.Close(), os.Rename(a.file+".new", a.file))
}

// fill adds the pictures of those recipes that have curves.
func (a *album) fill(g *generator, all []recipe, curves map[string]curve) error {
	missing := slices.DeleteFunc(slices.Clone(all), func(r recipe) bool {
		_, ok := curves[r.name()]
		return !ok || a.shown[r.name()] != nil
	})
	errs := make([]error, len(missing))
	_ = parallel.For(context.Background(), 0, len(missing), func(_, i int) {
		p, err := g.make(missing[i])
		if err == nil {
			err = a.add(missing[i].name(), show(p))
		}
		errs[i] = err
	})
	return errors.Join(append(errs, a.save())...)
}

// gather makes samples of all crops.
func gather(all []recipe, curves map[string]curve, known map[string]*shown) (samples []sample) {
	for _, r := range all {
		c, ok := curves[r.name()]
		if !ok {
			continue
		}
		k := known[r.name()]
		for _, f := range k.Crops {
			x := [][]float64{level.WithSteps(f, k.Planes, level.Steps{})}
			if k.Steps.Known() {
				x = append(x, level.WithSteps(f, k.Planes, k.Steps))
			}
			s := newSample(r, c, k.Source)
			s.inputs = x
			samples = append(samples, s)
		}
	}
	return samples
}

// newSample returns a sample without inputs.
func newSample(r recipe, c curve, source string) sample {
	return sample{kind: r.Kind, loss: newLoss(c).precise().shift(caution(r.Kind)), weight: kindWeight(r.Kind), recipe: r, source: source}
}

// kindWeight is how much a picture counts in training.
func kindWeight(kind string) float64 {
	switch kind {
	case "real":
		return 4
	case "white":
		return 3
	case "moved":
		return 2
	case "clean":
		return 6
	}
	return 1
}

// caution is added to the logarithm of the best levels of the noise of cameras. Networks that were trained without one camera read too low for it,
// and a level that is too high costs less than one that is too low. The levels of grain and of white noise are predicted well, and stay.
func caution(kind string) float64 {
	switch kind {
	case "real", "moved", "camera", "smoothed", "reduced":
		return math.Log(1.3)
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
	y []float64 // decibels that are lost against the best (see precise)
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

// precision is what a level that is e times too high or too low loses besides, in decibels.
const precision = 1

// precise adds the square of the logarithm of what a level is wrong by. Refined pictures forgive wrong levels, and networks that are forgiven
// learn little.
func (l loss) precise() loss {
	best := l.x[slices.Index(l.y, slices.Min(l.y))]
	for i, x := range l.x {
		l.y[i] += precision * (x - best) * (x - best)
	}
	return l
}

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
