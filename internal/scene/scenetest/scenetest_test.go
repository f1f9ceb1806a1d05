package scenetest

import (
	"reflect"
	"testing"

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
