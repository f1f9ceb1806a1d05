package train

import (
	"bytes"
	"context"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// smallCamera returns a fast recipe.
func smallCamera() CameraRecipe {
	r := DefaultCameraRecipe()
	r.Local.BatchSize, r.Local.PilotSteps, r.Local.UnionSteps = solve.Lanes, 20, 6
	r.Local.Clusters, r.Local.Crops, r.Local.CropSize, r.Local.KMeansPoints = 2, 4, 64, 400
	r.LumaLevels, r.ChromaLevels, r.ChromaFirst = 2, 2, 1
	return r
}

// broadPair returns a drawn scene and a noisy copy. The noise has standard deviation 1 and is constant in squares of 2 x 2.
func broadPair(side int, seed uint64) Pair {
	clean := patchify.Plane{Width: side, Height: side, Pix: scene.Gray(scene.Draw(side, side))}
	coarse := make([]float32, side*side/4)
	noise.AddGaussian(coarse, coarse, 1, noise.Source(seed, "broad"))
	noisy := patchify.NewPlane(side, side)
	for i := range clean.Pix {
		clean.Pix[i] *= 10
		noisy.Pix[i] = clean.Pix[i] + coarse[i/side/2*(side/2)+i%side/2]
	}
	return Pair{clean, noisy}
}

func cameraData(workers int) CameraData {
	return CameraData{Luma: []Pair{broadPair(96, 1)}, Chroma: []Pair{broadPair(96, 2)}, Level: 0.01, Seed: 3, Workers: workers}
}

func TestCameraRecipeRemovesNoiseAndDoesNotDependOnWorkers(t *testing.T) {
	var files [][]byte
	for workers := 1; workers <= 2; workers++ {
		m, err := smallCamera().Train(context.Background(), &Trainer{}, cameraData(workers))
		if err != nil {
			t.Fatal(err)
		}
		data, err := m.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
		if workers > 1 {
			continue
		}
		if m.Noise != model.CameraNoise || m.Sigma != 2.6 || len(m.Chroma) != 1 {
			t.Errorf("%+v, %d chroma stages", m.Info, len(m.Chroma))
		}
		p := broadPair(96, 7)
		out, err := m.Stages.Denoise(context.Background(), p.Noisy, 1, stage.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before, after := meanSquare(p.Clean.Pix, p.Noisy.Pix), meanSquare(p.Clean.Pix, out.Pix)
		if after > 0.5*before {
			t.Errorf("of a noise energy of %.3f there is %.3f left", before, after)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("one and two workers give different models")
	}
}

func meanSquare(a, b []float32) (sum float64) {
	for i, v := range a {
		d := float64(v - b[i])
		sum += d * d / float64(len(a))
	}
	return sum
}

// Training resumes to the same bytes from a checkpoint, although the phases of all levels have the same names.
func TestCameraTrainingResumes(t *testing.T) {
	d := cameraData(0)
	checkResume(t, 4, d.Fingerprint(smallCamera()), func(trainer *Trainer) (*model.Model, error) {
		return smallCamera().Train(t.Context(), trainer, d)
	})
}
