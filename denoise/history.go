package denoise

import (
	"fmt"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// history returns what was done to an image, for the history of its file.
func (o Options) history(r Result, page *stage.Page) string {
	how := "given"
	if r.Estimated {
		how = "found"
	}
	rest, hot := "samples unchanged", []string{}
	if r.Hot > 0 {
		rest = fmt.Sprintf("hot pixels removed: %d", r.Hot)
		hot = append(hot, rest)
	}
	switch {
	case r.Noise == None && r.Estimated:
		return "no noise found, " + rest
	case r.Noise == None:
		return rest
	}
	parts := append([]string{fmt.Sprintf("%v (%s)", r, how)}, hot...)
	if r.Model == "" {
		return strings.Join(append(parts, "all of it kept"), "; ")
	}
	parts = append(parts, "removed with model "+r.Model, "quality "+o.Quality.String())
	add := func(name string, v, usual float64) {
		if v != usual {
			parts = append(parts, name+" "+short(v))
		}
	}
	add("strength", 1-o.Keep, 1)
	add("luma", 1-o.KeepLuma, 1)
	add("chroma", 1-o.KeepChroma, 1)
	add("grain", o.Grain, 0)
	if o.KeepMean {
		parts = append(parts, "mean kept")
	}
	if o.Wrap {
		parts = append(parts, "sides wrapped")
	}
	if o.Interlaced {
		parts = append(parts, "fields apart")
	}
	add("stride", float64(o.Stride), 0)
	if r.Shots > 1 {
		parts = append(parts, fmt.Sprintf("from the mean of %d shots", r.Shots))
	}
	if page.Joined() {
		parts = append(parts, fmt.Sprintf("together with pages up to %d away", page.Reach()))
	}
	return strings.Join(parts, "; ")
}
