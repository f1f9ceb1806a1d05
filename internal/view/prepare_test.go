package view

import (
	"errors"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

func TestPrepare(t *testing.T) {
	local, err := denoise.ShippedModels("local")
	if err != nil {
		t.Fatal(err)
	}
	stages, err := stage.NewLocal(8, solve.DefaultSchedule(), []solve.Transform{solve.DCTBasis(8)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	camera, err := denoise.UseModel(&model.Model{Info: model.Info{Noise: model.CameraNoise}, Stages: stage.Sequence{stages}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		options denoise.Options
		want    error
	}{
		"default": {},
		"local":   {denoise.Options{Models: local, Stride: 2}, nil},
		"camera":  {denoise.Options{Models: camera}, denoise.ErrArgument}, // it measures noise itself, and loads in no time
	} {
		for _, planes := range []int{1, 3} {
			if err := prepare(t.Context(), planes, c.options); !errors.Is(err, c.want) {
				t.Errorf("%s, %d planes: %v", name, planes, err)
			}
		}
	}
}
