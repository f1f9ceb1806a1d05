package scenetest

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

func TestDrawingsAreCopies(t *testing.T) {
	for _, size := range [][2]int{{9, 7}, {7, 9}, {9, 7}} {
		p := Draw(size[0], size[1])
		if !reflect.DeepEqual(p, scene.Draw(size[0], size[1])) {
			t.Errorf("%v differs from the scene", size)
		}
		clear(p[0]) // has no effect on later drawings
	}
}

func TestGray(t *testing.T) {
	planes := [3][]float32{{1, 0, 0, 1, 0.5}, {0, 1, 0, 1, 0.5}, {0, 0, 1, 1, 0.5}}
	want := []float32{0.299, 0.587, 0.114, 1, 0.5}
	if got := Gray(planes); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestGrayIsBetweenThePlanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SliceOfN(rapid.Float32Range(0, 1), 3, 3).Draw(t, "colour")
		got := Gray([3][]float32{c[:1], c[1:2], c[2:]})[0]
		if got < slices.Min(c)-1e-6 || got > slices.Max(c)+1e-6 {
			t.Fatalf("luma of %v is %g", c, got)
		}
	})
}
