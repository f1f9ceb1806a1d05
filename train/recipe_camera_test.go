package train

import (
	"errors"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// smallCamera returns a fast recipe.
func smallCamera() CameraRecipe {
	r := smallGuided()
	r.Sizes = 2
	return CameraRecipe{Luma: r, Chroma: r}
}

// cameraPicture is a picture of chromaPicture, with a third plane as its luma.
func cameraPicture(seed uint64) CameraPicture {
	p, more := chromaPicture(seed), chromaPicture(seed+100)
	join := func(luma patchify.Plane, chroma []patchify.Plane) []patchify.Plane {
		return append([]patchify.Plane{luma}, chroma...)
	}
	return CameraPicture{Clean: join(more.Clean[0], p.Clean), Noisy: join(more.Noisy[0], p.Noisy),
		Pilot: join(more.Pilot[0], p.Pilot), Sigma: p.Sigma}
}

// grayPicture is the luma alone.
func grayPicture(seed uint64) CameraPicture {
	p := cameraPicture(seed)
	return CameraPicture{Clean: p.Clean[:1], Noisy: p.Noisy[:1], Pilot: p.Pilot[:1], Sigma: 2 * p.Sigma}
}

func cameraData(workers int) CameraData {
	return CameraData{Pictures: []CameraPicture{cameraPicture(1), grayPicture(2), cameraPicture(3)},
		Validation: []CameraPicture{cameraPicture(4)}, Seed: 3, Workers: workers}
}

func TestCameraRecipeRemovesNoiseAndDoesNotDependOnWorkers(t *testing.T) {
	var models [2]*model.Model
	for i := range models {
		m := must.Get(smallCamera().Train(t.Context(), nil, cameraData(1+i)))(t)
		models[i] = m
		// 25 times the cube root of 2
		if want := 31.5; m.Noise != model.CameraNoise || m.Sigma != want || !m.Stages.Refines(0) ||
			!m.Chroma.Refines(2) {
			t.Errorf("%+v, %d and %d stages", m.Info, len(m.Stages), len(m.Chroma))
		}
		for name, p := range map[string]CameraPicture{"colour": cameraPicture(4), "gray": grayPicture(4)} {
			before, err := p.MeanSquare(t.Context(), new(model.Model))
			after, err2 := p.MeanSquare(t.Context(), m)
			if err != nil || err2 != nil || !(after < 0.7*before) {
				t.Errorf("%s: errors of %.3f before, %.3f after (%v, %v)", name, before, after, err, err2)
			}
		}
	}
	sameFiles(t, "one and two workers", models[0], models[1])
}

// Gray pictures make a model for luma alone.
func TestCameraRecipeOfGrayPictures(t *testing.T) {
	d := CameraData{Pictures: []CameraPicture{grayPicture(1)}, Seed: 3}
	m, err := smallCamera().Train(t.Context(), nil, d)
	if err != nil || len(m.Stages) != 1 || len(m.Chroma) != 0 || m.Plane != "luma" {
		t.Errorf("%+v, %v", m, err)
	}
}

// Without steps, a model is what training starts from.
func TestCameraRecipeStartsFromModels(t *testing.T) {
	trained := must.Get(smallCamera().Train(t.Context(), nil, cameraData(0)))(t)
	d, r := cameraData(0), smallCamera()
	r.Luma.Steps, r.Chroma.Steps = 0, 0
	d.Luma, d.Chroma = &model.Model{Stages: trained.Stages}, &model.Model{Stages: trained.Chroma}
	again := must.Get(r.Train(t.Context(), nil, d))(t)
	sameFiles(t, "without steps", trained, again)
	d.Chroma = d.Luma
	must.Fail(t, "from a model for luma", must.Err(r.Train(t.Context(), nil, d)), ErrSettings)
}

// Training resumes to the same bytes from a checkpoint.
func TestCameraTrainingResumes(t *testing.T) {
	d := cameraData(0)
	checkResume(t, 20, d.Fingerprint(smallCamera()), func(trainer *Trainer) (*model.Model, error) {
		return smallCamera().Train(t.Context(), trainer, d)
	})
}

func TestCameraRecipeRefusesBadPictures(t *testing.T) {
	for name, change := range map[string]func(p *CameraPicture){
		"two planes": func(p *CameraPicture) { p.Clean, p.Noisy, p.Pilot = p.Clean[:2], p.Noisy[:2], p.Pilot[:2] },
		"no planes":  func(p *CameraPicture) { *p = CameraPicture{Sigma: 5} },
		"no pilot":   func(p *CameraPicture) { p.Pilot = nil },
		"no level":   func(p *CameraPicture) { p.Sigma = 0 },
		"level":      func(p *CameraPicture) { p.Sigma = math.NaN() },
		"size":       func(p *CameraPicture) { p.Noisy[1] = patchify.NewPlane(9, 9) },
		"small": func(p *CameraPicture) {
			*p = CameraPicture{Clean: []patchify.Plane{patchify.NewPlane(13, 40)},
				Noisy: []patchify.Plane{patchify.NewPlane(13, 40)},
				Pilot: []patchify.Plane{patchify.NewPlane(13, 40)}, Sigma: 5}
		},
	} {
		for _, held := range []bool{false, true} {
			d := cameraData(1)
			p := &d.Pictures[0]
			if held {
				p = &d.Validation[0]
			}
			change(p)
			if _, err := smallCamera().Train(t.Context(), nil, d); !errors.Is(err, ErrData) {
				t.Errorf("%s, held %v: %v", name, held, err)
			}
		}
	}
	if got := smallCamera().LeastSide(); got != 16 {
		t.Errorf("sides of at least %d", got)
	}
}

func meanSquare(a, b []float32) (sum float64) {
	for i, v := range a {
		d := float64(v - b[i])
		sum += d * d / float64(len(a))
	}
	return sum
}
