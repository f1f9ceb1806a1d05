package train

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

func smallChroma() ChromaRecipe {
	return ChromaRecipe{Hidden: 16, Deep: 1, Steps: 60, Rate: 3e-3, Batch: 2, Side: 32}
}

// chromaPicture draws squares whose colours change where the luma does. The pilot is noisy.
func chromaPicture(seed uint64) ChromaPicture {
	const side = 64
	rng := rand.New(rand.NewPCG(seed, 1))
	p := ChromaPicture{Luma: patchify.NewPlane(side, side), Sigma: 25}
	for i := range 2 {
		p.Clean[i], p.Noisy[i], p.Pilot[i] = patchify.NewPlane(side, side), patchify.NewPlane(side, side), patchify.NewPlane(side, side)
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

func chromaData(workers int) ChromaData {
	return ChromaData{Pictures: []ChromaPicture{chromaPicture(1), chromaPicture(2), chromaPicture(3)}, Validation: []ChromaPicture{chromaPicture(4)}, Seed: 5, Workers: workers}
}

func TestChromaRecipeRemovesNoiseAndDoesNotDependOnWorkers(t *testing.T) {
	var files [][]byte
	for workers := 1; workers <= 2; workers++ {
		m, err := smallChroma().Train(context.Background(), nil, chromaData(workers))
		if err != nil {
			t.Fatal(err)
		}
		pilot := chromaPicture(4)
		sum := 0.0
		for i := range 2 {
			sum += meanSquare(pilot.Clean[i].Pix, pilot.Pilot[i].Pix) / 2
		}
		before := -10 * math.Log10(sum*25*25/255/255)
		if m.ValidationPSNR < before+2 {
			t.Errorf("%.2f dB, the pilot has %.2f", m.ValidationPSNR, before)
		}
		data, err := m.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("one and two workers give different models")
	}
}

func TestChromaTrainingResumes(t *testing.T) {
	var checkpoints [][]byte
	save := &Trainer{SaveEvery: 7, Save: func(data []byte) error { checkpoints = append(checkpoints, data); return nil }}
	d := chromaData(0)
	print := d.Fingerprint(smallChroma())
	if err := save.Resume(print, nil); err != nil {
		t.Fatal(err)
	}
	want, err := smallChroma().Train(context.Background(), save, d)
	if err != nil {
		t.Fatal(err)
	}
	resumed := &Trainer{}
	if err := resumed.Resume(print, checkpoints[len(checkpoints)/2]); err != nil {
		t.Fatal(err)
	}
	got, err := smallChroma().Train(context.Background(), resumed, d)
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := want.Marshal()
	b, err2 := got.Marshal()
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("the resumed model differs (%v, %v)", err1, err2)
	}
}

func TestChromaRecipeRefusesBadData(t *testing.T) {
	for name, spoil := range map[string]func(r *ChromaRecipe, d *ChromaData){
		"no pictures":  func(_ *ChromaRecipe, d *ChromaData) { d.Pictures = nil },
		"no noise":     func(_ *ChromaRecipe, d *ChromaData) { d.Pictures[1].Sigma = 0 },
		"sizes":        func(_ *ChromaRecipe, d *ChromaData) { d.Pictures[1].Luma = patchify.NewPlane(64, 63) },
		"empty plane":  func(_ *ChromaRecipe, d *ChromaData) { d.Validation[0].Pilot[1] = patchify.Plane{} },
		"hidden units": func(r *ChromaRecipe, _ *ChromaData) { r.Hidden = 20 },
		"no batch":     func(r *ChromaRecipe, _ *ChromaData) { r.Batch = 0 },
		"small crops":  func(r *ChromaRecipe, _ *ChromaData) { r.Side = 7 },
	} {
		r, d := smallChroma(), chromaData(0)
		spoil(&r, &d)
		if _, err := r.Train(context.Background(), nil, d); !errors.Is(err, ErrData) && !errors.Is(err, ErrSettings) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
