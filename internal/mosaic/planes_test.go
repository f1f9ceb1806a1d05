package mosaic

import "testing"

func TestPlanes(t *testing.T) {
	for _, p := range patterns {
		m := mosaicOf(7, 5, p, func(c, x, y int) float32 { return float32(1000*c + 10*y + x) })
		colours, w, h := m.Planes()
		for c, planes := range colours {
			if want := [3]int{1, 2, 1}[c]; len(planes) != want {
				t.Fatalf("%v: %d planes of colour %d", p, len(planes), c)
			}
			for _, plane := range planes {
				if len(plane) != w*h || w != 3 || h != 2 || int(plane[0])/1000 != c || plane[w+1]-plane[0] != 22 {
					t.Errorf("%v: colour %d is %v of %d x %d", p, c, plane, w, h)
				}
			}
		}
	}
}
