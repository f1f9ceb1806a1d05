package denoise

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// union is a model of two stages, the second with clusters.
func union(t testing.TB) ModelSet {
	t.Helper()
	m, err := clusters()
	if err != nil {
		t.Fatal(err)
	}
	return setOf(t, m)
}

var clusters = sync.OnceValues(func() (*model.Model, error) {
	dct := solve.DCTBasis(8)
	s := solve.DefaultSchedule()
	s.Iterations = 3
	first, err := stage.NewLocal(8, s, []solve.Transform{dct.Scale(1.2)}, nil)
	if err != nil {
		return nil, err
	}
	var centroids [][]float64
	var transforms []solve.Transform
	for c := range 3 {
		centroids = append(centroids, slices.Repeat([]float64{float64(c)/2 - 1}, 63))
		transforms = append(transforms, dct.Scale(2-0.5*float64(c)))
	}
	second, err := stage.NewLocal(8, s, transforms, stage.NewClassifier(8, centroids))
	return &model.Model{Stages: stage.Sequence{first, second}}, err
})

// squares is a plane of edges and noise, cheap to make.
func squares(width, height int) []float32 {
	p := make([]float32, width*height)
	for i := range p {
		p[i] = 0.3 + 0.4*float32((i%width/11+i/width/13)%2)
	}
	noise.AddGaussian(p, p, 0.1, noise.Source(1, "squares"))
	return p
}

func TestTilesHaveNoSeams(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	sizes := [][2]int{{1, 300}, {300, 1}, {201, 133}, {97, 245}}
	for stride := 1; stride <= 8; stride++ {
		for _, size := range append(sizes, [2]int{33 + rng.IntN(150), 33 + rng.IntN(150)}) {
			noisy := squares(size[0], size[1])
			o := Options{Models: union(t), Sigma: 25, Keep: 0.25, Stride: stride}
			whole := slices.Clone(noisy)
			if _, err := Planes(context.Background(), [][]float32{whole}, size[0], size[1], o); err != nil {
				t.Fatal(err)
			}
			if slices.Equal(whole, noisy) {
				t.Fatal("nothing was done in place")
			}
			for workers, side := range map[int]int{1: 1, 2: 64, 3: 100} {
				o.Workers = workers
				got := slices.Clone(noisy)
				if _, err := tiled([][]float32{got}, size[0], size[1], o, side); err != nil {
					t.Fatal(err)
				}
				if i := firstDifference(got, whole); i >= 0 {
					t.Fatalf("%v, stride %d, tiles of %d: (%d, %d) is %g, but %g in the whole", size, stride, side,
						i%size[0], i/size[0], got[i], whole[i])
				}
			}
		}
	}
}

func firstDifference(a, b []float32) int {
	for i, v := range a {
		if v != b[i] {
			return i
		}
	}
	return -1
}

func TestColourTilesHaveNoSeams(t *testing.T) {
	_, noisy := noisyScene(150, 110, 25)
	o := Options{Models: union(t), Sigma: 25, Stride: 3}
	whole, got := clone(noisy), clone(noisy)
	if _, err := Planes(context.Background(), whole, 150, 110, o); err != nil {
		t.Fatal(err)
	}
	if _, err := tiled(got, 150, 110, o, 60); err != nil {
		t.Fatal(err)
	}
	for p := range whole {
		if !slices.Equal(whole[p], got[p]) {
			t.Errorf("plane %d differs", p)
		}
	}
}

// allocated returns the bytes that f allocates on one processor, without the garbage collector: pools that it has
// emptied, or that belong to another processor, allocate again.
func allocated(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// What is allocated is in proportion to a tile, and does not grow with the height of the image, but for a bit for each
// sample: areas of one value are remembered.
func TestMemoryIsBoundedByTheTile(t *testing.T) {
	const side = 256
	o := Options{Models: union(t), Sigma: 25, Keep: 0.5, Stride: 8, Workers: 1}
	run := func(tiles int) {
		if _, err := tiled([][]float32{squares(side, tiles*side)}, side, tiles*side, o, side); err != nil {
			t.Fatal(err)
		}
	}
	run(1) // what is made once
	for _, n := range []int{2, 64} {
		got := allocated(func() { run(n) }) - uint64(n*side*side*4)
		if limit := uint64(20*side*side*4 + n*side*side/8); got > limit {
			t.Errorf("%d tiles: %d bytes allocated, limit is %d", n, got, limit)
		}
	}
}

func TestCancelledBetweenTiles(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	second := &cancelling{Stage: union(t).model.Stages[0], cancel: cancel}
	o := Options{Models: setOf(t, &model.Model{Stages: stage.Sequence{second}}), Sigma: 25}
	j := newJob(ctx, o)
	j.tileSide = 32
	_, err := j.planes([][]float32{squares(200, 200)}, 200, 200)
	if !errors.Is(err, context.Canceled) || second.calls != 2 {
		t.Errorf("%v after %d tiles", err, second.calls)
	}
}

// cancelling is a stage that cancels the second time.
type cancelling struct {
	stage.Stage
	cancel func()
	calls  int
}

func (c *cancelling) Denoise(ctx context.Context, dst patchify.Plane, in stage.Input, o stage.Options) error {
	if c.calls++; c.calls == 2 {
		c.cancel()
	}
	return c.Stage.Denoise(ctx, dst, in, o)
}
