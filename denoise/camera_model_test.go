package denoise

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/guided"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// cameraModel returns a model for the noise of a camera, with the stages of the shipped models for cameras in general.
func cameraModel(t testing.TB) *model.Model {
	t.Helper()
	luma, err1 := shippedStages(models.BroadLuma)
	chroma, err2 := shippedStages(models.BroadChroma)
	must.Do(t, errors.Join(err1, err2))
	return &model.Model{Info: model.Info{Name: "mine", Sigma: 9, Noise: model.CameraNoise}, Stages: luma,
		Chroma: chroma}
}

// untrained returns a stage with a random network.
func untrained(guides int) *stage.Guided {
	return &stage.Guided{Network: guided.New(guided.Shape{Guides: guides, Hidden: 16, Deep: 1},
		rand.New(rand.NewPCG(1, 2)))}
}

func TestModelOfACameraTakesThePlaceOfShippedOnes(t *testing.T) {
	const width, height = 96, 80
	clean, noisy := broadScene(width, height, 6)
	run := func(planes int, o Options) ([][]float32, Result) {
		t.Helper()
		return cleaned(t, noisy[:planes], width, height, o)
	}
	same := func(a, b [][]float32) (equal []bool) {
		for i, p := range a {
			equal = append(equal, slices.Equal(p, b[i]))
		}
		return equal
	}
	mine := setOf(t, cameraModel(t))
	for planes := 1; planes <= 3; planes += 2 {
		for _, o := range []Options{{Quality: Fast}, {Quality: Fast, Sigma: 12}, {}} { // the stages are the same
			o.Noise = Camera
			want, shipped := run(planes, o)
			o.Models, o.Noise = mine, Auto
			got, r := run(planes, o)
			if i := slices.Index(same(got, want), false); i >= 0 || r.Noise != Camera || r.Sigma != shipped.Sigma {
				t.Errorf("%d planes: plane %d differs, %v, not %v", planes, i, r, shipped)
			}
			if r.Model != shipped.Model+" + mine" {
				t.Errorf("%d planes: model %q", planes, r.Model)
			}
			if before, after := metric.PSNRPlanes(clean[:planes], noisy[:planes]),
				metric.PSNRPlanes(clean[:planes], got); o.Sigma == 0 && after < before+2 {
				t.Errorf("%d planes: %.2f dB before, %.2f dB after", planes, before, after)
			}
		}
	}

	want, _ := run(3, Options{Quality: Fast, Noise: Camera})
	gray := cameraModel(t)
	gray.Chroma = nil // as trained on gray pictures
	got, _ := run(3, Options{Quality: Fast, Models: setOf(t, gray)})
	if slices.Contains(same(got, want), false) {
		t.Error("without stages for chroma, those of the shipped model are not used")
	}
	other := cameraModel(t)
	other.Chroma = stage.Sequence{untrained(2)}
	got, _ = run(3, Options{Quality: Fast, Models: setOf(t, other)})
	decorrelate(got, pool{workers: 1})
	decorrelate(want, pool{workers: 1})
	var changed [3]float64 // share of samples; bounds of samples couple the planes in a few places
	for i, p := range got {
		for j, v := range p {
			if math.Abs(float64(v-want[i][j])) > 1e-4 {
				changed[i] += 1 / float64(len(p))
			}
		}
	}
	if changed[0] > 0.01 || min(changed[1], changed[2]) < 0.1 {
		t.Errorf("other stages for chroma change %.2f of the samples", changed)
	}
}

func TestModelsOfOtherKindsAreRefused(t *testing.T) {
	local := union(t).model.Stages
	for name, c := range map[string]struct {
		change func(m *model.Model)
		want   error
	}{
		"local":          {func(m *model.Model) { m.Stages = local }, model.ErrFormat},
		"mixed":          {func(m *model.Model) { m.Stages = slices.Concat(local, m.Stages) }, model.ErrFormat},
		"chroma as luma": {func(m *model.Model) { m.Stages = m.Chroma }, model.ErrFormat},
		"luma as chroma": {func(m *model.Model) { m.Chroma = m.Stages }, model.ErrFormat},
		"local chroma":   {func(m *model.Model) { m.Chroma = local }, model.ErrFormat},
		"no stages":      {func(m *model.Model) { m.Stages = nil }, model.ErrFormat},
		"white":          {func(m *model.Model) { m.Noise, m.Chroma = "", nil }, ErrArgument},
		"white, chroma":  {func(m *model.Model) { m.Noise, m.Stages = "", local }, ErrArgument},
	} {
		m := cameraModel(t)
		c.change(m)
		must.Fail(t, name, must.Err(UseModel(m)), c.want)
	}
}

// A model of a camera is for its noise alone.
func TestModelOfACameraIsForNoOtherNoise(t *testing.T) {
	mine := setOf(t, cameraModel(t))
	for name, o := range map[string]Options{
		"white": {Noise: Gaussian}, "white of a level": {Noise: Gaussian, Sigma: 5}, "photons": {Noise: Poisson},
		"profile": {Profile: whiteProfileOf(3)},
	} {
		o.Models = mine
		if err := o.Check(); !errors.Is(err, ErrArgument) ||
			!strings.Contains(err.Error(), "the model mine is for the noise of cameras") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, o := range []Options{{}, {Sigma: 5}, {Noise: Camera}, {Noise: Camera, Sigma: 5}, {Noise: None}} {
		o.Models = mine
		if err := o.Check(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if got, want := mine.Levels(), (ModelSet{}).Levels(); !slices.Equal(got, want) {
		t.Errorf("levels %v, not %v", got, want)
	}
	if m, err := mine.choose(25); err != nil || m.Name != models.Default {
		t.Errorf("%v, %v", m, err)
	}
}
