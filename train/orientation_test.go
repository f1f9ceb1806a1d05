package train

import (
	"fmt"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

func TestOrientationsAreEightDifferentOnes(t *testing.T) {
	p := patchify.Plane{Width: 3, Height: 2, Pix: []float32{1, 2, 3, 4, 5, 6}}
	want := []string{"3 [1 2 3 4 5 6]", "3 [3 2 1 6 5 4]", "3 [4 5 6 1 2 3]", "3 [6 5 4 3 2 1]",
		"2 [1 4 2 5 3 6]", "2 [4 1 5 2 6 3]", "2 [3 6 2 5 1 4]", "2 [6 3 5 2 4 1]"}
	for o, w := range want {
		q := orientation(o).of(p)
		if got := fmt.Sprint(q.Width, " ", q.Pix); got != w {
			t.Errorf("orientation %d gives %s, not %s", o, got, w)
		}
	}
}
