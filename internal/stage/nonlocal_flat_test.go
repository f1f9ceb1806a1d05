package stage

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// roughGroups returns a plane that is divided into areas of the given roughness, the standard deviation of its samples,
// and a group of patches that do not overlap in each area.
func roughGroups(rough []float64) (p patchify.Plane, groups *patchify.Groups) {
	const side = 4 * nonLocalPatch
	p = patchify.NewPlane(side*len(rough), side)
	rng := rand.New(rand.NewPCG(4, 2))
	for i := range p.Pix {
		p.Pix[i] = 20 + float32(rough[i%p.Width/side]*rng.NormFloat64())
	}
	groups = &patchify.Groups{Count: GroupSize}
	for area := range rough {
		for i := range GroupSize {
			x, y := area*side+i%4*nonLocalPatch, i/4*nonLocalPatch
			groups.Corners = append(groups.Corners, int32(y*p.Width+x))
		}
	}
	return p, groups
}

// Groups with structure have the first blocks. In flat groups, the Wiener filter makes the differences smaller.
func TestFlatGroups(t *testing.T) {
	rough := []float64{1, 0, 0.2, 0.1, 0.03, 0.16, 0.14}
	p, groups := roughGroups(rough)
	l := testNonLocal(t, 8, 16)
	l.prepareSolvers()
	s := l.newScratch()
	s.groups = groups
	var all []int32
	for i := range rough {
		all = append(all, int32(i))
	}
	s.gatherPilots(p, all)
	if s.rich != 3 || s.flat != chunkGroups-4 {
		t.Fatalf("%d groups with structure, blocks of flat ones from %d on", s.rich, s.flat)
	}
	used := map[int]bool{}
	for i, r := range rough {
		at := s.blockOf[i]
		if used[at] || s.groupOf[at] != int32(i) {
			t.Errorf("roughness %g: block %d has group %d, or two groups", r, at, s.groupOf[at])
		}
		used[at] = true
		if flat := at >= s.flat; flat != (r < 0.15) {
			t.Errorf("roughness %g: flat is %v", r, flat)
			continue
		} else if !flat {
			continue
		}
		s.axes.fromDCT(block(s.pilot[:], at))
		rms := roughness(block(s.pilot[:], at))
		want := 0.0
		if r > pilotNoise {
			want = r * (1 - pilotNoise*pilotNoise/(r*r))
		}
		if math.Abs(rms-want) > 0.03*r+1e-5 {
			t.Errorf("roughness %g: %g is left, not %g", r, rms, want)
		}
	}
}

// roughness returns the root mean square of the differences between the patches of a block and their mean.
func roughness(block []float32) float64 {
	sum := 0.0
	for r := range nonLocalPatch * nonLocalPatch {
		row := block[r*solve.Lanes:][:GroupSize]
		mean := 0.0
		for _, v := range row {
			mean += float64(v) / GroupSize
		}
		for _, v := range row {
			sum += (float64(v) - mean) * (float64(v) - mean)
		}
	}
	return math.Sqrt(sum / ((GroupSize - 1) * nonLocalPatch * nonLocalPatch))
}
