package denoise

import (
	"math"
	"slices"
)

// A tinted picture, such as a sepia print, is a gray one with a colour for each gray level: each plane is a function of
// one of them. It has the noise of a gray picture.

// tone has the mean sample of a plane for each gray level of another one, the lead.
type tone []float32

// tint gives the planes of a picture as functions of one of them.
type tint struct {
	lead  int
	tones [3]tone // that of the lead is nil
}

const (
	minOfLevel = 8    // samples for a gray level of the lead, on average: with fewer, anything is a function of it
	someTinted = 4096 // samples of the first, quick test
)

// tintOf finds out whether three planes of 8 or 16 bits are functions of one of them, except for rounding.
func tintOf(planes [][]float32) (tint, bool) {
	if len(planes) != 3 || len(planes[0]) == 0 {
		return tint{}, false
	}
	size := len(planes[0])
	some := make([][]float32, len(planes))
	for c, p := range planes {
		for i := 0; i < size; i += size/someTinted + 1 {
			some[c] = append(some[c], p[i])
		}
	}
	lead := widest(some)
	for _, most := range []int{255, 65535} {
		if _, ok := tonesOf(some, lead, most); !ok {
			continue
		}
		if t, ok := tonesOf(planes, lead, most); ok && t.levels*minOfLevel <= size {
			return t.tint, true
		}
	}
	return tint{}, false
}

// widest returns the number of the plane with the largest range, which has the most gray levels.
func widest(planes [][]float32) int {
	best, span := 0, float32(-1)
	for i, p := range planes {
		if r := slices.Max(p) - slices.Min(p); r > span {
			best, span = i, r
		}
	}
	return best
}

// tones are a tint and the number of gray levels of the lead.
type tones struct {
	tint
	levels int
}

// tonesOf is false if a plane is no rising function of the lead, or if there are samples that are no integers from 0 to
// most.
func tonesOf(planes [][]float32, lead, most int) (tones, bool) {
	t := tones{tint: tint{lead: lead}}
	for c, p := range planes {
		if c == lead {
			continue
		}
		low, high := make([]uint16, most+1), make([]uint16, most+1)
		sums, counts := make([]float64, most+1), make([]int, most+1)
		for i, v := range p {
			at, ok := levelOf(planes[lead][i], most)
			level, fits := levelOf(v, most)
			if !ok || !fits {
				return tones{}, false
			}
			if l := uint16(level); counts[at] == 0 {
				low[at], high[at] = l, l
			} else {
				low[at], high[at] = min(low[at], l), max(high[at], l)
			}
			if high[at]-low[at] > 1 {
				return tones{}, false
			}
			sums[at] += float64(level)
			counts[at]++
		}
		var rises bool
		if t.tones[c], t.levels, rises = newTone(sums, counts); !rises {
			return tones{}, false
		}
	}
	return t, true
}

// levelOf returns a sample as an integer, if it is one.
func levelOf(v float32, most int) (int, bool) {
	level := math.Round(float64(v) * float64(most))
	return int(level), level >= 0 && level <= float64(most) && math.Abs(float64(v)*float64(most)-level) < 0.02
}

// newTone returns the means of gray levels, and interpolates for those without samples. It is false if they fall
// somewhere.
func newTone(sums []float64, counts []int) (t tone, levels int, rises bool) {
	t = make(tone, len(sums))
	last := -1
	for i, n := range counts {
		if n == 0 {
			continue
		}
		levels++
		t[i] = float32(sums[i] / float64(n) / float64(len(sums)-1))
		for j := last + 1; j < i; j++ {
			if t[j] = t[i]; last >= 0 {
				t[j] = t[last] + (t[i]-t[last])*float32(j-last)/float32(i-last)
			}
		}
		if last >= 0 && float64(t[i]-t[last])*float64(len(sums)-1) < -1 { // rounding
			return nil, 0, false
		}
		last = i
	}
	for j := last + 1; j < len(t); j++ {
		t[j] = t[max(last, 0)]
	}
	return t, levels, true
}

// at returns the sample that belongs to a sample of the lead.
func (t tone) at(v float32) float32 {
	x := max(0, min(v*float32(len(t)-1), float32(len(t)-1)))
	i := min(int(x), len(t)-2)
	return t[i] + (x-float32(i))*(t[i+1]-t[i])
}

// follow changes the planes as the lead changed. Before has the samples of the lead before its change.
func (t tint) follow(planes [][]float32, before []float32) {
	for c, tone := range t.tones {
		if tone == nil {
			continue
		}
		for i, v := range planes[t.lead] {
			if v != before[i] {
				planes[c][i] += tone.at(v) - tone.at(before[i])
			}
		}
	}
}
