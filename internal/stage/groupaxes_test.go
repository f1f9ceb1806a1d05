package stage

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

func TestGroupRotations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const side, groups = 60, 70
	p := patchify.NewPlane(side, side)
	for i := range p.Pix {
		p.Pix[i] = float32(20*math.Sin(float64(i%side)/4) + rng.NormFloat64())
	}
	var members []int32
	for g := range groups {
		corner := int32(rng.IntN(side-8)*side + rng.IntN(side-8))
		for m := range GroupSize {
			switch {
			case g == 0: // all patches are equal
			case g == 1: // two patches alternate
				corner = int32(7 + m%2*1000)
			default:
				corner = int32(rng.IntN(side-8)*side + rng.IntN(side-8))
			}
			members = append(members, corner)
		}
	}
	rotations := GroupRotations(p, members)
	if len(rotations) != groups {
		t.Fatal(len(rotations), "rotations")
	}
	for g, v := range rotations {
		var columns [GroupSize][64]float64
		for r := range GroupSize {
			for c := range GroupSize {
				dot := 0.0
				for i := range GroupSize {
					dot += v[r*GroupSize+i] * v[c*GroupSize+i]
				}
				if r == c {
					dot--
				}
				if math.Abs(dot) > 1e-5 {
					t.Fatalf("group %d: rows %d and %d are not orthonormal: %g", g, r, c, dot)
				}
				corner := int(members[g*GroupSize+c])
				for i := range columns[r] {
					columns[r][i] += v[r*GroupSize+c] * float64(p.Pix[corner+i/8*side+i%8])
				}
			}
			if math.Abs(v[r]-0.25) > 1e-6 {
				t.Fatalf("group %d: the first row is %v", g, v[:GroupSize])
			}
		}
		total, left := 0.0, 0.0
		energy := func(r, c int) (e float64) {
			for i, x := range columns[r] {
				e += x * columns[c][i]
			}
			return e
		}
		for r := 1; r < GroupSize; r++ {
			total += energy(r, r)
			if r > 1 && energy(r, r) > energy(r-1, r-1)*1.001+1e-4*total+1e-6 {
				t.Errorf("group %d: column %d has more energy than the one before, %g and %g", g, r, energy(r, r),
					energy(r-1, r-1))
			}
			for c := 1; c < r; c++ {
				left += 2 * energy(r, c) * energy(r, c)
			}
		}
		if math.Sqrt(left) > 0.01*total+1e-3 {
			t.Errorf("group %d: columns are not orthogonal: %g of %g", g, math.Sqrt(left), total)
		}
		if g == 1 && energy(2, 2) > 1e-5*total {
			t.Errorf("two alternating patches: the second direction has energy %g", energy(2, 2))
		}
	}
}
