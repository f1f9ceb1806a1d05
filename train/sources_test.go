package train

import (
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

func TestSignalsGivesEachPairOnceAnEpoch(t *testing.T) {
	s := &Signals{Seed: 5}
	for i := range 10 {
		s.Clean = append(s.Clean, []float64{float64(i)})
		s.Noisy = append(s.Noisy, []float64{float64(-i)})
	}
	var got []int
	for step := range 5 { // batches of 4 run over the end of epochs of 10
		s.Begin(step, 4)
		for i := range 4 {
			clean, noisy := []float64{0}, []float64{0}
			s.Sample(i, clean, noisy)
			if clean[0] != -noisy[0] {
				t.Fatal("a clean signal with the noisy signal of another")
			}
			got = append(got, int(clean[0]))
		}
	}
	for epoch := range 2 {
		seen := slices.Sorted(slices.Values(got[10*epoch : 10*epoch+10]))
		if !slices.Equal(seen, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
			t.Errorf("epoch %d has %v", epoch, seen)
		}
	}
	if slices.Equal(got[:10], got[10:]) {
		t.Error("two epochs in the same order")
	}
}

func TestOrientationsAreTheEightOfTheSquare(t *testing.T) {
	p := patchify.Plane{Width: 3, Height: 2, Pix: []float32{1, 2, 3, 4, 5, 6}}
	seen := map[[6]float32]bool{}
	for o := range 8 {
		q := orient(p, o)
		if (o&1 == 0) != (q.Width == 3) {
			t.Errorf("orientation %d is %d x %d", o, q.Width, q.Height)
		}
		sorted := slices.Sorted(slices.Values(q.Pix))
		if !slices.Equal(sorted, p.Pix) {
			t.Errorf("orientation %d has samples %v", o, q.Pix)
		}
		seen[[6]float32(q.Pix)] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d different orientations", len(seen))
	}
}
