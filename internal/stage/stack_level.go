package stage

import (
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel/scan"
	"github.com/blorc-denoise/blorc-denoise/internal/series"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Pages of a scene may differ in brightness: a lamp flickers, a dye bleaches. In a field, all pages have the brightness
// of the reference page. When a page is taken from the field, it gets its own back.

const (
	// minLevelChange is the least mean square of the change of samples, in variances of the noise, that counts as a
	// change of brightness.
	minLevelChange = 0.001
	// surelyChanged is how many times its own variance that mean square must have, if each quarter of a block counts as
	// one sample.
	surelyChanged = 9 / 4.
	// levelRounds is how often the motion is searched for and the brightness fitted.
	levelRounds = 2
	// levelStep is the distance of samples that are compared.
	levelStep = 5
)

// shape is a page as it came, reduced by quarterSide: what is compared, and the planes of the field.
type shape [][]float32

// level finds how bright a page is beside the pages of the field, and gives it their brightness. What is compared comes
// first of its planes, in units of its noise. Brighten changes the planes of a page that are not compared.
func (f *field) level(v *visit, planes []patchify.Plane, brighten brightener) {
	for _, p := range planes {
		v.shape = append(v.shape, quarterOf(nil, p))
	}
	same := slices.Repeat([]series.Level{series.Same}, len(planes))
	v.step, v.levels = same, same
	if before := f.before(v.number); before != nil {
		if step := f.change(v.shape, before.shape); step != nil {
			v.step = step
		}
	}
	f.likeReference(brighten)
}

// before returns the last page before one, or nil if none is near.
func (f *field) before(number int) *visit {
	for q := number - 1; q >= number-f.stack.reach; q-- {
		if v := f.visit(q); v != nil {
			return v
		}
	}
	return nil
}

// change returns the levels that lead from the planes of a page to those of another, or nil if it is as bright or shows
// something else.
func (f *field) change(from, to shape) []series.Level {
	width, height := f.width/quarterSide, f.height/quarterSide
	if min(width, height) < nonLocalPatch {
		return nil
	}
	l := series.Moments(from[0], to[0])
	var pairs placePairs
	for range levelRounds {
		moved := slices.Clone(from[0])
		l.Apply(moved)
		pairs = pairsAlong(scan.Plane{Width: width, Height: height, Pix: moved},
			scan.Plane{Width: width, Height: height, Pix: to[0]})
		if len(pairs.from) == 0 {
			return nil
		}
		var rest float64
		if l, rest = pairs.fit(from[0], to[0]); !f.surely(l, rest, from[0], to[0], pairs.blocks) {
			return nil
		}
	}
	levels := []series.Level{l}
	for i := range from[1:] {
		l, _ := pairs.fit(from[1+i], to[1+i])
		levels = append(levels, l)
	}
	return levels
}

// surely reports whether a level that leaves some squares leads from a page to another of its scene, and is not one.
func (f *field) surely(l series.Level, rest float64, from, to []float32, blocks int) bool {
	if rest > max(surelySame, maxOther*(variance(from)+variance(to))) {
		return false
	}
	change := 0.0
	for _, v := range from {
		d := float64(l.Of(v) - v)
		change += d * d
	}
	return change/float64(len(from)) > max(minLevelChange, surelyChanged*rest/float64(blocks))
}

// placePairs are places in two planes that show the same.
type placePairs struct {
	from, to []int32
	blocks   int // that they lie in
}

// pairsAlong returns places in the blocks of a plane, and where they are in another one.
func pairsAlong(a, b scan.Plane) (p placePairs) {
	search := scan.NewAcross(nonLocalPatch, 1, motionReach)
	for y := 0; y+nonLocalPatch <= a.Height; y += nonLocalPatch {
		for x := 0; x+nonLocalPatch <= a.Width; x += nonLocalPatch {
			search.Open(a, x, y, []int{0}, []int{0})
			search.Begin(0)
			search.Against(b, 0, 0)
			for _, o := range motionOffsets {
				search.Scan(o.x, o.y, memberJump*float32(o.x*o.x+o.y*o.y))
			}
			to := search.List(0)[0]
			if to < 0 {
				continue
			}
			p.blocks++
			for i := 0; i < nonLocalPatch*nonLocalPatch; i += levelStep {
				at := int32(i/nonLocalPatch*a.Width + i%nonLocalPatch)
				p.from, p.to = append(p.from, int32(y*a.Width+x)+at), append(p.to, to+at)
			}
		}
	}
	return p
}

func (p placePairs) fit(from, to []float32) (series.Level, float64) {
	x, y := make([]float32, len(p.from)), make([]float32, len(p.from))
	for i, at := range p.from {
		x[i], y[i] = from[at], to[p.to[i]]
	}
	return series.Fit(x, y)
}

// brightener changes the planes of a page.
type brightener func(number int, levels []series.Level)

// likeReference gives all pages the brightness of the reference page. The levels follow from the steps of near pages
// alone, so that what rounding does to a page does not depend on how long the series is.
func (f *field) likeReference(brighten brightener) {
	at := f.reference
	for f.visit(at) == nil { // it does not come
		if at++; at > f.last {
			return
		}
	}
	reference := f.visit(at)
	f.brighten(reference, sameLevels(reference.step), brighten)
	levels := reference.levels
	for q := at + 1; q <= f.last; q++ {
		if v := f.visit(q); v != nil {
			levels = afterEach(levels, v.step)
			f.brighten(v, levels, brighten)
		}
	}
	levels = reference.levels
	for v := reference; ; {
		back := inverses(v.step)
		if v = f.before(v.number); v == nil || v.number < at-f.stack.reach {
			return
		}
		levels = afterEach(levels, back)
		f.brighten(v, levels, brighten)
	}
}

func sameLevels(as []series.Level) []series.Level {
	return slices.Repeat([]series.Level{series.Same}, len(as))
}

// brighten changes the planes of a page to the levels.
func (f *field) brighten(v *visit, levels []series.Level, brighten brightener) {
	if slices.Equal(v.levels, levels) {
		return
	}
	change := afterEach(levels, inverses(v.levels))
	change[0].Apply(f.slot(f.matching, v.number).Pix)
	change[0].Apply(f.quarter[v.number%f.slots])
	brighten(v.number, change)
	v.levels = levels
}

func afterEach(last, first []series.Level) (both []series.Level) {
	for i, l := range last {
		both = append(both, l.After(first[i]))
	}
	return both
}

func inverses(levels []series.Level) (back []series.Level) {
	for _, l := range levels {
		back = append(back, l.Inverse())
	}
	return back
}
