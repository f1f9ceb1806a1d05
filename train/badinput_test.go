package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// No recipe panics on bad data or settings: each returns an error of a documented kind, before it trains.
func TestRecipesRefuseBadInput(t *testing.T) {
	ctx := context.Background()
	local, nonLocal, paper := smallLocal(), smallNonLocal(t), smallPaper()
	refused := func(name string, want error) func(*model.Model, error) {
		return func(m *model.Model, err error) {
			t.Helper()
			must.Fail(t, name, err, want)
			if m != nil {
				t.Errorf("%s: there is a model", name)
			}
		}
	}
	for _, r := range []recipe{LocalRecipe{}, NonLocalRecipe{}, PaperRecipe{}} {
		refused(fmt.Sprintf("zero %T", r), ErrSettings)(r.Train(ctx, nil, smallData()))
	}
	refused("camera, zero recipe", ErrSettings)(CameraRecipe{}.Train(ctx, nil, cameraData(1)))
	refused("camera, zero data", ErrData)(smallCamera().Train(ctx, nil, CameraData{}))
	for name, c := range map[string]struct {
		change func(r *NonLocalRecipe)
		want   error
	}{
		"model without stages": {func(r *NonLocalRecipe) { r.Local = new(model.Model) }, ErrSettings},
		"nil stage": {func(r *NonLocalRecipe) { r.Local = &model.Model{Stages: stage.Sequence{nil}} },
			ErrSettings},
		"start without passes": {func(r *NonLocalRecipe) { r.Start = r.Local }, ErrSettings},
		"from a camera": {func(r *NonLocalRecipe) {
			m := *r.Local
			m.Noise, r.Local = model.CameraNoise, &m
		}, ErrSettings},
		"step":     {func(r *NonLocalRecipe) { r.Step = 0 }, ErrSettings},
		"hidden":   {func(r *NonLocalRecipe) { r.Hidden = 1000 }, ErrSettings},
		"clusters": {func(r *NonLocalRecipe) { r.Clusters, r.Crops = 1000, 1 }, ErrData},
	} {
		r := nonLocal
		c.change(&r)
		refused("non-local, "+name, c.want)(r.Train(ctx, nil, smallData()))
	}
	for name, change := range map[string]func(*Data){
		"zero":               func(d *Data) { *d = Data{} },
		"no images":          func(d *Data) { d.Groups = nil },
		"empty group":        func(d *Data) { d.Groups[0] = nil },
		"sigma":              func(d *Data) { d.Sigma = 0 },
		"infinite sigma":     func(d *Data) { d.Sigma = math.Inf(1) },
		"small image":        func(d *Data) { d.Groups[0][0].Clean = textured(7, 30, 0) },
		"noisy size":         func(d *Data) { d.Groups[0][0].Noisy = textured(8, 8, 0) },
		"samples":            func(d *Data) { d.Groups[0][0].Clean.Pix = d.Groups[0][0].Clean.Pix[1:] },
		"no samples":         func(d *Data) { d.Groups[0][0].Clean.Pix = nil },
		"validation samples": func(d *Data) { d.Validation[0].Clean.Pix = nil },
	} {
		for _, r := range []recipe{local, nonLocal, paper} {
			d := smallData()
			change(&d)
			must.Fail(t, fmt.Sprintf("%T, %s", r, name), must.Err(r.Train(ctx, nil, d)), ErrData)
			d.Fingerprint(local)
		}
	}
}

func TestRunRefusesBadInput(t *testing.T) {
	source := signals(10, 16)
	for name, c := range map[string]struct {
		change func(p *Phase, o *Transforms)
		want   error
	}{
		"zero phase":         {func(p *Phase, _ *Transforms) { *p = Phase{} }, ErrSettings},
		"no rate":            {func(p *Phase, _ *Transforms) { p.Rate = nil }, ErrSettings},
		"steps":              {func(p *Phase, _ *Transforms) { p.Steps = -1 }, ErrSettings},
		"other optimizer":    {func(p *Phase, _ *Transforms) { p.Optimizer = NewAdam(5) }, ErrSettings},
		"negative optimizer": {func(p *Phase, _ *Transforms) { p.Optimizer = NewAdam(-5) }, ErrSettings},
		"zero optimizer":     {func(p *Phase, _ *Transforms) { p.Optimizer = new(Adam) }, ErrSettings},
		"zero objective":     {func(_ *Phase, o *Transforms) { *o = Transforms{} }, ErrSettings},
		"no batch":           {func(_ *Phase, o *Transforms) { o.BatchSize = 0 }, ErrSettings},
		"other size":         {func(_ *Phase, o *Transforms) { o.K = 15 }, ErrSettings},
		"no sources":         {func(_ *Phase, o *Transforms) { o.Sources = nil }, ErrData},
		"nil source":         {func(_ *Phase, o *Transforms) { o.Sources = []Source{nil} }, ErrData},
		"no patches": {func(_ *Phase, o *Transforms) { o.Sources = []Source{&Patches{PatchSize: 4, Sigma: 1}} },
			ErrData},
		"patch size": {func(_ *Phase, o *Transforms) {
			o.Sources = []Source{&Patches{Groups: smallData().Groups, PatchSize: 8, Sigma: 1}}
		}, ErrSettings},
		"image too small": {func(_ *Phase, o *Transforms) {
			o.Sources = []Source{&Patches{Groups: [][]Pair{{{Clean: textured(3, 9, 0)}}}, PatchSize: 4, Sigma: 1}}
		}, ErrData},
		"huge rate": {func(p *Phase, _ *Transforms) { p.Rate = ConstantRate(1e200) }, ErrDiverged},
	} {
		o := &Transforms{K: 16, N: 16, Sources: []Source{source}, BatchSize: 10}
		p, w := signalPhase(NewAdam(256), ConstantRate(1e-3), 1, 3)
		p.Objective = o
		c.change(&p, o)
		must.Fail(t, name, new(Trainer).Run(context.Background(), p, w.W), c.want)
	}
	p, w := signalPhase(GradientDescent{}, ConstantRate(1e-3), 1, 3)
	w.W[7] = math.Inf(-1)
	must.Fail(t, "infinite parameter", new(Trainer).Run(context.Background(), p, w.W), ErrSettings)
}

// An objective may change its batch size, sources and workers between steps.
func TestTransformsMayChange(t *testing.T) {
	o := &Transforms{K: 16, N: 16, BatchSize: 10, Workers: 1}
	for _, c := range []struct{ sources, batch, workers int }{{1, 10, 1}, {2, 100, 3}, {1, 60, 2}} {
		o.Sources, o.BatchSize, o.Workers = nil, c.batch, c.workers
		for range c.sources {
			o.Sources = append(o.Sources, signals(20, 16))
		}
		theta := make([]float64, c.sources*256)
		if b, err := o.Gradient(context.Background(), 0, theta, make([]float64, len(theta))); err != nil ||
			b.Samples != c.sources*c.batch {
			t.Errorf("%+v: %+v, %v", c, b, err)
		}
	}
}

// A nil stage does not crash what names a model.
func TestDigestOfABrokenModel(t *testing.T) {
	for _, m := range []*model.Model{nil, {}, {Stages: stage.Sequence{nil}}} {
		if s := DefaultNonLocalRecipe(m, m).String(); s == "" {
			t.Error("no text")
		}
	}
}

// Resume and Run take any bytes: they go on, or return an error of a documented kind.
func FuzzResume(f *testing.F) {
	save := &Trainer{SaveEvery: 1, ReportEvery: 2, Report: func(Progress) {},
		Save: func(data []byte) error { f.Add(data); return nil }}
	p, w := signalPhase(NewAdam(256), ConstantRate(1e-3), 1, 2)
	must.Do(f, save.Run(context.Background(), p, w.W))
	f.Fuzz(func(t *testing.T, data []byte) {
		tr := &Trainer{Report: func(Progress) {}}
		if err := tr.Resume("", data); err != nil {
			if !errors.Is(err, ErrCheckpoint) {
				t.Fatal(err)
			}
			return
		}
		p, w := signalPhase(NewAdam(256), ConstantRate(1e-3), 1, 2)
		if err := tr.Run(context.Background(), p, w.W); err != nil && !errors.Is(err, ErrCheckpoint) &&
			!errors.Is(err, ErrDiverged) {
			t.Fatal(err)
		}
	})
}
