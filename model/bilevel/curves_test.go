package bilevel

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/model"
)

type recipe interface {
	Train(context.Context, *Trainer, Data) (*model.Model, error)
}

// smallNonLocal is on a local model that has learned nothing.
func smallNonLocal(t *testing.T) NonLocalRecipe {
	t.Helper()
	local, err := model.NewLocal(PatchSize, model.DefaultSchedule(), []model.Transform{model.DCTBasis(PatchSize)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := DefaultNonLocalRecipe(&model.Model{Info: model.Info{Name: "local", Sigma: 25.5, Plane: "gray"}, Stages: []model.Stage{local}}, nil)
	r.Passes, r.Steps, r.Clusters, r.Hidden, r.TrainWindow, r.Window, r.Crops, r.CropSize = 2, 2, 2, 3, 8, 8, 3, 24
	return r
}

func smallPaper() PaperRecipe {
	return PaperRecipe{BatchSize: 48, Steps: 8, Rate: 1e-2, Adam: true, Start: 0.3}
}

// trained returns the bytes of a model but for what was measured on it.
func trained(t *testing.T, r recipe, tr *Trainer, d Data) []byte {
	t.Helper()
	m, err := r.Train(context.Background(), tr, d)
	if err != nil {
		t.Fatal(err)
	}
	m.ValidationPSNR = 0
	data, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestValidationLossChangesNoByteOfTheModel(t *testing.T) {
	for name, r := range map[string]recipe{"local": smallLocal(), "non-local": smallNonLocal(t), "paper": smallPaper()} {
		without := smallData()
		if name != "paper" { // which chooses its stack's scale by the validation images
			without.Validation = nil
		}
		want := trained(t, r, new(Trainer), without)
		reports := 0
		got := trained(t, r, &Trainer{ReportEvery: 1, Report: func(p Progress) {
			reports++
			if !(p.Validation > 0) || p.Validation == p.Loss {
				t.Errorf("%s: %s: loss %g, validation %g", name, p.Phase, p.Loss, p.Validation)
			}
		}}, smallData())
		if reports == 0 || !bytes.Equal(got, want) {
			t.Errorf("%s: with %d measurements of the validation loss other bytes than without", name, reports)
		}
	}
}

func TestNoValidationLossWithoutImages(t *testing.T) {
	for name, r := range map[string]recipe{"non-local": smallNonLocal(t), "paper": smallPaper()} {
		d := smallData()
		d.Validation = nil
		trained(t, r, &Trainer{Report: func(p Progress) {
			if p.Validation != 0 {
				t.Errorf("%s: a validation loss of %g", name, p.Validation)
			}
		}}, d)
	}
}

func TestCurvesAreTheSameForAnyWorkersAndAfterResume(t *testing.T) {
	for name, r := range map[string]recipe{"local": smallLocal(), "non-local": smallNonLocal(t)} {
		d := smallData()
		var checkpoints [][]byte
		ignore := func(Progress) {}
		tr := &Trainer{ReportEvery: 3, Report: ignore, SaveEvery: 4, Save: func(data []byte) error { checkpoints = append(checkpoints, data); return nil }}
		if err := tr.Resume(d.Fingerprint(r), nil); err != nil {
			t.Fatal(err)
		}
		trained(t, r, tr, d)
		want := tr.Curves()
		if len(want) != 2 || len(want[0].Points) == 0 || len(want[1].Points) == 0 {
			t.Fatalf("%s: curves %+v", name, want)
		}
		for i, c := range checkpoints {
			if i%4 != 1 { // amid the first phase and the second, and between them
				continue
			}
			d.Workers = i%3 + 1
			again := &Trainer{ReportEvery: 3, Report: ignore}
			if err := again.Resume(d.Fingerprint(r), c); err != nil {
				t.Fatal(err)
			}
			trained(t, r, again, d)
			if got := again.Curves(); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: resumed from checkpoint %d, the curves are\n%+v, not\n%+v", name, i, got, want)
			}
		}
	}
}

// validated is a phase on signals whose validation loss is over all of them, once each.
func validated() (Phase, model.Transform) {
	p, w := signalPhase(NewAdam(256), DecayingRate(1e-2), 0, 30)
	p.Validation = &Transforms{K: 16, N: 16, Sources: []Source{signals(200, 16)}, BatchSize: 200}
	return p, w
}

func TestValidationLossIsThatOfItsSamples(t *testing.T) {
	var last Progress
	tr := &Trainer{ReportEvery: 7, Report: func(p Progress) { last = p }}
	p, w := validated()
	if err := tr.Run(context.Background(), p, w.W); err != nil {
		t.Fatal(err)
	}
	if want := lossOf(t, w, signals(200, 16)); last.Step != 30 || math.Abs(last.Validation-want) > 1e-9*want {
		t.Errorf("after step %d validation loss %g, not %g", last.Step, last.Validation, want)
	}
}

func TestADivergedValidationKeepsTheCheckpointBefore(t *testing.T) {
	p, w := validated()
	p.Validation = nanObjective{}
	saves := 0
	tr := &Trainer{ReportEvery: 10, Report: func(Progress) {}, Save: func([]byte) error { saves++; return nil }}
	if err := tr.Run(context.Background(), p, w.W); !errors.Is(err, ErrDiverged) || saves > 0 {
		t.Errorf("error %v, %d checkpoints", err, saves)
	}
}

// stopping fails as an objective does that is interrupted.
type stopping struct {
	Objective
	left int
}

func (s *stopping) Gradient(ctx context.Context, step int, theta, grad []float64) (Batch, error) {
	if s.left--; s.left < 0 {
		return Batch{}, context.Canceled
	}
	return s.Objective.Gradient(ctx, step, theta, grad)
}

func TestResumeAfterAStopDuringTheValidation(t *testing.T) {
	ignore := func(Progress) {}
	p, whole := validated()
	tr := &Trainer{ReportEvery: 10, Report: ignore}
	if err := tr.Run(context.Background(), p, whole.W); err != nil {
		t.Fatal(err)
	}
	for reports := range 3 {
		var saved []byte
		stopped := &Trainer{ReportEvery: 10, Report: ignore, Save: func(data []byte) error { saved = data; return nil }}
		p, w := validated()
		p.Validation = &stopping{p.Validation, reports}
		if err := stopped.Run(context.Background(), p, w.W); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		again := &Trainer{ReportEvery: 10, Report: ignore}
		if err := again.Resume("", saved); err != nil {
			t.Fatal(err)
		}
		p, w = validated()
		if err := again.Run(context.Background(), p, w.W); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(again.Curves(), tr.Curves()) || !reflect.DeepEqual(w, whole) {
			t.Errorf("stopped during report %d: curves %+v, not %+v", reports+1, again.Curves(), tr.Curves())
		}
	}
}
