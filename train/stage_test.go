package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// stageOf returns a stage with the parameters of a loss, and with centroids for which groups are in different clusters.
func stageOf(t testing.TB, o *groupLoss, theta []float64, pilot patchify.Plane, window, step int) *stage.NonLocal {
	t.Helper()
	g := must.Get(patchify.NewGrid(pilot.Width, pilot.Height, PatchSize, step))(t)
	members := make([]int32, g.Len()*stage.GroupSize)
	patchify.NewMatcher(patchify.Matching{PatchSize: PatchSize, Count: stage.GroupSize, Window: window}).Match(members,
		pilot, g)
	features := stage.GroupFeatures(pilot, members)
	centroids := must.Get(kMeans(context.Background(), features, o.layout.transforms/2, 5, 1,
		rand.New(rand.NewPCG(1, 1))))(t)
	pass := &stage.NonLocal{PatchSize: PatchSize, Window: window, Step: step, Weights: o.layout.weightFunction(theta),
		Classifier: stage.NewClassifier(PatchSize, centroids),
		Schedule:   solve.Schedule{Iterations: 300, RhoStart: 0.5, RhoEnd: 1, Ramp: 100, Relaxation: 1.7}}
	for i := range o.layout.transforms {
		pass.Transforms = append(pass.Transforms, o.layout.transform(theta, i))
	}
	return must.Get(stage.NewNonLocal(pass))(t)
}

// The fast stage, in float32, computes the same image as the exact forward pass of training.
func TestStageComputesWhatTrainingComputes(t *testing.T) {
	const clusters, window = 2, 9
	o, theta := testGroupLoss(clusters, 2)
	crop := o.crops[0]
	pass := stageOf(t, o, theta, crop.pilot, window, trainStep)

	g, _ := patchify.NewGrid(crop.clean.Width, crop.clean.Height, PatchSize, trainStep)
	crop.columns, crop.rows = len(g.Xs), len(g.Ys)
	crop.members, crop.clusters = make([]int32, g.Len()*stage.GroupSize), make([]int32, g.Len())
	patchify.NewMatcher(patchify.Matching{PatchSize: PatchSize, Count: stage.GroupSize,
		Window: window}).Match(crop.members, crop.pilot, g)
	labels := make([]int, g.Len())
	features := stage.GroupFeatures(crop.pilot, crop.members)
	must.Do(t, assign(context.Background(), labels, features, pass.Classifier.Centroids, 1))
	for i, c := range labels {
		crop.clusters[i] = int32(c)
	}
	o.crops, o.batch, o.side = []groupCrop{crop}, 1, max(crop.columns, crop.rows)
	must.Get(o.Gradient(context.Background(), 0, theta, make([]float64, len(theta))))(t)
	want := o.regions[0].image

	got := patchify.NewPlane(crop.clean.Width, crop.clean.Height)
	must.Do(t, pass.Denoise(context.Background(), got, stage.Input{Noisy: crop.noisy, Pilot: crop.pilot},
		stage.Options{Workers: 2}))
	worst, moved := 0.0, 0.0
	for i, v := range got.Pix {
		worst = max(worst, math.Abs(float64(v)-want[i]))
		moved = max(moved, math.Abs(float64(crop.pilot.Pix[i])-want[i]))
	}
	t.Logf("largest difference %.2g, where the pilot differs by up to %.2g", worst, moved)
	if worst > 2e-3 || moved < 0.3 { // rows at a kink up to rounding may count on either side of it
		t.Errorf("the fast stage differs by up to %g, the pilot by %g", worst, moved)
	}
}

func TestStartOfAnotherSizeIsRefused(t *testing.T) {
	o, theta := testGroupLoss(2, 1)
	pass := stageOf(t, o, theta, o.crops[0].pilot, 9, trainStep)
	other := o.layout
	other.transforms += 2
	if err := other.copyFrom(make([]float64, other.size()), pass); err == nil {
		t.Error("a stage of fewer clusters was taken")
	}
	again := make([]float64, len(theta))
	if err := o.layout.copyFrom(again, pass); err != nil || !slices.Equal(again, theta) {
		t.Error("its own parameters do not come back", err)
	}
}
