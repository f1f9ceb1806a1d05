package stage

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// testSequence returns a stage with one transform and one with a union of three: the DCT at different strengths.
func testSequence(t testing.TB) Sequence {
	t.Helper()
	dct := solve.DCTBasis(8)
	first := must.Get(NewLocal(8, solve.DefaultSchedule(), []solve.Transform{dct.Scale(1.2)}, nil))(t)
	var centroids [][]float64
	var transforms []solve.Transform
	for c := range 3 {
		centroids = append(centroids, slices.Repeat([]float64{float64(c)/2 - 1}, 63))
		transforms = append(transforms, dct.Scale(2-0.5*float64(c)))
	}
	second := must.Get(NewLocal(8, solve.DefaultSchedule(), transforms, NewClassifier(8, centroids)))(t)
	_, rounded := reread(t, Sequence{first, second}) // rounded to float32 as in files
	return rounded
}

// squares returns a plane with edges, on a scale where noise of 0.1 is visible.
func squares(width, height int) patchify.Plane {
	return drawn(width, height, func(x, y int) float32 { return 0.3 + 0.4*float32((x/11+y/13)%2) + 0.002*float32(x) })
}

// drawn returns a plane of a function.
func drawn(width, height int, at func(x, y int) float32) patchify.Plane {
	p := patchify.NewPlane(width, height)
	for i := range p.Pix {
		p.Pix[i] = at(i%width, i/width)
	}
	return p
}

func noisy(p patchify.Plane, sigma float64, seed uint64) patchify.Plane {
	rng := rand.New(rand.NewPCG(seed, 0))
	out := patchify.NewPlane(p.Width, p.Height)
	for i, v := range p.Pix {
		out.Pix[i] = v + float32(sigma*rng.NormFloat64())
	}
	return out
}

func mse(a, b patchify.Plane) (sum float64) {
	for i, v := range a.Pix {
		sum += float64(v-b.Pix[i]) * float64(v-b.Pix[i])
	}
	return sum / float64(len(a.Pix))
}

func denoised(t testing.TB, m Sequence, p patchify.Plane, sigma float64, o Options) patchify.Plane {
	t.Helper()
	return must.Get(m.Denoise(context.Background(), p, sigma, o))(t)
}

// Rows of reference patches may lie at another distance than patches of a row. At half the size they do not.
func TestGroupRows(t *testing.T) {
	steps := correctedModel(t).Steps(Options{GroupStride: 8, GroupRows: 6})
	for i, s := range steps {
		if l, ok := s.Stage.(*NonLocal); ok {
			g, err := l.grid(patchify.NewPlane(50, 50), s.Options)
			if err != nil || g.Ys[2]-g.Ys[1] != 6 || g.Xs[2]-g.Xs[1] != 8 {
				t.Errorf("step %d: reference patches at %v and %v, error %v", i, g.Xs, g.Ys, err)
			}
		}
		if _, ok := s.Stage.(*Correction); ok {
			for _, h := range steps.beforeHalf(i) {
				if h.GroupRows != 0 {
					t.Errorf("rows of %d at half the size", h.GroupRows)
				}
			}
		}
	}
}

func TestSequenceRemovesNoise(t *testing.T) {
	clean := squares(90, 70)
	y := noisy(clean, 0.1, 1)
	if before, after := mse(clean, y), mse(clean,
		denoised(t, testSequence(t), y, 0.1, Options{})); !(after < before/3) {
		t.Errorf("mean squared error %g before, %g after", before, after)
	}
}

// Denoising c y at c sigma is c times denoising y at sigma (scale equivariance).
func TestSequenceIsScaleEquivariant(t *testing.T) {
	m, y := testSequence(t), noisy(squares(40, 40), 0.1, 3)
	scaled := patchify.NewPlane(40, 40)
	for i, v := range y.Pix {
		scaled.Pix[i] = 256 * v // a power of two: exact
	}
	a, b := denoised(t, m, y, 0.1, Options{}), denoised(t, m, scaled, 25.6, Options{})
	for i, v := range a.Pix {
		if math.Abs(float64(256*v-b.Pix[i])) > 1e-3 {
			t.Fatalf("sample %d: %g times 256 is not %g", i, v, b.Pix[i])
		}
	}
}

// eachModel runs a test for local stages, with a pass, and with a correction before another pass.
func eachModel(t *testing.T, check func(t *testing.T, m Sequence)) {
	for name, m := range map[string]Sequence{"local": testSequence(t), "non-local": nonLocalModel(t),
		"corrected": correctedModel(t)} {
		t.Run(name, func(t *testing.T) { check(t, m) })
	}
}

func TestModelsGiveSameBytesForAnyWorkers(t *testing.T) {
	eachModel(t, func(t *testing.T, m Sequence) {
		y := noisy(squares(90, 170), 0.1, 2)
		want := denoised(t, m, y, 0.1, Options{Workers: 1})
		for _, workers := range []int{2, 3, 8} {
			if got := denoised(t, m, y, 0.1, Options{Workers: workers}); !slices.Equal(got.Pix, want.Pix) {
				t.Errorf("%d workers give other bytes than one", workers)
			}
		}
	})
}

func TestModelsTakeAnySize(t *testing.T) {
	eachModel(t, func(t *testing.T, m Sequence) {
		for _, size := range [][2]int{{1, 1}, {1, 30}, {30, 1}, {7, 7}, {8, 8}, {9, 7}, {17, 41}, {33, 9}} {
			for _, stride := range []int{1, 3, 8} {
				y := noisy(squares(size[0], size[1]), 0.1, 4)
				out := denoised(t, m, y, 0.1, Options{Stride: stride})
				if out.Width != size[0] || out.Height != size[1] || len(out.Pix) != size[0]*size[1] {
					t.Fatalf("%v became %d x %d", size, out.Width, out.Height)
				}
				for i, v := range out.Pix {
					if !(v > -1 && v < 2) {
						t.Fatalf("%v, stride %d: sample %d is %g", size, stride, i, v)
					}
				}
			}
		}
	})
}

func TestModelsKeepAConstantPlane(t *testing.T) {
	eachModel(t, func(t *testing.T, m Sequence) {
		tolerance := 1e-5
		if _, passes := m.Split(); len(passes) > 0 {
			tolerance = 1e-3
		}
		y := drawn(40, 40, func(_, _ int) float32 { return 0.75 })
		for i, v := range denoised(t, m, y, 0.1, Options{}).Pix {
			if math.Abs(float64(v)-0.75) > tolerance {
				t.Fatalf("sample %d is %g", i, v)
			}
		}
	})
}

func TestSequenceRefusesBadOptions(t *testing.T) {
	m, y := testSequence(t), squares(20, 20)
	for _, sigma := range []float64{0, -1, math.NaN()} {
		if _, err := m.Denoise(context.Background(), y, sigma, Options{}); err == nil {
			t.Errorf("sigma %g accepted", sigma)
		}
	}
	for _, p := range []patchify.Plane{{}, {Width: 3, Height: 2, Pix: make([]float32, 5)}} {
		if _, err := m.Denoise(context.Background(), p, 1, Options{}); err == nil {
			t.Errorf("a plane of %d x %d with %d samples accepted", p.Width, p.Height, len(p.Pix))
		}
	}
	for _, stride := range []int{-1, 9} {
		if _, err := m.Denoise(context.Background(), y, 1, Options{Stride: stride}); err == nil {
			t.Errorf("stride %d accepted", stride)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	must.Fail(t, "cancelled", must.Err(m.Denoise(ctx, y, 1, Options{})), context.Canceled)
}

func TestNewLocalRefusesWhatDoesNotFit(t *testing.T) {
	w, s := solve.DCTBasis(8), solve.DefaultSchedule()
	bad, two := s, NewClassifier(8, [][]float64{make([]float64, 63), make([]float64, 63)})
	bad.RhoEnd = math.Inf(1)
	for name, f := range map[string]func() (*Local, error){
		"none":        func() (*Local, error) { return NewLocal(8, s, nil, nil) },
		"patch size":  func() (*Local, error) { return NewLocal(7, s, []solve.Transform{w}, nil) },
		"two for one": func() (*Local, error) { return NewLocal(8, s, []solve.Transform{w, w}, nil) },
		"clusters":    func() (*Local, error) { return NewLocal(8, s, []solve.Transform{w}, two) },
		"sizes": func() (*Local, error) {
			return NewLocal(8, s, []solve.Transform{w, solve.Identity(64, 1)}, two)
		},
		"schedule": func() (*Local, error) { return NewLocal(8, bad, []solve.Transform{w}, nil) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func BenchmarkSequence(b *testing.B) {
	m, y := testSequence(b), noisy(squares(256, 256), 0.1, 1)
	for b.Loop() {
		denoised(b, m, y, 0.1, Options{Workers: 1})
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/(256*256)*1e6, "s/MP")
}

// A pilot takes the place of the noisy plane in the choice among transforms.
func TestDenoiseFromPilot(t *testing.T) {
	q := testSequence(t)[1:]
	clean := squares(40, 30)
	noisy := noisy(clean, 0.1, 5)
	copyOf := func(p patchify.Plane) patchify.Plane {
		p.Pix = slices.Clone(p.Pix)
		return p
	}
	same, own, other := copyOf(noisy), copyOf(noisy), copyOf(noisy)
	d := q.Steps(Options{Stride: 2}).NewDenoiser()
	must.Do(t, d.Denoise(t.Context(), own, 0.1, nil))
	must.Do(t, d.DenoiseFrom(t.Context(), same, copyOf(noisy), 0.1, nil))
	must.Do(t, d.DenoiseFrom(t.Context(), other, copyOf(clean), 0.1, nil))
	if !slices.Equal(own.Pix, same.Pix) {
		t.Error("the noisy plane as pilot gives another result")
	}
	if slices.Equal(own.Pix, other.Pix) {
		t.Error("the pilot changes nothing")
	}
	if err := d.DenoiseFrom(t.Context(), noisy, squares(30, 40), 0.1, nil); err == nil {
		t.Error("a pilot of another size is accepted")
	}
}
