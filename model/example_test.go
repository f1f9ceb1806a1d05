package model_test

import (
	"errors"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/model"
)

func ExampleLoad() {
	m, err := model.Load("../models/nonlocal-25.5.safetensors")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, sigma %g, %d stages\n", m.Name, m.Sigma, len(m.Stages))
	// Output: nonlocal, sigma 25.5, 6 stages
}

func ExampleUnmarshal() {
	_, err := model.Unmarshal([]byte("not a model"))
	fmt.Println(errors.Is(err, model.ErrFormat))
	// Output: true
}
