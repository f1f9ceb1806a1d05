package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/patchify"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// stripes draws a plane of 64 x 64 samples on a scale of 0 to 1.
func stripes(angle float64) patchify.Plane {
	p := patchify.NewPlane(64, 64)
	for i := range p.Pix {
		x, y := float64(i%p.Width), float64(i/p.Width)
		p.Pix[i] = float32(0.5 + 0.3*math.Sin(0.3*(x*math.Cos(angle)+y*math.Sin(angle))))
	}
	return p
}

// A tiny model, trained in a second. The default recipe takes a hundred times as many steps.
func ExampleLocalRecipe_Train() {
	recipe := train.DefaultLocalRecipe()
	recipe.PilotSteps, recipe.UnionSteps = 15, 5
	recipe.BatchSize, recipe.Clusters = 48, 2
	recipe.Crops, recipe.CropSize, recipe.KMeansPoints = 4, 48, 400

	data := train.Data{
		Groups:     [][]train.Pair{{{Clean: stripes(0)}, {Clean: stripes(1)}}},
		Validation: []train.Pair{{Clean: stripes(2)}},
		Sigma:      0.1, // 20 dB
		Seed:       1,
	}
	m, err := recipe.Train(context.Background(), new(train.Trainer), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s model for sigma %g with %d stages, better than 25 dB: %t\n", m.Name, m.Sigma, len(m.Stages),
		m.ValidationPSNR > 25)
	// Output: local model for sigma 25.5 with 2 stages, better than 25 dB: true
}

// signals is a train.Source of pairs in units of sigma.
type signals struct{ clean, noisy [][]float64 }

func (s signals) Begin(step, batch int) {}

func (s signals) Sample(i int, clean, noisy []float64) {
	copy(clean, s.clean[i])
	copy(noisy, s.noisy[i])
}

// A transform for one-dimensional signals, from pairs.
func ExampleTrainer_Run() {
	const n = 8
	pairs := signals{
		clean: [][]float64{{0, 0, 0, 0, 5, 5, 5, 5}, {3, 3, 3, 3, 3, 3, 0, 0}},
		noisy: [][]float64{{1, -1, 0, 1, 4, 5, 6, 5}, {3, 2, 4, 3, 4, 2, 1, -1}},
	}
	theta := make([]float64, n*n) // a transform of 8 x 8: the identity, scaled
	for i := range n {
		theta[i*n+i] = 0.1
	}
	first, last := 0.0, 0.0
	trainer := &train.Trainer{ReportEvery: 1, Report: func(p train.Progress) {
		if p.Step == 1 {
			first = p.Loss
		}
		last = p.Loss
	}}
	err := trainer.Run(context.Background(), train.Phase{
		Name:      "signals",
		Objective: &train.Transforms{K: n, N: n, Sources: []train.Source{pairs}, BatchSize: 2},
		Optimizer: train.NewAdam(len(theta)),
		Steps:     100,
		Rate:      train.DecayingRate(0.03),
	}, theta)
	fmt.Println(err, last < first/2)
	// Output: <nil> true
}

// Errors have kinds.
func ExampleData() {
	_, err := train.DefaultLocalRecipe().Train(context.Background(), nil, train.Data{Sigma: 0.1})
	fmt.Println(errors.Is(err, train.ErrData), err)
	// Output: true unsuitable training data: no images
}
