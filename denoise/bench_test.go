package denoise

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// BenchmarkDenoise runs the default model, each of its stages, and a model with the sizes of the paper's, on a gray
// scene of a megapixel. Only the products of the solvers count as work.
func BenchmarkDenoise(b *testing.B) {
	family := must.Get(models.Named(models.Local))(b)
	local := must.Get(family.Choose(25.5))(b)
	cases := []struct {
		name  string
		model *model.Model
	}{{"local", local}, {"paper", stack(b)}}
	for i, s := range local.Stages {
		cases = append(cases, struct {
			name  string
			model *model.Model
		}{fmt.Sprintf("local-stage-%d", i+1), &model.Model{Stages: stage.Sequence{s}}})
	}
	for _, c := range cases {
		for stride := 1; stride <= 3; stride++ {
			for workers := 1; workers <= 2; workers++ {
				b.Run(fmt.Sprintf("%s/stride=%d/workers=%d", c.name, stride, workers), func(b *testing.B) {
					benchmark(b, c.model, 1000, stage.Options{Stride: stride, Workers: workers})
				})
			}
		}
	}
}

// BenchmarkTiles is BenchmarkDenoise of an image of many tiles.
func BenchmarkTiles(b *testing.B) {
	benchmark(b, stack(b), 4000, stage.Options{Stride: 3, Workers: 1})
}

// stack is 192 x 64: three scaled random transforms would do as well, since the work does not depend on the numbers.
func stack(b *testing.B) *model.Model {
	rng := rand.New(rand.NewPCG(1, 1))
	w := solve.Transform{K: 192, N: 64, W: make([]float64, 192*64)}
	for i := range w.W {
		w.W[i] = 0.05 * rng.NormFloat64()
	}
	s := must.Get(stage.NewLocal(8, solve.DefaultSchedule(), []solve.Transform{w}, nil))(b)
	return &model.Model{Stages: stage.Sequence{s}}
}

func benchmark(b *testing.B, m *model.Model, side int, o stage.Options) {
	const drawn = 250 // drawing takes longer than denoising
	picture, noisy := scenetest.Gray(scenetest.Draw(drawn, drawn)), make([]float32, side*side)
	for i := range noisy {
		noisy[i] = picture[i/side%drawn*drawn+i%side%drawn]
	}
	noise.AddGaussian(noisy, noisy, 0.1, noise.Source(1, "benchmark"))
	g := must.Get(patchify.NewGrid(side, side, 8, o.Stride))(b)
	flops := 0.0
	for _, s := range m.Stages {
		l := s.(*stage.Local)
		k, n := l.Transforms[0].K, l.Transforms[0].N
		flops += float64(g.Len()) * 2 * float64(n) * float64(2*k*l.Schedule.Iterations+2*n)
	}
	plane := make([]float32, len(noisy))
	options := Options{Models: setOf(b, m), Sigma: 25.5, Stride: o.Stride, Workers: o.Workers}
	for b.Loop() {
		copy(plane, noisy)
		mustPlanes(b, [][]float32{plane}, side, side, options)
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(seconds*1e6/float64(side*side), "s/MP")
	b.ReportMetric(flops/seconds/1e9, "GFLOP/s")
}
