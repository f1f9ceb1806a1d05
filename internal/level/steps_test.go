package level

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// someSteps rise with the frequency, from 1 up.
func someSteps() (s Steps) {
	for i := range s.Luma {
		s.Luma[i], s.Chroma[i] = uint8(1+2*(i/8+i%8)), uint8(2+3*(i/8+i%8))
	}
	return s
}

func TestLevelBeforeRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, sigma := range []float64{0.25, 0.4, 0.7, 1, 1.5, 2.5, 8} {
		const n = 200_000
		sum := 0.0
		for range n {
			v := math.Round(sigma * r.NormFloat64())
			sum += v * v
		}
		if got := math.Exp(before(math.Log(sum/n) / 2)); math.Abs(got/sigma-1) > 0.05 {
			t.Errorf("noise of %g reads as %g", sigma, got)
		}
	}
	if least := math.Exp(before(math.Inf(-1))); math.Abs(least-0.2) > 1e-9 {
		t.Errorf("nothing reads as %g", least)
	}
}

func TestBeforeRises(t *testing.T) {
	for x := -6.0; x < 4; x += 0.01 {
		if before(x+0.01) < before(x)-1e-9 {
			t.Fatalf("%g before %g, and less before more", before(x), x)
		}
	}
}

// Steps that are not known leave levels as they are and add nothing but zeros.
func TestUnknownSteps(t *testing.T) {
	levels := []float64{1, 2, 3, -1, 0.5}
	if got := (Steps{}).left(levels, 3); !slices.Equal(got, levels) {
		t.Errorf("%v", got)
	}
	for _, planes := range []int{1, 3} {
		unknown, known := (Steps{}).inputs(planes), someSteps().inputs(planes)
		if slices.Max(unknown) != 0 || len(unknown) != len(known) || known[0] != 1 {
			t.Errorf("%d planes: %v and %v", planes, unknown, known)
		}
	}
}

// Turning a picture exchanges horizontal and vertical frequencies, which changes no input.
func TestStepsDoNotDependOnDirection(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s, turned Steps
	for i := range s.Luma {
		s.Luma[i], s.Chroma[i] = uint8(1+r.IntN(255)), uint8(1+r.IntN(255))
		turned.Luma[i%8*8+i/8], turned.Chroma[i%8*8+i/8] = s.Luma[i], s.Chroma[i]
	}
	a, b := s.inputs(3), turned.inputs(3)
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-12 {
			t.Errorf("input %d is %g, and %g of the turned picture", i, a[i], b[i])
		}
	}
}

func TestInputsAreOfOneLength(t *testing.T) {
	for _, planes := range []int{1, 3} {
		p := whiteNoise(128, 128, planes, 10)
		a, b := Inputs(p, 128, 128, 0.04, Steps{}, 1), Inputs(p, 128, 128, 0.04, someSteps(), 1)
		if len(a) != len(b) || slices.Equal(a, b) {
			t.Errorf("%d inputs without steps, %d with", len(a), len(b))
		}
	}
}

func TestLargestStep(t *testing.T) {
	if got := (Steps{}).Largest(); got != 0 {
		t.Errorf("no steps: %g", got)
	}
	s := Steps{Luma: [64]uint8{1, 2, 9}, Chroma: [64]uint8{3, 17}}
	if got := s.Largest(); got != 17 {
		t.Errorf("%g, want 17", got)
	}
}
