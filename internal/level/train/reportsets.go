package main

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// A reportSet is a set of pictures that nothing was trained on.
type reportSet struct {
	name  string
	files []string // below the folder of data
	make  func(noisy, clean *camera.Picture, rng *rand.Rand) pair
}

// reportSets lists what is reported. Only one picture in every of the Kodak set is used where the noise is drawn.
func reportSets(folder string, every int) []reportSet {
	polyu := find(folder, "polyu/*_real.JPG")
	polyu = polyu[min(trainedReal, len(polyu)):]
	kodak := find(folder, "kodak24/*.png")
	var some []string
	for i := 0; i < len(kodak); i += every {
		some = append(some, kodak[i])
	}
	as := func(f func(p *camera.Picture) *camera.Picture) func(noisy, clean *camera.Picture, rng *rand.Rand) pair {
		return func(noisy, clean *camera.Picture, _ *rand.Rand) pair {
			return pair{noisy: f(noisy).Quantise(), clean: f(clean).Quantise(), bits: 8}
		}
	}
	same := as(func(p *camera.Picture) *camera.Picture { return p.Clone() })
	all := []reportSet{
		realSet(polyu),
		{"polyu half size", polyu, as(func(p *camera.Picture) *camera.Picture { return camera.Resize(p, 0.5, true) })},
		{"polyu x1.5", polyu, as(func(p *camera.Picture) *camera.Picture { return camera.Resize(p, 1.5, false).Centre(512) })},
		{"polyu x1.8 bright", polyu, as(func(p *camera.Picture) *camera.Picture {
			q := p.Clone()
			q.Each(func(v float64) float64 { return 1.8 * v })
			return q
		})},
		{"polyu sharpened", polyu, as(func(p *camera.Picture) *camera.Picture { return camera.Sharpen(p, 1, 1) })},
		{"polyu gray", polyu, as((*camera.Picture).Gray)},
		{"polyu JPEG 70", polyu, func(noisy, clean *camera.Picture, _ *rand.Rand) pair {
			return pair{noisy: noisy, clean: clean, bits: 8}.compress(70, true)
		}},
		{"cc5d3", find(folder, "cc5d3/noisy/*.png"), same},
		{"kodak24 clean", kodak, same},
		{"set12 clean", find(folder, "set12/*.png"), same},
		{"urban100 val clean", find(folder, "urban100/val/*.png"), same},
	}
	for _, q := range []int{96, 85, 70} {
		all = append(all, reportSet{fmt.Sprintf("kodak24 white 12 JPEG %d", q), some, func(_, p *camera.Picture, rng *rand.Rand) pair {
			noisy := addWhite(p, 12, rng).Quantise()
			return pair{noisy: noisy, clean: p, bits: 8}.compress(q, true)
		}})
	}
	for _, radius := range []float64{0.5, 1, 2} {
		all = append(all, reportSet{fmt.Sprintf("kodak24 grain of radius %g", radius), some, func(_, p *camera.Picture, rng *rand.Rand) pair {
			noisy := addGrain(p, radius, camera.LogBetween(rng, 5, 15)/255, 0.5, 1, rng).Quantise()
			return pair{noisy: noisy, clean: p, bits: 8}
		}})
	}
	return all
}

// realSet is pairs of polyu as they are.
func realSet(files []string) reportSet {
	return reportSet{"polyu", files, func(noisy, clean *camera.Picture, _ *rand.Rand) pair {
		return pair{noisy: noisy, clean: clean, bits: 8, steps: stepsOf(75, true, 3)} // all files have these
	}}
}

// A whiteSet has white noise of a known level, in grey levels.
type whiteSet struct {
	reportSet
	sigma float64
}

// whiteSets lists sets of white noise, unclipped and in 8 bits.
func whiteSets(folder string, every int) (all []whiteSet) {
	kodak := find(folder, "kodak24/*.png")
	var some []string
	for i := 1; i < len(kodak); i += every {
		some = append(some, kodak[i])
	}
	some = append(some, find(folder, "set12/0[1-4].png")...)
	for _, sigma := range []float64{5, 10, 15, 25, 50} {
		all = append(all,
			whiteSet{reportSet{fmt.Sprintf("white %g", sigma), some, func(_, p *camera.Picture, rng *rand.Rand) pair { return pair{noisy: addWhite(p, sigma, rng), clean: p} }}, sigma},
			whiteSet{reportSet{fmt.Sprintf("white %g, 8 bits", sigma), some, func(_, p *camera.Picture, rng *rand.Rand) pair {
				return pair{noisy: addWhite(p, sigma, rng).Quantise(), clean: p, bits: 8}
			}}, sigma})
	}
	return all
}

func (s reportSet) pair(g *generator, file string) (pair, error) {
	noisy, err := g.load(file)
	if err != nil {
		return pair{}, err
	}
	clean := noisy
	switch {
	case strings.Contains(file, "_real"):
		clean, err = g.load(strings.Replace(file, "_real", "_mean", 1))
	case strings.HasPrefix(file, "cc5d3/noisy/"):
		clean, err = g.load("cc5d3/mean/" + path.Base(file))
	}
	if err != nil {
		return pair{}, err
	}
	return s.make(noisy, clean, noise.Source(1, s.name+file)), nil
}

func (s reportSet) curveName(file string) string { return "report/" + s.name + "/" + file }

// fixed are the single levels that a prediction is compared with.
var fixed = []float64{4, 8, 12, 18}

// reportNodes are the levels at which pictures of reportSets are measured.
var reportNodes = []float64{0, 0.7, 1, 1.5, 2, 3, 4, 6, 8, 10, 12, 15, 18, 22, 27, 36, 51, 72}
