package estimate

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestGridStepBoundsWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		planes := rapid.IntRange(1, 4).Draw(t, "planes")
		spanX := rapid.IntRange(0, 60_000).Draw(t, "x")
		spanY := rapid.IntRange(0, 60_000).Draw(t, "y")
		step := gridStep(planes, spanX, spanY)
		if count := planes * (spanX/step + 1) * (spanY/step + 1); count > maxPatches {
			t.Fatalf("step %d makes %d patches", step, count)
		}
		if finer := step - 1; finer >= 2 && planes*(spanX/finer+1)*(spanY/finer+1) <= maxPatches {
			t.Fatalf("step %d is enough, got %d", finer, step)
		}
	})
}

func TestDCTIsOrthonormal(t *testing.T) {
	dot := func(a, b line) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	for side := 2; side <= maxSide; side++ {
		d := newDCT(side)
		var unit, constant, out line
		for i := range side {
			for j := range side {
				want := 0.0
				if i == j {
					want = 1
				}
				if got := dot(d.basis[i], d.basis[j]); math.Abs(got-want) > 1e-14 {
					t.Errorf("side %d: rows %d and %d have product %g", side, i, j, got)
				}
			}
			unit, constant[i] = line{}, 1e6/3.0
			unit[i] = 1
			d.forward(&unit, &out)
			for k := range side {
				if math.Abs(out[k]-d.basis[k][i]) > 1e-14 {
					t.Errorf("side %d: sample %d has %g at frequency %d, want %g", side, i, out[k], k, d.basis[k][i])
				}
			}
		}
		d.forward(&constant, &out)
		if (line{out[0]}) != out {
			t.Errorf("side %d: a constant has the coefficients %g", side, out)
		}
		if got := len(d.high); got != side*(side-1)/2 {
			t.Errorf("side %d: %d upper frequencies", side, got)
		}
	}
}

// Patches measured in a band, sharing work with their neighbours, must equal patches measured alone.
func TestSurveyMeasuresEachPatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(2, maxSide).Draw(t, "side")
		width, height := rapid.IntRange(side, 30).Draw(t, "width"), rapid.IntRange(side, 30).Draw(t, "height")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		planes := [][]float32{make([]float32, width*height), make([]float32, width*height)}
		for _, plane := range planes {
			for i := range plane {
				if plane[i] = 1; i%width > width/2 || i/width > height/2 {
					plane[i] = rng.Float32()
				}
			}
		}
		g := newGrid(planes, width, height, side)
		g.step = rapid.IntRange(1, 12).Draw(t, "step") // as of larger images
		g.columns, g.rows = (width-side)/g.step+1, (height-side)/g.step+1
		patches := g.survey(0)
		if len(patches) != 2*g.rows*g.columns {
			t.Fatalf("%d patches of %d", len(patches), 2*g.rows*g.columns)
		}
		for i, p := range patches {
			texture, fine, clipped := 0.0, 0.0, 0
			for v, row := range g.transform(p) {
				for u, c := range row {
					switch {
					case u+v >= side:
						fine += c * c
					case u+v > 0:
						texture += c * c
					}
				}
			}
			samples := g.strip(i/g.columns, i%g.columns*g.step)
			for y := range side {
				for _, sample := range samples[y*width:][:side] {
					if sample == 1 {
						clipped++
					}
				}
			}
			if int(p.order) != i || math.Abs(p.texture-texture) > 1e-12 || math.Abs(p.fine-fine) > 1e-12 ||
				int(p.clipped) != clipped || p.flat != (clipped == side*side) {
				t.Fatalf("patch %d: got %+v, want energies of %g and %g, %d clipped", i, p, texture, fine, clipped)
			}
		}
	})
}
