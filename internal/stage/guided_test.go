package stage

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/guided"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// refinedModel returns local stages whose result a random network refines.
func refinedModel(t testing.TB) Sequence {
	t.Helper()
	return append(testSequence(t), randomGuided(0, 2, 1))
}

// randomGuided returns a stage that refines a plane at some sizes by random networks of deep layers that see
// neighbours.
func randomGuided(guides, deep, sizes int) *Guided {
	n := guided.New(guided.Shape{Guides: guides, Hidden: 16, Deep: deep}, rand.New(rand.NewPCG(1, uint64(1+sizes))))
	last := n.Net[len(n.Net)-1]
	for i := range last.Weights {
		last.Weights[i] *= 20
	}
	s := &Guided{Network: n}
	if sizes > 1 {
		s.AtHalf = randomGuided(guides, deep, sizes-1)
	}
	return s
}

func TestGuidedStageKnowsTheLevel(t *testing.T) {
	_, q := reread(t, refinedModel(t))
	y := noisy(squares(70, 60), 0.1, 1)
	local, weak, strong := denoised(t, q[:2], y, 0.1, Options{}), denoised(t, q, y, 0.1, Options{Level: -1}),
		denoised(t, q, y, 0.1, Options{Level: 1})
	if slices.Equal(local.Pix, weak.Pix) || slices.Equal(weak.Pix, strong.Pix) {
		t.Error("the guided stage changes nothing, or takes no notice of the level")
	}
}

// A share of the pilot stays as it was before the smaller sizes.
func TestShareOfThePilot(t *testing.T) {
	q := append(testSequence(t), randomGuided(0, 1, 2))
	y := noisy(squares(70, 60), 0.1, 1)
	pilot, all, some := denoised(t, q[:len(q)-1], y, 0.1, Options{}), denoised(t, q, y, 0.1, Options{}),
		denoised(t, q, y, 0.1, Options{PilotShare: 0.25})
	for i, got := range some.Pix {
		if want := 0.25*pilot.Pix[i] + 0.75*all.Pix[i]; math.Abs(float64(got-want)) > 1e-5 {
			t.Fatalf("sample %d: %g, want %g", i, got, want)
		}
	}
}

// A stage that needs other planes does not run without them.
func TestGuidesAreNeeded(t *testing.T) {
	s := &Guided{Network: guided.New(guided.Shape{Guides: 2, Hidden: 16, Deep: 1}, rand.New(rand.NewPCG(1, 2)))}
	p := patchify.NewPlane(20, 20)
	if s.Denoise(context.Background(), patchify.NewPlane(20, 20), Input{Noisy: p, Pilot: p}, Options{}) == nil {
		t.Error("no error")
	}
}

// A part of a plane has the samples of the whole, but for the reach of the edges, also with a rough first stage.
func TestPartsOfRefinedPlanes(t *testing.T) {
	for i, c := range []struct{ first, stride, workers int }{{4, 4, 0}, {6, 4, 0}, {8, 3, 3}, {4, 4, 0}, {4, 4, 3}} {
		m, w, h := refinedModel(t), 230, 210
		if i > 2 {
			m[2], w, h = randomGuided(0, 1, i-1), 630, 610
		}
		q := m.Steps(Options{Stride: c.stride, Workers: c.workers})
		q[0].Stride = c.first
		o, y := q[0].Options, noisy(squares(w, h), 0.1, 3)
		whole := ran(t, q, y, 0.1)
		align, reach := q.Alignment(), q.Reach()
		x0, y0 := align, min(2*align, 192)/align*align
		part := ran(t, q, patchify.Crop(y, x0, y0, w-x0-31, h-y0-17), 0.1)
		for j := reach; j < part.Height-reach-1; j++ {
			for i := reach; i < part.Width-reach-1; i++ {
				if part.Row(j)[i] != whole.Row(y0 + j)[x0+i] {
					t.Fatalf("%+v: sample (%d, %d) of the part differs", o, i, j)
				}
			}
		}
		if reach*2 > part.Width-10 {
			t.Errorf("%+v: a reach of %d leaves nothing to compare", o, reach)
		}
	}
}

func TestGuidedStagesAtSmallerSizesAreToldLessNoise(t *testing.T) {
	q := append(refinedModel(t), &Correction{Levels: 2})
	d := q.Steps(Options{Level: 0.5}).NewDenoiser()
	for size := range 3 {
		if got, want := d.steps[2].Level, 0.5-float32(size)*math.Ln2; math.Abs(float64(got-want)) > 1e-6 {
			t.Errorf("level %g at size 1/%d, not %g", got, 1<<size, want)
		}
		d = d.half
	}
}

func TestSizesInModelFiles(t *testing.T) {
	_, q := reread(t, append(testSequence(t), randomGuided(0, 1, 3)))
	s := q[2].(*Guided)
	if s.AtHalf == nil || s.AtHalf.AtHalf == nil || s.AtHalf.AtHalf.AtHalf != nil {
		t.Error("a file does not keep the sizes")
	}
	for name, bad := range map[string]*Guided{"sizes": randomGuided(0, 1, MaxSizes+1),
		"guides": {Network: randomGuided(2, 1, 1).Network, AtHalf: randomGuided(0, 1, 1)}} {
		must.Fail(t, name, must.Err(fromFile(t, file(t, Sequence{bad}))), ErrFormat)
	}
}

// Planes that have no patches at half the size are refined at full size alone.
func TestSmallPlanesAreRefined(t *testing.T) {
	two := randomGuided(0, 1, 2)
	one := &Guided{Network: two.Network}
	for side := guided.PatchSide; side < 20; side++ {
		y := noisy(squares(side, side), 0.1, 4)
		var out [2]patchify.Plane
		for i, s := range []*Guided{one, two} {
			out[i] = patchify.NewPlane(side, side)
			must.Do(t, s.Denoise(t.Context(), out[i], Input{Noisy: y, Pilot: y}, Options{}))
		}
		if equal := slices.Equal(out[0].Pix, out[1].Pix); equal != (side < 2*guided.PatchSide) {
			t.Errorf("side %d: half the size changes nothing: %v", side, equal)
		}
	}
}

// Stages with predictions come back from a file, also those at half the size.
func TestGuidedFileHoldsPredictions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	shape := guided.Shape{Guides: 2, Predictions: 2, Hidden: 16, Deep: 1}
	s := &Guided{Network: guided.New(shape, rng), AtHalf: &Guided{Network: guided.New(shape, rng)}}
	_, again := reread(t, Sequence{s})
	got := again[0].(*Guided)
	if !got.Network.SameShape(s.Network) || got.AtHalf == nil || !got.AtHalf.Network.SameShape(s.Network) {
		t.Error("another shape")
	}
	s.AtHalf = &Guided{Network: guided.New(guided.Shape{Guides: 2, Hidden: 16, Deep: 1}, rng)}
	must.Fail(t, "other predictions at half the size", must.Err(fromFile(t, file(t, Sequence{s}))), ErrFormat)
}
