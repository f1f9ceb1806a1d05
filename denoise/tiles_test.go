package denoise

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// union is a model of two stages, the second with clusters.
func union(t testing.TB) ModelSet {
	t.Helper()
	m := must.Get(clusters())(t)
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
	p := filled(width*height, func(i int) float32 { return 0.3 + 0.4*float32((i%width/11+i/width/13)%2) })
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
			noSeams(t, fmt.Sprintf("%v, stride %d", size, stride), [][]float32{noisy}, size[0], size[1], o,
				map[int]int{1: 1, 2: 64, 3: 100})
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
	noSeams(t, "colour", noisy, 150, 110, o, map[int]int{0: 60})
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
		must.Get(tiled([][]float32{squares(side, tiles*side)}, side, tiles*side, o, side))(t)
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
