package model_test

import (
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// A model made by hand: the DCT as its only transform.
func ExampleModel_Denoise() {
	stage, err := model.NewLocal(8, model.DefaultSchedule(), []model.Transform{model.DCTBasis(8)}, nil)
	if err != nil {
		panic(err)
	}
	m := model.Model{Stages: []model.Stage{stage}}
	noisy := patchify.NewPlane(16, 16)
	noisy.Pix[100] = 1 // one wrong pixel
	out, err := m.Denoise(context.Background(), noisy, 0.5, model.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f\n", out.Pix[100])
	// Output: 0.02
}

func ExampleADMM_Solve() {
	w := model.Identity(3, 0.5)
	r := model.NewADMM(w, model.Schedule{Iterations: 200, RhoStart: 1, RhoEnd: 1, Relaxation: 1.7}).Solve([]float64{2, -0.25, 1})
	fmt.Printf("%.3f\n", r.X)
	// Output: [1.500 0.000 0.500]
}
