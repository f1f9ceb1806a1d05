package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// A plan says what removes the noise of an image: first a U-Net, if it has one, then what runs on each plane. A gray
// plane is luma. The planes run one after the other, and those of chroma use the groups of similar patches that luma
// has found.
type plan struct {
	network float32 // share of the U-Net in the luma of the result: 0 = there is no U-Net, 1 = it is the result
	onLuma  bool    // the U-Net gets the luma of colours alone
	luma    chain
	chroma  chromaPlan
}

// chain is what runs on a plane, in this order.
type chain struct {
	local  strides
	luma   int    // networks of the model "luma" that refine what local stages leave
	passes passes // on groups of similar patches
	last   string // model that refines the result; "" = none
	pilot  bool   // passes have a share in the result of the last model, see pilotShare
}

// strides are distances in samples of the patches of local stages. A chain without local stages has none.
type strides struct {
	choosing int // of a stage whose result only chooses the transforms of the next one; 0 = as of the others
	pilot    int // of stages that passes follow
	result   int // of stages that none follow
}

// passes say which of the passes of a model run, and on how many groups.
type passes struct {
	most      int  // number of passes; a model may have fewer
	step      int  // distance of reference patches in samples; 0 = as in the model
	rows      int  // distance of rows of them in the first pass; 0 = step
	corrected bool // at strong noise, low frequencies are corrected from half the size
	atHalf    bool // the passes run at half the size, and give their low frequencies to what the local stages make
}

// chromaPlan is what both chroma planes share. The pilots are what the U-Net or the chain of a plane makes of it, or
// else its local stages.
type chromaPlan struct {
	chain chain
	model string // refines the pilots, guided by luma; "" = none
	sizes bool   // the pilots take their low frequencies from smaller sizes, see chromaModels
}

// kindOfPlan chooses among the plans.
type kindOfPlan int

const (
	afterNetwork   kindOfPlan = iota // white noise, where a U-Net makes the pilots
	afterLuma                        // white noise of colours, where a U-Net makes the pilot of the luma
	whiteNoise                       // white noise without U-Net: weak
	correlatedPlan                   // noise of cameras, film and JPEG files
	ownModel                         // a model that the user has chosen, for white noise
)

// plans has a plan for each kind and quality. docs/method.md explains the steps, and the laboratory book has what was
// tried.
var plans = map[kindOfPlan][3]plan{
	afterNetwork: {
		Fast: {network: 1},
		Balanced: {network: 0.2, luma: chain{passes: passes{most: 2, step: 8, rows: 6}},
			chroma: chromaPlan{model: models.Chroma}},
		Best: {network: 0.2, luma: chain{passes: passes{most: 3, rows: 4}},
			chroma: chromaPlan{model: models.Chroma}},
	},
	afterLuma: {
		Fast: {network: 1, onLuma: true, chroma: chromaPlan{model: models.Chroma, sizes: true}},
		Balanced: {network: 0.2, onLuma: true, luma: chain{passes: passes{most: 2, step: 8, rows: 6}},
			chroma: chromaPlan{model: models.Chroma, sizes: true}},
		Best: {network: 0.2, onLuma: true, luma: chain{passes: passes{most: 3, rows: 4}},
			chroma: chromaPlan{chain: chain{local: strides{0, 3, 1}, passes: passes{most: 2, rows: 8}},
				model: models.Chroma, sizes: true}},
	},
	whiteNoise: {
		Fast: {
			luma:   chain{local: strides{6, 3, 3}, luma: 2},
			chroma: chromaPlan{model: models.Chroma, sizes: true},
		},
		Balanced: {
			luma:   chain{local: strides{6, 3, 2}, luma: 1, passes: passes{most: 2, step: 8, rows: 6, corrected: true}},
			chroma: chromaPlan{model: models.Chroma, sizes: true},
		},
		Best: {
			luma: chain{local: strides{0, 2, 1}, passes: passes{most: 3, rows: 4, corrected: true}},
			chroma: chromaPlan{chain: chain{local: strides{0, 3, 1}, passes: passes{most: 2, rows: 8}},
				model: models.Chroma, sizes: true},
		},
	},
	correlatedPlan: {
		Fast: {
			luma:   chain{local: strides{6, 3, 3}, last: models.BroadLuma},
			chroma: chromaPlan{model: models.BroadChroma},
		},
		Balanced: { // with as many groups as white noise, it would take less time
			luma: chain{local: strides{6, 3, 2}, passes: passes{most: 2, step: 6, corrected: true},
				last: models.BroadLuma, pilot: true},
			chroma: chromaPlan{ // most of such noise in chroma is coarse
				chain: chain{local: strides{6, 3, 2}, passes: passes{most: 2, step: 6, atHalf: true}, pilot: true},
				model: models.BroadChroma,
			},
		},
		Best: {
			luma: chain{local: strides{0, 2, 1}, passes: passes{most: 3, rows: 4, corrected: true},
				last: models.BroadLuma, pilot: true},
			chroma: chromaPlan{
				chain: chain{local: strides{0, 3, 1}, passes: passes{most: 2, rows: 8, corrected: true}, pilot: true},
				model: models.BroadChroma,
			},
		},
	},
	ownModel: {
		Fast:     {luma: chain{local: strides{6, 3, 3}}},
		Balanced: {luma: chain{local: strides{6, 3, 2}, passes: passes{most: 2, step: 8, rows: 6, corrected: true}}},
		Best:     {luma: chain{local: strides{0, 2, 1}, passes: passes{most: math.MaxInt, rows: 4, corrected: true}}},
	},
}

// all returns the same distance for all stages, if there are any.
func (s strides) all(stride int) strides {
	if s == (strides{}) {
		return s
	}
	return strides{stride, stride, stride}
}

// beforePass returns the distances where passes always follow.
func (s strides) beforePass() strides { return strides{s.choosing, s.pilot, s.pilot} }

// none reports whether nothing runs in the chain.
func (l chain) none() bool { return l == chain{} }

// steps returns what runs in the chain: a model and what refines its result, of a set.
func (l chain) steps(m *model.Model, s ModelSet) (stage.Steps, error) {
	local, rest := m.Stages.Split()
	groups := l.passes.steps(rest)
	if l.passes.atHalf && groups.Passes() > 0 {
		half := append(l.local.steps(local, true), groups...)
		return append(l.local.steps(local, false), stage.Step{Stage: &stage.Correction{Smoothing: 1, Half: half}}), nil
	}
	steps := l.local.steps(local, groups.Passes() > 0)
	steps, err := s.refinedBy(steps, models.Luma, l.luma)
	if err != nil {
		return nil, err
	}
	return s.refinedBy(append(steps, groups...), l.last, 1)
}

// refinedBy adds at most some of the stages of a model for all levels of noise.
func (s ModelSet) refinedBy(steps stage.Steps, name string, most int) (stage.Steps, error) {
	if name == "" || most == 0 {
		return steps, nil
	}
	stages, err := s.refining(name)
	if err != nil {
		return nil, err
	}
	return append(steps, stages[:min(most, len(stages))].Steps(stage.Options{})...), nil
}

// steps returns the local stages of a model.
func (s strides) steps(local stage.Sequence, passesFollow bool) stage.Steps {
	if s == (strides{}) {
		return nil
	}
	stride := s.result
	if passesFollow {
		stride = s.pilot
	}
	steps := local.Steps(stage.Options{Stride: stride})
	for i := range steps {
		if s.choosing > 0 && i+1 < len(steps) && stage.HasClusters(steps[i+1].Stage) {
			steps[i].Stride = s.choosing
		}
	}
	return steps
}

// steps returns the passes of a model that run, and the corrections between them.
func (p passes) steps(rest stage.Sequence) (steps stage.Steps) {
	n := 0
	for _, s := range rest {
		if stage.IsPass(s) {
			n++
		}
		if n > p.most || !p.corrected && !stage.IsPass(s) {
			continue
		}
		o := stage.Options{GroupStride: p.step}
		if len(steps) == 0 {
			o.GroupRows = p.rows
		}
		steps = append(steps, stage.Step{Stage: s, Options: o})
	}
	return steps
}
