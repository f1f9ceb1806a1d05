package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

func smallGuided() GuidedRecipe {
	return GuidedRecipe{Hidden: 16, Deep: 1, Steps: 60, Rate: 3e-3, Batch: 2, Side: 32, Floor: 0.03}
}

// chromaPicture draws squares whose colours change where the luma does. The pilot is noisy.
func chromaPicture(seed uint64) GuidedPicture {
	const side = 64
	rng := rand.New(rand.NewPCG(seed, 1))
	p := GuidedPicture{Luma: patchify.NewPlane(side, side), Sigma: 25}
	for range 2 {
		for _, planes := range []*[]patchify.Plane{&p.Clean, &p.Noisy, &p.Pilot} {
			*planes = append(*planes, patchify.NewPlane(side, side))
		}
	}
	var values [3][16]float32
	for i := range values {
		for j := range values[i] {
			values[i][j] = float32(6 * rng.NormFloat64())
		}
	}
	for y := range side {
		for x := range side {
			at, square := y*side+x, y/16*4+x/16
			p.Luma.Pix[at] = values[0][square]
			for i := range 2 {
				p.Clean[i].Pix[at] = values[1+i][square]
				p.Noisy[i].Pix[at] = values[1+i][square] + float32(rng.NormFloat64())
				p.Pilot[i].Pix[at] = values[1+i][square] + 0.5*(p.Noisy[i].Pix[at]-values[1+i][square])
			}
		}
	}
	return p
}

func chromaData(workers int) GuidedData {
	return GuidedData{Pictures: []GuidedPicture{chromaPicture(1), chromaPicture(2), chromaPicture(3)},
		Validation: []GuidedPicture{chromaPicture(4)}, Seed: 5, Workers: workers}
}

// lumaData is the first plane of each picture of chromaData, without guides.
func lumaData(workers int) GuidedData {
	d := chromaData(workers)
	for _, pictures := range [][]GuidedPicture{d.Pictures, d.Validation} {
		for i, p := range pictures {
			pictures[i] = GuidedPicture{Clean: p.Clean[:1], Noisy: p.Noisy[:1], Pilot: p.Pilot[:1], Sigma: p.Sigma}
		}
	}
	return d
}

func TestGuidedRecipeRemovesNoiseAndDoesNotDependOnWorkers(t *testing.T) {
	for name, data := range map[string]func(workers int) GuidedData{"chroma": chromaData, "luma": lumaData} {
		for _, c := range []struct{ sizes, rounds int }{{0, 0}, {2, 1}, {1, 2}, {2, 2}} {
			r := smallGuided()
			r.Sizes, r.Rounds = c.sizes, c.rounds
			t.Run(fmt.Sprint(name, c), func(t *testing.T) { checkGuided(t, name, r, data) })
		}
	}
}

func checkGuided(t *testing.T, name string, r GuidedRecipe, data func(workers int) GuidedData) {
	var models [2]*model.Model
	for i := range models {
		workers := 1 + i
		m := must.Get(r.Train(context.Background(), nil, data(workers)))(t)
		p := data(workers).Validation[0]
		sum := 0.0
		for i := range p.Clean {
			sum += meanSquare(p.Clean[i].Pix, p.Pilot[i].Pix) / float64(len(p.Clean))
		}
		before := -10 * math.Log10(sum*25*25/255/255)
		if m.ValidationPSNR < before+1.5 || m.Name != name {
			t.Errorf("%s: %.2f dB, the pilot has %.2f", m.Name, m.ValidationPSNR, before)
		}
		if len(m.Stages) != max(r.Rounds, 1) {
			t.Errorf("%d stages of %d rounds", len(m.Stages), r.Rounds)
		}
		for _, s := range m.Stages {
			if halved := s.(*stage.Guided).AtHalf != nil; halved != (r.Sizes > 1) {
				t.Errorf("%d sizes: half the size is refined: %v", r.Sizes, halved)
			}
		}
		models[i] = m
	}
	sameFiles(t, "one and two workers", models[0], models[1])
}

func TestChromaTrainingResumes(t *testing.T) {
	d, r := chromaData(0), smallGuided()
	r.Sizes, r.Rounds = 2, 2
	checkResume(t, 7, d.Fingerprint(r), func(trainer *Trainer) (*model.Model, error) {
		return r.Train(t.Context(), trainer, d)
	})
}

// Without steps, training that starts from a model gives its parameters. Models of other recipes are refused.
func TestGuidedTrainingStartsFromAModel(t *testing.T) {
	r, d := smallGuided(), lumaData(0)
	r.Sizes, r.Rounds, r.Steps = 2, 2, 3
	first := must.Get(r.Train(t.Context(), nil, d))(t)
	d.Start = first
	other := d
	other.Seed++ // the random networks that are not used
	for _, d := range []GuidedData{d, other} {
		r.Steps = 0
		again := must.Get(r.Train(t.Context(), nil, d))(t)
		again.Seed = first.Seed
		sameFiles(t, "without a step", first, again)
	}
	if without := lumaData(0); d.Fingerprint(r) == without.Fingerprint(r) {
		t.Error("a training from random networks has the same fingerprint")
	}
	for name, change := range map[string]func(r *GuidedRecipe, d *GuidedData){
		"hidden": func(r *GuidedRecipe, _ *GuidedData) { r.Hidden = 32 },
		"layers": func(r *GuidedRecipe, _ *GuidedData) { r.Deep = 2 },
		"sizes":  func(r *GuidedRecipe, _ *GuidedData) { r.Sizes = 1 },
		"more":   func(r *GuidedRecipe, _ *GuidedData) { r.Sizes = 3 },
		"rounds": func(r *GuidedRecipe, _ *GuidedData) { r.Rounds = 1 },
		"chroma": func(_ *GuidedRecipe, d *GuidedData) { d.Pictures, d.Validation = chromaData(0).Pictures, nil },
		"guides": func(r *GuidedRecipe, _ *GuidedData) { r.Predictions = 1 },
		"few":    func(r *GuidedRecipe, _ *GuidedData) { r.Predictions = -1 },
		"kind":   func(_ *GuidedRecipe, d *GuidedData) { d.Start = &model.Model{Stages: stage.Sequence{nil, nil}} },
	} {
		r, d := r, d
		change(&r, &d)
		must.Fail(t, name, must.Err(r.Train(t.Context(), nil, d)), ErrSettings)
	}
}

// checkGain trains with index 0 and 1 and checks by how much the PSNR of the second model is higher, in dB.
func checkGain(t *testing.T, least float64, of func(i int) (GuidedRecipe, GuidedData)) {
	t.Helper()
	var psnr [2]float64
	for i := range psnr {
		r, d := of(i)
		m := must.Get(r.Train(t.Context(), nil, d))(t)
		psnr[i] = m.ValidationPSNR
	}
	if psnr[1] < psnr[0]+least {
		t.Errorf("%.2f dB, and then %.2f", psnr[0], psnr[1])
	}
}

// Where chroma changes along with luma, predictions tell what a noisy pilot does not.
func TestPredictionsGain(t *testing.T) {
	d := chromaData(0)
	for _, p := range append(d.Pictures, d.Validation...) {
		for i := range p.Clean {
			for j, luma := range p.Luma.Pix {
				change := (0.5-float32(i))*luma - p.Clean[i].Pix[j]
				p.Clean[i].Pix[j] += change
				p.Noisy[i].Pix[j] += change
				p.Pilot[i].Pix[j] += change
			}
		}
	}
	checkGain(t, 0.3, func(i int) (GuidedRecipe, GuidedData) {
		r := smallGuided()
		r.Predictions = 2 * i
		return r, d
	})
}

// A second round starts from what the first leaves.
func TestSecondRoundGainsMore(t *testing.T) {
	checkGain(t, 0.05, func(i int) (GuidedRecipe, GuidedData) {
		r := smallGuided()
		r.Rounds = 1 + i
		return r, lumaData(0)
	})
}

// Broad noise, which patches at full size take for structure, goes at half the size.
func TestHalfTheSizeRemovesBroadNoise(t *testing.T) {
	checkGain(t, 0.3, func(i int) (GuidedRecipe, GuidedData) {
		r, d := smallGuided(), lumaData(0)
		r.Sizes = 1 + i
		for _, pictures := range [][]GuidedPicture{d.Pictures, d.Validation} {
			for _, p := range pictures {
				blur(p.Noisy[0], p.Clean[0])
				copy(p.Pilot[0].Pix, p.Noisy[0].Pix)
			}
		}
		return r, d
	})
}

// blur makes the noise of a plane that was white 4 samples broad.
func blur(noisy, clean patchify.Plane) {
	w, h := noisy.Width, noisy.Height
	e := make([]float32, len(noisy.Pix))
	for i, v := range noisy.Pix {
		e[i] = v - clean.Pix[i]
	}
	for y := range h {
		for x := range w {
			sum := float32(0)
			for dy := range 4 {
				for dx := range 4 {
					sum += e[(y+dy)%h*w+(x+dx)%w]
				}
			}
			noisy.Pix[y*w+x] = clean.Pix[y*w+x] + sum/4
		}
	}
}

func TestGuidedRecipeRefusesBadData(t *testing.T) {
	for name, spoil := range map[string]func(r *GuidedRecipe, d *GuidedData){
		"no pictures":  func(_ *GuidedRecipe, d *GuidedData) { d.Pictures = nil },
		"no noise":     func(_ *GuidedRecipe, d *GuidedData) { d.Pictures[1].Sigma = 0 },
		"NaN":          func(_ *GuidedRecipe, d *GuidedData) { d.Pictures[1].Noisy[0].Pix[7] = float32(math.NaN()) },
		"sizes":        func(_ *GuidedRecipe, d *GuidedData) { d.Pictures[1].Luma = patchify.NewPlane(64, 63) },
		"empty plane":  func(_ *GuidedRecipe, d *GuidedData) { d.Validation[0].Pilot[1] = patchify.Plane{} },
		"hidden units": func(r *GuidedRecipe, _ *GuidedData) { r.Hidden = 20 },
		"both kinds":   func(_ *GuidedRecipe, d *GuidedData) { d.Pictures[1] = lumaData(0).Pictures[1] },
		"luma with a guide": func(_ *GuidedRecipe, d *GuidedData) {
			luma := d.Pictures[0].Luma
			*d = lumaData(0)
			d.Pictures[0].Luma = luma
		},
		"a plane less": func(_ *GuidedRecipe, d *GuidedData) { d.Pictures[2].Noisy = d.Pictures[2].Noisy[:1] },
		"no floor":     func(r *GuidedRecipe, _ *GuidedData) { r.Floor = 0 },
		"sizes of -1":  func(r *GuidedRecipe, _ *GuidedData) { r.Sizes = -1 },
		"too small":    func(r *GuidedRecipe, _ *GuidedData) { r.Sizes = 5 },
		"no batch":     func(r *GuidedRecipe, _ *GuidedData) { r.Batch = 0 },
		"small crops":  func(r *GuidedRecipe, _ *GuidedData) { r.Side = 7 },
	} {
		r, d := smallGuided(), chromaData(0)
		spoil(&r, &d)
		if _, err := r.Train(context.Background(), nil, d); !errors.Is(err, ErrData) && !errors.Is(err, ErrSettings) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What no file can hold is refused before the training, and all else can be read back.
func TestGuidedRecipeRefusesWhatNoFileHolds(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(r *GuidedRecipe, v int)
		most int
		step int
	}{
		"sizes":    {func(r *GuidedRecipe, v int) { r.Sizes = v }, stage.MaxSizes, 1},
		"layers":   {func(r *GuidedRecipe, v int) { r.Deep = v }, stage.MaxDeep, 1},
		"channels": {func(r *GuidedRecipe, v int) { r.Hidden = v }, stage.MaxChannels, 16},
	} {
		r, d := smallGuided(), chromaData(0)
		c.set(&r, c.most+c.step)
		if _, err := r.Train(t.Context(), nil, d); !errors.Is(err, ErrSettings) {
			t.Errorf("%s, %d: %v", name, c.most+c.step, err)
		}
		c.set(&r, c.most)
		if err := r.check(d); err != nil {
			t.Errorf("%s, %d: %v", name, c.most, err)
		}
		if name == "sizes" { // which needs large pictures
			continue
		}
		s := &stage.Guided{Network: r.network(d)}
		if _, err := rounded(&model.Model{Info: model.Info{Sigma: 25}, Stages: stage.Sequence{s}}); err != nil {
			t.Errorf("%s, %d: %v", name, c.most, err)
		}
	}
}
