package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// look is a second look at a crop of a picture, after a first one with or without the steps of its file.
type look struct {
	Crop     int  // index in shown.Crops
	Steps    bool // the first look knew the steps of the file
	Wrong    bool // the level is not that of the first look, so it does not matter whether that knew the steps
	Features []float64
}

// firstSpread is the standard deviation of the logarithm by which the level is wrong in one look at each crop. First looks at pictures that
// the networks were fitted to are better than at others, and the second look must not rely on that.
const firstSpread = 0.35

// measureLooks looks at all pictures with curves for the second time. The networks that were fitted last tell the levels of the first look.
func (j job) measureLooks(g *generator) error {
	all, err := recipes(j.data, j.count, j.photographs)
	if err != nil {
		return err
	}
	curves, err := readCurves(j.curves)
	if err != nil {
		return err
	}
	seen, err := openAlbum(j.features)
	if err != nil {
		return err
	}
	networks, err := readNetworks(j.networks)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(r recipe) bool { _, ok := curves[r.name()]; return !ok })
	looks := map[string][]look{}
	var mu sync.Mutex
	var failed error
	_ = parallel.For(context.Background(), j.workers, len(all), func(_, i int) {
		p, err := g.make(all[i])
		var list []look
		if err == nil {
			list = looksAt(p, seen.shown[all[i].name()], networks, noise.Source(9, all[i].name()))
		}
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
		if looks[all[i].name()] = list; len(looks)%100 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", len(looks), len(all))
		}
	})
	f, err := os.Create(j.looks)
	if err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, gob.NewEncoder(f).Encode(looks), f.Close())
}

// looksAt looks at all crops of a picture with three levels: that of the first look without steps, a wrong one, and that of the first look with
// steps if they are known.
func looksAt(p pair, s *shown, networks []*level.Network, rng *rand.Rand) (list []look) {
	at := 0
	for _, side := range cropSides {
		crop := p.noisy.Centre(side)
		if statistics(crop) == nil { // then it is not among those of s
			continue
		}
		add := func(steps level.Steps, wrong float64) {
			told := firstLook(networks, level.WithSteps(s.Crops[at], s.Planes, steps)) * math.Exp(wrong)
			if f := level.SecondLook(crop.Planes, crop.Width, crop.Height, told, denoise.RemoveBroad, 1); f != nil {
				list = append(list, look{at, steps.Known(), wrong != 0, f})
			}
		}
		add(level.Steps{}, 0)
		add(level.Steps{}, firstSpread*rng.NormFloat64())
		if s.Steps.Known() {
			add(s.Steps, 0)
		}
		at++
	}
	return list
}

// firstLook returns the level that a network tells, in grey levels.
func firstLook(networks []*level.Network, x []float64) float64 {
	for _, n := range networks {
		if n.Inputs == len(x) {
			mean, _ := n.Predict(x)
			return math.Exp(mean)
		}
	}
	return 0 // the least level
}

// readLooks returns nil if there is no file.
func readLooks(file string) (looks map[string][]look, err error) {
	f, err := os.Open(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return looks, gob.NewDecoder(f).Decode(&looks)
}

// gatherSecond makes samples of all looks.
func gatherSecond(all []recipe, curves map[string]curve, known map[string]*shown, looks map[string][]look) (samples []sample) {
	for _, r := range all {
		k := known[r.name()]
		for _, l := range looks[r.name()] {
			s := newSample(r, curves[r.name()], k.Source)
			s.steps = l.Steps
			add := func(steps level.Steps) {
				s.inputs = append(s.inputs, slices.Concat(level.WithSteps(k.Crops[l.Crop], k.Planes, steps), l.Features))
			}
			if !l.Steps {
				add(level.Steps{})
			}
			if k.Steps.Known() && (l.Steps || l.Wrong) {
				add(k.Steps)
			}
			samples = append(samples, s)
		}
	}
	return samples
}
