package denoise

import (
	"context"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// The stages before the last pass give the pilot that the program gives it.
func TestPassPilot(t *testing.T) {
	const sigma = 0.125 // a power of two, so that scales change no bits
	ctx := context.Background()
	m := must.Get(ModelSet{}.choose(255 * sigma))(t)
	noisy := patchify.NewPlane(96, 72)
	for i := range noisy.Pix {
		noisy.Pix[i] = float32(0.3+0.4*float64(i%96/12%2)) + float32(sigma)*float32(i*7919%13-6)/4
	}
	for _, q := range []Quality{Balanced, Best} {
		last := -1 // the last pass that runs
		for i, passes := 0, 0; i < len(m.Stages); i++ {
			if _, ok := m.Stages[i].(*stage.NonLocal); ok && passes < q.passes() {
				last, passes = i, passes+1
			}
		}
		m := must.Get(withoutFarSearch(m, last))(t)
		lane := plans[whiteNoise][q].luma
		steps := must.Get(lane.steps(m, ModelSet{}))(t)
		want := must.Get(steps.For(stage.Level(255*sigma), 0, nil).Denoise(ctx, noisy, sigma))(t)
		pilot := must.Get(Pilots.Pass(ctx, &model.Model{Info: m.Info, Stages: m.Stages[:last]}, noisy, sigma, q))(t)
		in := stage.Input{Noisy: inSigma(noisy, sigma), Pilot: inSigma(pilot, sigma)}
		got := patchify.NewPlane(noisy.Width, noisy.Height)
		run := stage.Options{GroupStride: lane.passes.step, Level: stage.Level(255 * sigma)}
		must.Do(t, m.Stages[last].Denoise(ctx, got, in, run))
		for i, v := range got.Pix {
			if v*sigma != want.Pix[i] {
				t.Fatalf("%v: sample %d is %g after the last pass, and %g in the program", q, i, v*sigma, want.Pix[i])
			}
		}
	}
}

// withoutFarSearch returns the model with a small window in pass i. It is searched exhaustively, so that the pass needs
// no groups of those before it.
func withoutFarSearch(m *model.Model, i int) (*model.Model, error) {
	l := m.Stages[i].(*stage.NonLocal)
	near, err := stage.NewNonLocal(&stage.NonLocal{PatchSize: l.PatchSize, Window: 6, Step: l.Step, Offset: l.Offset,
		Residual: l.Residual,
		Schedule: l.Schedule, First: l.First, Transforms: l.Transforms, Classifier: l.Classifier, Weights: l.Weights})
	stages := slices.Clone(m.Stages)
	stages[i] = near
	return &model.Model{Info: m.Info, Stages: stages}, err
}

func inSigma(p patchify.Plane, sigma float32) patchify.Plane {
	out := patchify.Plane{Width: p.Width, Height: p.Height, Pix: slices.Clone(p.Pix)}
	for i := range out.Pix {
		out.Pix[i] /= sigma
	}
	return out
}
