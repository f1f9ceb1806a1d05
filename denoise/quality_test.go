package denoise

import "testing"

// Broad noise has more reference patches than white noise at balanced quality alone.
func TestDensePasses(t *testing.T) {
	for _, q := range []Quality{Balanced, Fast, Best} {
		for _, broad := range []bool{false, true} {
			n := gaussianNoise{sigma: 6.0 / 255, unit: 1, notWhite: broad}
			choose := n.choose(3, Options{Quality: q})
			for i := range 3 {
				m, err := choose(i)
				if err != nil {
					t.Fatal(err)
				}
				run := m.run(q.stages())
				if dense := run.GroupStride == densePasses.GroupStride; dense != (broad && q == Balanced) {
					t.Errorf("%v, broad %v, plane %d: reference patches %d apart", q, broad, i, run.GroupStride)
				}
			}
		}
	}
}
