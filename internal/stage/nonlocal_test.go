package stage

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// testNonLocal returns an untrained stage: transforms close to the DCT, and penalties that fall with the pilot.
func testNonLocal(t testing.TB, step, window int) *NonLocal {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	const clusters, hidden = 2, 3
	l := &NonLocal{PatchSize: 8, Window: window, Step: step, Offset: step - 2,
		Schedule: solve.Schedule{Iterations: 6, RhoStart: 0.7, RhoEnd: 3, Ramp: 5, Relaxation: 1.7}}
	random := func(n int, scale float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(float32(scale * rng.NormFloat64()))
		}
		return v
	}
	dct := solve.DCTBasis(8)
	for range 2 * clusters {
		w := solve.NewTransform(64, 64)
		for i := range 64 {
			w.W[i] = 1.0 / 8
		}
		copy(w.W[64:], dct.W)
		for i, v := range random(len(w.W), 0.01) {
			w.W[i] = float64(float32(w.W[i] + v))
		}
		l.Transforms = append(l.Transforms, w)
		l.Weights.Bias = append(l.Weights.Bias, random(hidden, 0.3))
	}
	l.Weights.A, l.Weights.B, l.Weights.Position = random(hidden*WeightFeatures, 0.3), random(hidden*2, 0.05),
		random(hidden, 0.3)
	l.Weights.B0, l.Weights.A0, l.Weights.B1 = 0.25, 0.875, -1.25
	centroids := [][]float64{slices.Repeat([]float64{-1}, 63), slices.Repeat([]float64{-0.5}, 63)}
	l.Classifier = NewClassifier(8, centroids)
	return must.Get(NewNonLocal(l))(t)
}

func nonLocalModel(t testing.TB) Sequence {
	first, stage := testSequence(t), testNonLocal(t, 3, 12)
	stage.Residual = 0.25
	return append(first, stage)
}

func TestNonLocalRemovesMoreNoise(t *testing.T) {
	clean := squares(90, 70)
	y := noisy(clean, 0.1, 1)
	before := mse(clean, denoised(t, testSequence(t), y, 0.1, Options{}))
	if after := mse(clean, denoised(t, nonLocalModel(t), y, 0.1, Options{})); !(after < 0.8*before) {
		t.Errorf("mean squared error %g before, %g after", before, after)
	}
}

func TestNonLocalFileRoundTrip(t *testing.T) {
	m := nonLocalModel(t)
	stage := m[len(m)-1].(*NonLocal)
	stage.First = &solve.Schedule{Iterations: 9, RhoStart: 0.7, RhoEnd: 3, Ramp: 5, Relaxation: 1.7}
	data, again := reread(t, m)
	if first := again[len(m)-1].(*NonLocal).First; first == nil || *first != *stage.First {
		t.Errorf("the schedule of first columns is %v", first)
	}
	if !slices.Equal(file(t, again), data) {
		t.Error("written again, the file differs")
	}
	_, third := reread(t, again)
	y := noisy(squares(50, 60), 0.1, 2)
	before, once, twice := denoised(t, m, y, 0.1, Options{}), denoised(t, again, y, 0.1, Options{}),
		denoised(t, third, y, 0.1, Options{})
	for i, v := range before.Pix { // files have transforms of 16 bits
		if !(math.Abs(float64(once.Pix[i]-v)) < 1e-3) {
			t.Fatalf("sample %d is %g, and %g by the model that was read", i, v, once.Pix[i])
		}
	}
	if !slices.Equal(once.Pix, twice.Pix) {
		t.Error("the model that was read twice gives other bytes")
	}
}

// First columns and the others have their own schedules.
func TestNonLocalRunsBothSchedules(t *testing.T) {
	y := noisy(squares(50, 60), 0.1, 4)
	run := func(others, first int) []float32 {
		m := nonLocalModel(t)
		stage := m[len(m)-1].(*NonLocal)
		stage.Schedule.Iterations = others
		if first > 0 {
			s := stage.Schedule
			s.Iterations = first
			stage.First = &s
		}
		return denoised(t, m, y, 0.1, Options{}).Pix
	}
	plain := run(4, 0)
	if !slices.Equal(run(4, 4), plain) {
		t.Error("the same schedule for both gives other bytes")
	}
	if slices.Equal(run(4, 5), plain) || slices.Equal(run(5, 4), plain) {
		t.Error("a schedule changes nothing")
	}
}

func TestNewNonLocalRefusesWhatDoesNotFit(t *testing.T) {
	high := []solve.Transform{solve.NewTransform(1<<12, 64)}
	for name, spoil := range map[string]func(l *NonLocal){
		"transforms": func(l *NonLocal) { l.Transforms = l.Transforms[:3] },
		"size":       func(l *NonLocal) { l.Transforms[1] = solve.NewTransform(64, 63) },
		"step":       func(l *NonLocal) { l.Step = 9 },
		"scouted":    func(l *NonLocal) { l.CoarseOffsets = -1 },
		"offset":     func(l *NonLocal) { l.Offset = 3 },
		"residual":   func(l *NonLocal) { l.Residual = math.NaN() },
		"window":     func(l *NonLocal) { l.Window = MaxWindow + 1 },
		"hidden":     func(l *NonLocal) { l.Weights.A = l.Weights.A[1:] },
		"bias":       func(l *NonLocal) { l.Weights.Bias[2] = nil },
		"schedule":   func(l *NonLocal) { l.Schedule.Iterations = 0 },
		"first":      func(l *NonLocal) { l.First = &solve.Schedule{Iterations: 3, RhoStart: 1, RhoEnd: 1} },
		"penalties":  func(l *NonLocal) { l.Schedule.Iterations, l.Schedule.Ramp = 10_000, 10_000 },
		"rows":       func(l *NonLocal) { l.Transforms = slices.Repeat(high, 4) },
	} {
		good := testNonLocal(t, 3, 12)
		l := &NonLocal{PatchSize: good.PatchSize, Window: good.Window, Step: good.Step, Schedule: good.Schedule,
			Transforms: slices.Clone(good.Transforms), Classifier: good.Classifier, Weights: good.Weights}
		l.Weights.Bias = slices.Clone(l.Weights.Bias)
		spoil(l)
		if _, err := NewNonLocal(l); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNonLocalStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := nonLocalModel(t).Denoise(ctx, squares(64, 64), 0.1, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
