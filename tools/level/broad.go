package main

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

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
	Name                 string // of the recipe
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

// broadPictures denoises the pictures that draw has measured, and writes them to a file.
func (j job) broadPictures(g *generator) error {
	all, err := readDrawn(j.drawn)
	if err != nil {
		return err
	}
	all = all[:min(len(all), j.count)]
	f, err := os.Create(j.pictures)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	enc := gob.NewEncoder(w)
	var mu sync.Mutex
	var failed error
	done := 0
	_ = parallel.For(context.Background(), j.workers, len(all), func(_, i int) {
		p, err := g.broad(all[i])
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			err = enc.Encode(p)
		}
		failed = errors.Join(failed, err)
		if done++; done%100 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", done, len(all))
		}
	})
	return errors.Join(failed, w.Flush(), f.Close())
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
	b := &broadPicture{Name: fmt.Sprintf("%06d", d.Number), Kind: r.Kind, File: r.File, Source: made.source,
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
func (j job) trainBroad() error {
	pictures, held, err := j.readBroad()
	if err != nil {
		return err
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
	return printBroad(os.Stdout, held, m.Stages, m.Chroma)
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

// readBroad reads the pictures to train on, and those that are kept aside, by name: workers have written them in any
// order.
func (j job) readBroad() (pictures, held []*broadPicture, err error) {
	f, err := os.Open(j.pictures)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	dec := gob.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for {
		b := new(broadPicture)
		switch err := dec.Decode(b); {
		case err == io.EOF:
			byName := func(a, b *broadPicture) int { return strings.Compare(a.Name, b.Name) }
			slices.SortFunc(pictures, byName)
			slices.SortFunc(held, byName)
			return pictures, held, nil
		case err != nil:
			return nil, nil, err
		case b.held():
			held = append(held, b)
			if !j.final {
				continue
			}
		}
		pictures = append(pictures, b)
	}
}

func (b *broadPicture) planes(of [][]float32) (planes []patchify.Plane) {
	for _, p := range of {
		planes = append(planes, patchify.Plane{Width: b.Width, Height: b.Height, Pix: p})
	}
	return planes
}

// lumaSigma is the level of the luma as for a gray picture.
func (b *broadPicture) lumaSigma() float64 { return b.Sigma / math.Sqrt(float64(len(b.Clean))) }

// picture returns the picture to train on.
func (b *broadPicture) picture() train.CameraPicture {
	return train.CameraPicture{Clean: b.planes(b.Clean), Noisy: b.planes(b.Noisy), Pilot: b.planes(b.Pilots),
		Sigma: b.Sigma}
}

// refinedLuma returns the luma after its models.
func (b *broadPicture) refinedLuma(luma stage.Sequence) patchify.Plane {
	in := stage.Input{Noisy: b.planes(b.Noisy)[0], Pilot: b.planes(b.Pilots)[0]}
	for _, s := range luma {
		out := patchify.NewPlane(b.Width, b.Height)
		if err := s.Denoise(context.Background(), out, in,
			stage.Options{Level: stage.Level(b.lumaSigma())}); err != nil {
			panic(err) // a background context does not end, and the sizes are right
		}
		in.Pilot = out
	}
	return in.Pilot
}

// refined returns the planes after the models.
func (b *broadPicture) refined(luma, chroma stage.Sequence) [][]float32 {
	planes := [][]float32{b.refinedLuma(luma).Pix}
	if len(b.Clean) == 1 {
		return planes
	}
	noisy, pilots := b.planes(b.Noisy), b.planes(b.Pilots)
	c := stage.Chroma{Noisy: func(i int) patchify.Plane { return noisy[1+i] },
		Pilot: [2]patchify.Plane{pilots[1], pilots[2]},
		Luma:  b.planes(planes)[0], Level: stage.Level(b.Sigma)}
	err := chroma.RunChroma(context.Background(), c, stage.Steps(nil).NewDenoiser(),
		func(_ int, result patchify.Plane) {
			planes = append(planes, slices.Clone(result.Pix))
		}, stage.Options{})
	if err != nil {
		panic(err)
	}
	return planes
}

// psnr returns the PSNR of all planes in dB. The mean squared error is raised by that of half a gray level, which
// nobody sees.
func (b *broadPicture) psnr(planes [][]float32) float64 {
	sum, n := 0.0, 0
	for c, p := range planes {
		for i, v := range p {
			e := float64(v-b.Clean[c][i]) * b.Sigma
			sum += e * e
			n++
		}
	}
	return -10 * math.Log10((sum/float64(n)+0.25)/(255*255))
}

// printBroad prints a line for each kind of pictures.
func printBroad(w io.Writer, held []*broadPicture, luma, chroma stage.Sequence) error {
	type row struct{ n, noisy, pilot, refined, worst float64 }
	rows := map[string]*row{}
	var kinds []string
	for _, b := range held {
		r := rows[b.Kind]
		if r == nil {
			r = new(row)
			rows[b.Kind] = r
			kinds = append(kinds, b.Kind)
		}
		before, after := b.psnr(b.Pilots), b.psnr(b.refined(luma, chroma))
		r.n++
		r.noisy += b.psnr(b.Noisy)
		r.pilot += before
		r.refined += after
		r.worst = min(r.worst, after-before)
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		r := rows[k]
		if _, err := fmt.Fprintf(w, "%-9s %4.0f pictures: noisy %.2f, pilot %.2f, refined %.2f, worst %+.2f dB\n", k,
			r.n, r.noisy/r.n, r.pilot/r.n, r.refined/r.n, r.worst); err != nil {
			return err
		}
	}
	return nil
}
