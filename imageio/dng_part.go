package imageio

import (
	"image"
	"slices"
)

// Part returns what the samples of a part of the plane mean, as a picture of their own. It has no previews.
func (m *Mosaic) Part(area image.Rectangle) *Mosaic {
	out := *m
	out.Active, out.Masked, out.previews = m.Active.Intersect(area).Sub(area.Min), nil, nil
	for _, r := range m.Masked {
		if r = r.Intersect(area).Sub(area.Min); !r.Empty() {
			out.Masked = append(out.Masked, r)
		}
	}
	if out.Active.Empty() {
		out.Active = image.Rectangle{}
		return &out
	}
	at := out.Active.Min.Add(area.Min).Sub(m.Active.Min)
	for y := range out.Colours {
		for x := range out.Colours[y] {
			out.Colours[y][x] = m.Colours[(y+at.Y)%mosaicColours][(x+at.X)%mosaicColours]
		}
	}
	out.black = m.black.from(at)
	return &out
}

// from returns the black level of the samples from a point on.
func (b blackLevel) from(at image.Point) blackLevel {
	rest := func(v []float64, n int) []float64 { return v[min(n, len(v)):] }
	out := blackLevel{columns: rest(b.columns, at.X), rows: rest(b.rows, at.Y)}
	for _, row := range turned(b.pattern, at.Y) {
		out.pattern = append(out.pattern, turned(row, at.X))
	}
	return out
}

// turned returns the values of a pattern that repeats, from number n on.
func turned[T any](pattern []T, n int) []T {
	n %= len(pattern)
	return slices.Concat(pattern[n:], pattern[:n])
}
