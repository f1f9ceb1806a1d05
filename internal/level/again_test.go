package level

import (
	"math"
	"testing"
)

func TestLookAgain(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, want float64
		looks       int
		predict     func(sigma float64) float64 // the level that a look at a level tells
	}{
		{"stays", 8, 8, 1, func(float64) float64 { return 8 }},
		{"rises", 5, 11, 3, func(sigma float64) float64 { return 11 * math.Pow(sigma/11, 0.2) }},
		{"falls", 15, 1, 3, func(float64) float64 { return 1 }},
		{"texture", 1, 2, 1, func(sigma float64) float64 { return 2.4 * sigma }},
		{"ends", 5, 5 * math.Pow(2, 4*secondShare), 4, func(sigma float64) float64 { return 2 * sigma }},
	} {
		looks := 0
		mean, spread := lookAgain(math.Log(c.first), 1, func(sigma float64) (float64, float64, bool) {
			looks++
			return math.Log(c.predict(sigma)), 0.5, true
		})
		if got := math.Exp(mean); math.Abs(math.Log(got/c.want)) > 0.1 || looks != c.looks || spread != 0.5 {
			t.Errorf("%s: level %.2f and spread %g after %d looks, want %.2f and 0.5 after %d", c.name, got, spread, looks, c.want, c.looks)
		}
	}
	if mean, spread := lookAgain(2, 1, func(float64) (float64, float64, bool) { return 0, 0, false }); mean != 2 || spread != 1 {
		t.Errorf("%g and %g where nothing can be seen", mean, spread)
	}
}
