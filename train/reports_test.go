package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

type recipe interface {
	Train(context.Context, *Trainer, Data) (*model.Model, error)
}

// smallNonLocal returns a fast recipe that builds on an untrained local model.
func smallNonLocal(t *testing.T) NonLocalRecipe {
	t.Helper()
	local := must.Get(stage.NewLocal(PatchSize, solve.DefaultSchedule(),
		[]solve.Transform{solve.DCTBasis(PatchSize)}, nil))(t)
	r := DefaultNonLocalRecipe(&model.Model{Info: model.Info{Name: "local", Sigma: 25.5, Plane: "gray"},
		Stages: stage.Sequence{local}}, nil)
	r.Passes, r.Steps, r.Clusters, r.Hidden, r.TrainWindow, r.Window, r.Crops, r.CropSize = 2, 2, 2, 3, 8, 8, 3, 24
	return r
}

// The reference patches of each pass lie between those of the pass before, and training searches on the same plane as
// denoising.
func TestPassesSearchOnTheirOwn(t *testing.T) {
	r, d := smallNonLocal(t), smallData()
	m := must.Get(r.Train(context.Background(), new(Trainer), d))(t)
	pass := 0
	for _, s := range m.Stages {
		s, ok := s.(*stage.NonLocal)
		if !ok {
			continue
		}
		first, others := pairSchedules(pass)
		if s.Offset != 2*pass || (s.Residual > 0) != (pass == 0) || s.CoarseOffsets != coarseOffsets(pass) ||
			s.First == nil || *s.First != first || s.Schedule != others {
			t.Errorf("pass %d has offset %d, residual %g, %d coarse offsets, schedules %v and %v", pass+1, s.Offset,
				s.Residual, s.CoarseOffsets, s.First, s.Schedule)
		}
		pass++
	}
	if pass != r.Passes {
		t.Fatalf("%d passes", pass)
	}
	without := r
	without.Residual = 0
	crops := drawCrops(d.Groups, r.Crops, r.CropSize, d.Sigma, 1)
	for pass := range r.Passes {
		var members [2][]int32
		for i, r := range []NonLocalRecipe{r, without} {
			found := must.Get(r.groupCrops(context.Background(), crops, r.Local, pass, d))(t)
			for _, c := range found {
				members[i] = append(members[i], c.members...)
			}
		}
		if slices.Equal(members[0], members[1]) != (pass > 0) {
			t.Errorf("pass %d: the same groups with and without the residual: %t", pass+1, pass == 0)
		}
	}
}

func smallPaper() PaperRecipe {
	return PaperRecipe{BatchSize: 48, Steps: 8, Rate: 1e-2, Adam: true, Start: 0.3}
}

// trained returns the bytes of a trained model without its measured PSNR.
func trained(t *testing.T, r recipe, tr *Trainer, d Data) []byte {
	t.Helper()
	m := must.Get(r.Train(context.Background(), tr, d))(t)
	m.ValidationPSNR = 0
	return must.Get(m.Marshal())(t)
}

func TestValidationLossChangesNoByteOfTheModel(t *testing.T) {
	for name, r := range map[string]recipe{"local": smallLocal(), "non-local": smallNonLocal(t),
		"paper": smallPaper()} {
		without := smallData()
		if name != "paper" { // the paper recipe needs the validation images for the scale of the stack
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

// A training that goes on from a checkpoint reports the same losses as one without a stop.
func TestReportsAreTheSameForAnyWorkersAndAfterResume(t *testing.T) {
	for name, r := range map[string]recipe{"local": smallLocal(), "non-local": smallNonLocal(t)} {
		d := smallData()
		run := func(from []byte, save func([]byte) error) map[string]Progress {
			t.Helper()
			got := map[string]Progress{}
			tr := &Trainer{ReportEvery: 3, SaveEvery: 4, Save: save, Report: keepReports(got)}
			must.Do(t, tr.Resume(d.Fingerprint(r), from))
			trained(t, r, tr, d)
			return got
		}
		var checkpoints [][]byte
		want := run(nil, func(data []byte) error { checkpoints = append(checkpoints, data); return nil })
		for i, c := range checkpoints {
			if i%4 != 1 { // within the first and the second phase, and between them
				continue
			}
			d.Workers = i%3 + 1
			for step, got := range run(c, nil) {
				if got != want[step] {
					t.Errorf("%s: resumed from checkpoint %d, %s: %+v, not %+v", name, i, step, got, want[step])
				}
			}
		}
	}
}

// keepReports keeps the last report of each phase and step, without what depends on the time.
func keepReports(in map[string]Progress) func(Progress) {
	return func(p Progress) {
		p.PerSecond, p.RemainingSec = 0, 0
		in[fmt.Sprintf("%s, step %d", p.Phase, p.Step)] = p
	}
}

// validated returns a phase on signals. Its validation loss uses each signal once.
func validated() (Phase, solve.Transform) {
	p, w := signalPhase(NewAdam(256), DecayingRate(1e-2), 0, 30)
	p.Validation = &Transforms{K: 16, N: 16, Sources: []Source{signals(200, 16)}, BatchSize: 200}
	return p, w
}

func TestValidationLossIsTheMeanOverItsSamples(t *testing.T) {
	var last Progress
	tr := &Trainer{ReportEvery: 7, Report: func(p Progress) { last = p }}
	p, w := validated()
	must.Do(t, tr.Run(context.Background(), p, w.W))
	if want := lossOf(t, w, signals(200, 16)); last.Step != 30 || math.Abs(last.Validation-want) > 1e-9*want {
		t.Errorf("after step %d validation loss %g, not %g", last.Step, last.Validation, want)
	}
}

func TestADivergedValidationSavesNoCheckpoint(t *testing.T) {
	p, w := validated()
	p.Validation = nanObjective{}
	saves := 0
	tr := &Trainer{ReportEvery: 10, Report: func(Progress) {}, Save: func([]byte) error { saves++; return nil }}
	if err := tr.Run(context.Background(), p, w.W); !errors.Is(err, ErrDiverged) || saves > 0 {
		t.Errorf("error %v, %d checkpoints", err, saves)
	}
}

// stopping is an objective that is interrupted after some evaluations.
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
	p, whole := validated()
	want := map[string]Progress{}
	tr := &Trainer{ReportEvery: 10, Report: keepReports(want)}
	must.Do(t, tr.Run(context.Background(), p, whole.W))
	for stop := range 3 {
		var saved []byte
		got := map[string]Progress{}
		stopped := &Trainer{ReportEvery: 10, Report: keepReports(got),
			Save: func(data []byte) error { saved = data; return nil }}
		p, w := validated()
		p.Validation = &stopping{p.Validation, stop}
		if err := stopped.Run(context.Background(), p, w.W); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		again := &Trainer{ReportEvery: 10, Report: keepReports(got)}
		must.Do(t, again.Resume("", saved))
		p, w = validated()
		must.Do(t, again.Run(context.Background(), p, w.W))
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(w, whole) {
			t.Errorf("stopped during report %d: %+v, not %+v", stop+1, got, want)
		}
	}
}
