package mask

import "testing"

// Lost finds the pixels at one end of the range that are unlike those around them, whichever planes show it.
func TestLost(t *testing.T) {
	few := func(i int) bool { return i%97 == 5 }
	area := func(i int) bool { return i%w < 40 }
	for name, c := range map[string]struct {
		ranges [][2]float64
		value  float32
		where  func(i int) bool
		lost   bool
	}{
		"dead pixels of a gray picture":              {[][2]float64{{60, 200}}, 0, few, true},
		"full scale":                                 {[][2]float64{{20, 90}, {30, 80}, {20, 70}}, 255, few, true},
		"dead pixels of a colour picture":            {[][2]float64{{40, 200}, {60, 220}, {50, 210}}, 0, few, true},
		"apart from the others in one of the planes": {[][2]float64{{20, 200}, {160, 220}, {20, 210}}, 0, few, true},
		"apart in two":                               {[][2]float64{{20, 200}, {160, 220}, {190, 250}}, 0, few, true},
		"a black area":                               {[][2]float64{{40, 200}, {60, 220}, {50, 210}}, 0, area, false},
	} {
		var planes [][]float32
		var known []*Mask
		var want *Mask
		for _, r := range c.ranges {
			p := scene(w, h, r[0], r[1], 4)
			want = set(p, c.value, c.where)
			planes, known = append(planes, p), append(known, Find(p, w, nil, 1))
		}
		if !c.lost {
			want = nil
		}
		lost := Lost(planes, w, known, 2)
		for i, m := range known {
			if all := m.Union(lost); c.lost && !same(all, want) {
				t.Errorf("%s: %d marked in plane %d, want %d", name, all.Len(), i, want.Len())
			}
		}
		if !c.lost && lost.Len() > 0 {
			t.Errorf("%s: %d marked, want none", name, lost.Len())
		}
	}
}

// Noise that is clipped has the end of the range in single planes, and is part of the picture.
func TestClippedNoiseIsNotLost(t *testing.T) {
	var planes [][]float32
	for range 3 {
		p := scene(w, h, 5, 60, 8)
		for i := range p {
			p[i] = max(0, p[i])
		}
		planes = append(planes, p[len(planes)*w:]) // the noise is not the same
	}
	for i := range planes {
		planes[i] = planes[i][:w*(h-3)]
	}
	if m := Lost(planes, w, make([]*Mask, 3), 1); m.Len() > 0 {
		t.Errorf("%d marked", m.Len())
	}
}
