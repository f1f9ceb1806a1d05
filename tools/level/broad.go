package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/pilots"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/patchify"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// broadPicture is a part of a training picture for the models that refine broad noise. Planes are in units of the
// level, luma first.
type broadPicture struct {
	Kind, File, Source   string
	Width, Height        int
	Sigma                float64 // level that the models are told, in gray levels
	Clean, Noisy, Pilots [][]float32
}

// How wrong the level is that these models are told in training. In use it is predicted.
const (
	levelSpread            = 0.45 // standard deviation of its logarithm
	minWithout, maxWithout = 0.7, 6.3
)

// broadPictures denoises the pictures that draw has measured.
func (j job) broadPictures(g *generator) ([]*broadPicture, error) {
	all, err := readDrawn(j.drawn)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b drawn) int { return a.Number - b.Number }) // workers have written them in any order
	pictures := make([]*broadPicture, min(len(all), j.count))
	errs := make([]error, len(pictures))
	var done atomic.Int64
	_ = parallel.For(context.Background(), j.workers, len(pictures), func(_, i int) {
		pictures[i], errs[i] = g.broad(all[i])
		if n := done.Add(1); n%100 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", n, len(pictures))
		}
	})
	return pictures, errors.Join(errs...)
}

// broad makes a picture again and denoises it with a level that is a little wrong.
func (g *generator) broad(d drawn) (*broadPicture, error) {
	r := g.recipe(d.Number)
	made, err := g.make(r)
	if err != nil {
		return nil, err
	}
	made = made.centre(measuredSide)
	rng := r.source("broad")
	b := &broadPicture{Kind: r.Kind, File: r.File, Source: made.source,
		Width: made.noisy.Width, Height: made.noisy.Height,
		Sigma: d.told(rng), Clean: made.clean.Planes, Noisy: made.noisy.Clone().Planes}
	q := denoise.Balanced
	if rng.IntN(2) == 0 {
		q = denoise.Fast
	}
	p := pilots.Picture{Clean: b.Clean, Noisy: b.Noisy, Width: b.Width, Height: b.Height, Sigma: b.Sigma / 255,
		Workers: 1}
	b.Pilots, err = denoise.Pilots.Broad(context.Background(), p, q)
	return b, err
}

// told draws the level for a picture: about the best one, or for a picture without noise a low one.
func (d drawn) told(rng *rand.Rand) float64 {
	best := slices.Index(d.MSE, slices.Min(d.MSE))
	sigma := nodes[best] * math.Exp(levelSpread*rng.NormFloat64())
	if d.Kind == "clean" || sigma < minWithout {
		sigma = minWithout * math.Pow(maxWithout/minWithout, rng.Float64())
	}
	return sigma
}

// held reports whether a picture is kept aside: one file in six, with all that is made of it.
func (b *broadPicture) held() bool { return isAside(b.File) || b.Source != "" && isAside(b.Source) }

func isAside(file string) bool {
	h := fnv.New32a()
	h.Write([]byte(strings.Replace(path.Base(file), "_mean", "_real", 1)))
	return h.Sum32()%6 == 0
}

// trainBroad trains the models that refine broad noise, luma first, and says what they gain on the pictures that are
// kept aside.
func (j job) trainBroad(g *generator) error {
	all, err := j.broadPictures(g)
	if err != nil {
		return err
	}
	var pictures, held []*broadPicture
	for _, b := range all {
		if b.held() {
			held = append(held, b)
		}
		if j.final || !b.held() {
			pictures = append(pictures, b)
		}
	}
	fmt.Printf("%d pictures, %d kept aside\n", len(pictures), len(held))
	recipe := train.DefaultCameraRecipe()
	recipe.Luma.Steps, recipe.Chroma.Steps = j.steps, j.steps
	data := train.CameraData{Seed: 1, Workers: j.workers}
	for _, b := range pictures {
		p := b.picture()
		data.Pictures = append(data.Pictures, p)
		if b.Kind == "real" || b.Kind == "moved" {
			data.Pictures = append(data.Pictures, p)
		}
	}
	for _, b := range held[:min(len(held), heldShown)] {
		data.Validation = append(data.Validation, b.picture())
	}
	m, err := recipe.Train(context.Background(), &train.Trainer{ReportEvery: 250, Report: printProgress}, data)
	if err != nil {
		return err
	}
	for name, stages := range map[string]stage.Sequence{models.BroadLuma: m.Stages, models.BroadChroma: m.Chroma} {
		one := model.Model{Info: m.Info, Stages: stages}
		one.Name, one.Noise, one.Sigma, one.Licence = name, "", 25, "MIT" // for all levels, as "luma" and "chroma"
		one.Plane = map[string]string{models.BroadLuma: "luma", models.BroadChroma: "chroma, led by luma"}[name]
		one.Training = fmt.Sprintf("Trained on %d parts of pictures with broad noise of cameras, film and JPEG, "+
			"drawn and real, by recipe %+v.", len(pictures), recipe)
		if err := writeModel(&one, fmt.Sprintf("%s/%s-25.safetensors", j.models, name)); err != nil {
			return err
		}
	}
	return printBroad(os.Stdout, held, m)
}

// heldShown is the number of pictures for the loss on pictures kept aside.
const heldShown = 60

func printProgress(p train.Progress) {
	fmt.Printf("%s: step %d of %d, loss %.4f, kept aside %.4f, %.0f s left\n", p.Phase, p.Step, p.Steps, p.Loss,
		p.Validation, p.RemainingSec)
}

func writeModel(m *model.Model, path string) error {
	b, err := m.Marshal()
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o666)
}

func (b *broadPicture) planes(of [][]float32) (planes []patchify.Plane) {
	for _, p := range of {
		planes = append(planes, patchify.Plane{Width: b.Width, Height: b.Height, Pix: p})
	}
	return planes
}

// picture returns the picture to train on.
func (b *broadPicture) picture() train.CameraPicture {
	return train.CameraPicture{Clean: b.planes(b.Clean), Noisy: b.planes(b.Noisy), Pilot: b.planes(b.Pilots),
		Sigma: b.Sigma}
}

// decibels is the PSNR of a mean square error. The error is raised by that of half a gray level, which nobody sees.
func decibels(meanSquare float64) float64 { return -10 * math.Log10((meanSquare+0.25)/(255*255)) }

// printBroad prints a line for each kind of pictures.
func printBroad(w io.Writer, held []*broadPicture, m *model.Model) error {
	type row struct{ n, noisy, pilot, refined, worst float64 }
	rows := map[string]*row{}
	for _, b := range held {
		r := rows[b.Kind]
		if r == nil {
			r = new(row)
			rows[b.Kind] = r
		}
		p, noisy := b.picture(), b.picture()
		noisy.Pilot = noisy.Noisy
		var psnr [3]float64
		for i, c := range []struct {
			picture train.CameraPicture
			m       *model.Model
		}{{noisy, new(model.Model)}, {p, new(model.Model)}, {p, m}} {
			e, err := c.picture.MeanSquare(context.Background(), c.m)
			if err != nil {
				return err
			}
			psnr[i] = decibels(e)
		}
		r.n++
		r.noisy, r.pilot, r.refined = r.noisy+psnr[0], r.pilot+psnr[1], r.refined+psnr[2]
		r.worst = min(r.worst, psnr[2]-psnr[1])
	}
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		r := rows[k]
		if _, err := fmt.Fprintf(w, "%-9s %4.0f pictures: noisy %.2f, pilot %.2f, refined %.2f, worst %+.2f dB\n", k,
			r.n, r.noisy/r.n, r.pilot/r.n, r.refined/r.n, r.worst); err != nil {
			return err
		}
	}
	return nil
}
