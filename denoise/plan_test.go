package denoise

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// describe lists steps with their distances.
func describe(steps stage.Steps) string {
	var all []string
	for _, s := range steps {
		text := s.Kind()
		switch c, _ := s.Stage.(*stage.Correction); {
		case c != nil:
			if c.Half != nil {
				text += "(" + describe(c.Half) + ")"
			}
		case s.GroupRows > 0:
			text += fmt.Sprintf(" %d/%d", s.GroupStride, s.GroupRows)
		case s.GroupStride > 0:
			text += fmt.Sprintf(" %d", s.GroupStride)
		case s.Stride > 0:
			text += fmt.Sprintf(" %d", s.Stride)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// What a plan says is what runs, for strong noise in luma and chroma.
func TestPlansRun(t *testing.T) {
	local := must.Get(ShippedModels("local"))(t)
	white, broad := evenNoise{sigma: 0.1, unit: 1}, evenNoise{sigma: 0.1, unit: 1, correlated: true}
	ofLuma, weak := evenNoise{sigma: 0.1, unit: 1, chroma: 0.05}, evenNoise{sigma: 0.1, unit: 1, pedestal: 1}
	for _, c := range []struct {
		n            evenNoise
		o            Options
		luma, chroma string
	}{
		{white, Options{Quality: Fast}, "", ""},
		{white, Options{}, "nonlocal 8/6, nonlocal 8", ""},
		{white, Options{Quality: Best}, "nonlocal 0/4, nonlocal, nonlocal", ""},
		{ofLuma, Options{Quality: Fast}, "", ""},
		{ofLuma, Options{}, "nonlocal 8/6, nonlocal 8", ""},
		{ofLuma, Options{Quality: Best}, "nonlocal 0/4, nonlocal, nonlocal",
			"local 3, local 3, nonlocal 0/8, nonlocal"},
		{weak, Options{Quality: Fast}, "local 6, local 3, guided, guided", ""},
		{weak, Options{}, "local 6, local 3, guided, nonlocal 8/6, coarse, nonlocal 8", ""},
		{weak, Options{Quality: Best}, "local 2, local 2, nonlocal 0/4, coarse, nonlocal, nonlocal",
			"local 3, local 3, nonlocal 0/8, nonlocal"},
		{weak, Options{Stride: 4}, "local 4, local 4, guided, nonlocal 8/6, coarse, nonlocal 8", ""},
		{broad, Options{Quality: Fast}, "local 6, local 3, guided", ""},
		{broad, Options{}, "local 6, local 3, nonlocal 6, coarse, nonlocal 6, guided",
			"local 6, local 2, coarse(local 6, local 3, nonlocal 6, nonlocal 6)"},
		{broad, Options{Quality: Best}, "local 2, local 2, nonlocal 0/4, coarse, nonlocal, nonlocal, guided",
			"local 3, local 3, nonlocal 0/8, coarse, nonlocal"},
		{white, Options{Models: local}, "local 6, local 2", "local 6, local 2"},
		{broad, Options{Models: local}, "local 6, local 2, guided", "local 6, local 2"},
	} {
		plan := c.n.planFor(3, c.o)
		if c.n == weak { // as if no network were for its level
			plan = plans[whiteNoise][c.o.Quality]
			if c.o.Stride > 0 {
				plan.luma.local = plan.luma.local.all(c.o.Stride)
			}
		}
		choose := c.n.chooseFor(plan, 3, c.o)
		for i, want := range []string{c.luma, c.chroma, c.chroma} {
			p := must.Get(choose(i))(t)
			if got := describe(p.steps); got != want {
				t.Errorf("%v, quality %v, models %v, plane %d: %q runs, not %q", c.n, c.o.Quality, c.o.Models, i, got,
					want)
			}
			if c.n == white && (p.network > 0) != (i == 0 && c.o.Models.single == nil && c.o.Models.name == "" ||
				c.o.Quality == Fast) {
				t.Errorf("quality %v, plane %d: the network has %g", c.o.Quality, i, p.network)
			}
		}
	}
}
