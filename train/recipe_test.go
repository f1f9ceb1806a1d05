package train

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// textured returns a plane with stripes of several directions on a scale of 0 to 1.
func textured(width, height int, phase float64) patchify.Plane {
	p := patchify.NewPlane(width, height)
	for i := range p.Pix {
		x, y := float64(i%width), float64(i/width)
		v := 0.5 + 0.2*math.Sin(0.9*x+phase)*math.Sin(0.02*y)
		if int(x+2*y)/17%2 == 0 {
			v += 0.2
		}
		p.Pix[i] = float32(v)
	}
	return p
}

func smallData() Data {
	return Data{Groups: [][]Pair{{{Clean: textured(80, 70, 0)}}, {{Clean: textured(64, 64, 1)},
		{Clean: textured(40, 90, 2)}}},
		Validation: []Pair{{Clean: textured(60, 60, 3)}}, Sigma: 0.1, Seed: 1}
}

func smallLocal() LocalRecipe {
	return LocalRecipe{BatchSize: 48, Start: 0.9, PilotSteps: 15, UnionSteps: 5, PilotRate: 1e-2, UnionRate: 1e-2,
		Clusters: 3, Crops: 6, CropSize: 48, KMeansPoints: 500}
}

func TestLocalRecipeSameFileForAnyWorkersAndAfterResume(t *testing.T) {
	var want []byte
	for run, workers := range []int{1, 3} {
		d := smallData()
		d.Workers = workers
		var checkpoints [][]byte
		tr := &Trainer{SaveEvery: 4, Save: func(data []byte) error {
			checkpoints = append(checkpoints,
				data)
			return nil
		}}
		must.Do(t, tr.Resume(d.Fingerprint(smallLocal()), nil))
		m := must.Get(smallLocal().Train(context.Background(), tr, d))(t)
		data := must.Get(m.Marshal())(t)
		if want == nil {
			want = data
		} else if !bytes.Equal(data, want) {
			t.Errorf("%d workers write another file than one", workers)
		}
		if noise := -20 * math.Log10(d.Sigma); !(m.ValidationPSNR > noise+2) {
			t.Errorf("validation %g dB, the noisy image %g", m.ValidationPSNR, noise)
		}
		for i, c := range checkpoints {
			if i%4 != 2*run { // every fourth checkpoint is enough, and another for each number of workers
				continue
			}
			again := new(Trainer)
			must.Do(t, again.Resume(d.Fingerprint(smallLocal()), c))
			m := must.Get(smallLocal().Train(context.Background(), again, d))(t)
			if data, _ := m.Marshal(); !bytes.Equal(data, want) {
				t.Errorf("resumed from checkpoint %d: another file", i)
			}
		}
	}
}

func TestLocalRecipeWithNoisyImages(t *testing.T) {
	d := smallData()
	for _, g := range append(d.Groups, d.Validation) {
		for i := range g {
			g[i].Noisy = patchify.NewPlane(g[i].Clean.Width, g[i].Clean.Height)
			rng := rand.New(rand.NewPCG(9, uint64(i)))
			for j, v := range g[i].Clean.Pix {
				g[i].Noisy.Pix[j] = v + float32(0.1*rng.NormFloat64())
			}
		}
	}
	m := must.Get(smallLocal().Train(context.Background(), new(Trainer), d))(t)
	if m.ValidationPSNR < 21 {
		t.Errorf("validation %g dB", m.ValidationPSNR)
	}
}

func TestPaperRecipeStacksOneTransformForEachGroup(t *testing.T) {
	r := PaperRecipe{BatchSize: 48, Steps: 20, Rate: 1e-2, Adam: true, Start: 0.3}
	m := must.Get(r.Train(context.Background(), new(Trainer), smallData()))(t)
	if w := m.Stages[0].Filters()[0]; w.K != 128 || w.N != 64 {
		t.Errorf("a stack of %d x %d", w.K, w.N)
	}
}
