package mosaic

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRowOffsets(t *testing.T) {
	for name, c := range map[string]struct {
		columns int
		rows    float64 // of the offsets, in standard deviations of the noise within rows
		left    float64 // standard deviation that is left, over that of the offsets; 0 = no offsets are found
	}{
		"few columns":  {columns: 10, rows: 1, left: 0.36},
		"many columns": {columns: 48, rows: 0.5, left: 0.36},
		"none":         {columns: 48},
		"light":        {columns: 48, rows: 3},
		"too few":      {columns: 3, rows: 1},
	} {
		r := rand.New(rand.NewPCG(1, 1))
		masked, offsets := make([][]float32, 300), make([]float64, 300)
		for y := range masked {
			offsets[y] = c.rows * r.NormFloat64()
			for x := range c.columns { // each colour has another level of black
				masked[y] = append(masked[y], float32(512+3*float64(y%2)+5*float64(x%2)+offsets[y]+r.NormFloat64()))
			}
		}
		masked[20][1] = 9000
		got := RowOffsets(masked)
		if c.left == 0 {
			if got != nil {
				t.Errorf("%s: offsets are found", name)
			}
			continue
		}
		if got == nil {
			t.Errorf("%s: none is found", name)
			continue
		}
		before, after := 0.0, 0.0
		for y, o := range offsets {
			before, after = before+o*o, after+(o-float64(got[y]))*(o-float64(got[y]))
		}
		if math.Sqrt(after/before) > c.left {
			t.Errorf("%s: %.2f of the offsets is left", name, math.Sqrt(after/before))
		}
	}
}
