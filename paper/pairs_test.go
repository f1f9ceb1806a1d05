package paper

import (
	"slices"
	"testing"
)

func TestShuffledGivesEachPairOnceAnEpoch(t *testing.T) {
	s := &shuffled{seed: 5}
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
