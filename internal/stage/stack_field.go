package stage

import (
	"context"
	"errors"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel/scan"
	"github.com/blorc-denoise/blorc-denoise/internal/series"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// field holds pages of a stack at one place: the next reference page and those around it. Their planes lie above each
// other in one plane, the slots, so that a corner says a page, too. Page q is in slot q modulo the number of slots.
type field struct {
	stack         *Stack
	at            passAt
	slots         int
	width, height int
	matching      patchify.Plane // what is compared, in all slots
	quarter       [][]float32    // the same, reduced by quarterSide
	noise         [][]float32    // what the pilots leave, on some rows
	visits        []*visit       // for each slot
	reference     int            // number of the page that is next
	last          int            // number of the last page that came
}

// visit is a page in a field.
type visit struct {
	ctx    context.Context // of the page
	number int
	o      Options
	grid   patchify.Grid // of its references
	copies map[int]bool  // numbers of earlier pages that have the same noise
	others map[int]bool  // and of those that show something else
	taken  bool          // it has its result
	shape  shape
	step   []series.Level // that lead from its planes to those of the page before; see shape
	levels []series.Level // that have led from its planes, as it came, to those in the field

	passes []*NonLocal      // for each plane
	groups *patchify.Groups // of the page's own patches
	own    float32          // see Page.Own
	alone  bool             // there are no pages near it
	mean   Mean             // the result of a field of means
}

func newField(s *Stack, at passAt, width, height int) field {
	slots := 2*s.reach + 1
	f := field{stack: s, at: at, slots: slots, width: width, height: height, visits: make([]*visit, slots),
		quarter: make([][]float32, slots), noise: make([][]float32, slots), last: -1}
	f.matching = f.tall()
	return f
}

// tall returns a plane of all slots.
func (f *field) tall() patchify.Plane { return patchify.NewPlane(f.width, f.slots*f.height) }

// slot returns the part of a tall plane that belongs to a page.
func (f *field) slot(p patchify.Plane, number int) patchify.Plane {
	n := f.width * f.height
	return patchify.Plane{Width: f.width, Height: f.height, Pix: p.Pix[number%f.slots*n:][:n]}
}

// base is the corner of the first sample of a page.
func (f *field) base(number int) int32 { return int32(number % f.slots * f.width * f.height) }

// errOrder is a fault of a Stack.
var errOrder = errors.New("pages of a series came in another order")

// enter adds a page. Pages come in order.
func (f *field) enter(v *visit, number int) error {
	old := f.visits[number%f.slots]
	if number <= f.last || old != nil && f.needs(old) {
		return errOrder
	}
	v.number, f.last = number, number
	f.visits[number%f.slots] = v
	return nil
}

// visit returns the visit of a page, or nil if it is not there.
func (f *field) visit(number int) *visit {
	if number < 0 {
		return nil
	}
	if v := f.visits[number%f.slots]; v != nil && v.number == number {
		return v
	}
	return nil
}

// needs reports whether other pages will still take patches from a visit, or it has not got its result.
func (f *field) needs(v *visit) bool {
	return !v.taken && f.stack.alive(v.number) || f.reference <= v.number
}

// empty reports whether no page needs the field.
func (f *field) empty() bool {
	for _, v := range f.visits {
		if v != nil && f.needs(v) {
			return false
		}
	}
	return true
}

// ready reports whether all neighbours of the reference page are there. It leaves out pages that do not come.
func (f *field) ready() bool {
	for f.reference <= f.last && f.visit(f.reference) == nil && !f.stack.mayCome(f.reference, f.at) {
		f.reference++
	}
	if f.visit(f.reference) == nil {
		return false
	}
	for q := f.reference + 1; q <= f.reference+f.stack.reach; q++ {
		if f.visit(q) == nil && f.stack.mayCome(q, f.at) {
			return false
		}
	}
	return true
}

// hasNeighbours reports whether there are pages near one.
func (f *field) hasNeighbours(number int) bool {
	for q := number - f.stack.reach; q <= number+f.stack.reach; q++ {
		if q != number && f.visit(q) != nil {
			return true
		}
	}
	return false
}

// maxShared is how much the noise of two pages may be correlated. Pages that share it are copies, as of frames that
// were shown twice, and tell nothing about each other.
const maxShared = 0.5

// compare finds the earlier pages that have the noise of a page, and those that show something else. The pilot is an
// estimate of the plane.
func (f *field) compare(v *visit, noisy, pilot patchify.Plane) {
	slot := v.number % f.slots
	f.quarter[slot] = quarterOf(f.quarter[slot], f.slot(f.matching, v.number))
	f.noise[slot] = noiseOf(f.noise[slot], noisy, pilot)
	v.copies, v.others = map[int]bool{}, map[int]bool{}
	for q := max(0, v.number-f.stack.reach); q < v.number; q++ {
		if f.visit(q) != nil && !sameScene(f.reduced(v.number), f.reduced(q)) {
			v.others[q] = true
		}
	}
	for q := max(0, v.number-2*f.stack.reach); q < v.number; q++ {
		if f.visit(q) != nil && sharedNoise(f.noise[q%f.slots], f.noise[slot]) > maxShared {
			v.copies[q] = true
		}
	}
}

// noiseOf writes what a pilot leaves of a plane, on some rows, to dst.
func noiseOf(dst []float32, noisy, pilot patchify.Plane) []float32 {
	const step = 4
	dst = dst[:0]
	for y := 0; y < noisy.Height; y += step {
		p := pilot.Row(y)
		for x, s := range noisy.Row(y) {
			dst = append(dst, s-p[x])
		}
	}
	return dst
}

// sharedNoise returns the correlation of the noise of two pages.
func sharedNoise(a, b []float32) float64 {
	var both, squareA, squareB float64
	for i, d := range a {
		e := b[i]
		both += float64(d * e)
		squareA += float64(d * d)
		squareB += float64(e * e)
	}
	if !(squareA > 0 && squareB > 0) {
		return 1
	}
	return both / math.Sqrt(squareA*squareB)
}

// areCopies reports whether two pages have the same noise.
func (f *field) areCopies(a, b int) bool { return f.visit(max(a, b)).copies[min(a, b)] }

// related reports whether two pages show the same scene.
func (f *field) related(a, b int) bool { return !f.visit(max(a, b)).others[min(a, b)] }

// Two reduced pages show the same scene if the squares of their differences along the motion have a mean of at most
// surelySame, in variances of the noise, or at most maxOther times what unrelated pages of their contrast would have.
const surelySame, maxOther = 0.1, 0.25

func sameScene(a, b scan.Plane) bool {
	different, contrast := compareScenes(a, b)
	return different <= max(surelySame, maxOther*contrast)
}

// SameScene reports whether two planes of one size surely show the same scene, perhaps moved. The unit of their noise
// does not matter.
func SameScene(a, b patchify.Plane) bool {
	reduced := func(p patchify.Plane) scan.Plane {
		return scan.Plane{Width: p.Width / quarterSide, Height: p.Height / quarterSide, Pix: quarterOf(nil, p)}
	}
	different, contrast := compareScenes(reduced(a), reduced(b))
	return contrast > 0 && different <= maxOther*contrast
}

// compareScenes returns the mean of the squares of the differences along the motion, and that of unrelated planes of
// the same contrast.
func compareScenes(a, b scan.Plane) (different, contrast float64) {
	const step = 2 * nonLocalPatch
	sum, count := 0.0, 0
	search := scan.NewAcross(nonLocalPatch, 1, motionReach)
	for y := 0; y+nonLocalPatch <= a.Height; y += step {
		for x := 0; x+nonLocalPatch <= a.Width; x += step {
			search.Open(a, x, y, []int{0}, []int{0})
			search.Begin(0)
			search.Against(b, 0, 0)
			for _, o := range motionOffsets {
				search.Scan(o.x, o.y, 0)
			}
			if to := search.List(0)[0]; to >= 0 {
				sum += float64(scanDistance(a, b, int32(y*a.Width+x), to))
				count += nonLocalPatch * nonLocalPatch
			}
		}
	}
	if count == 0 {
		return math.Inf(1), 0
	}
	return sum / float64(count), variance(a.Pix) + variance(b.Pix)
}

func variance(v []float32) float64 {
	var sum, squares float64
	for _, x := range v {
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	n := float64(max(1, len(v)))
	return max(0, squares/n-sum/n*sum/n)
}

// reduced returns the reduced plane of a page.
func (f *field) reduced(number int) scan.Plane {
	return scan.Plane{Width: f.width / quarterSide, Height: f.height / quarterSide, Pix: f.quarter[number%f.slots]}
}

// quarterOf writes the means of squares of a plane to dst.
func quarterOf(dst []float32, p patchify.Plane) []float32 {
	width, height := p.Width/quarterSide, p.Height/quarterSide
	if cap(dst) < width*height {
		dst = make([]float32, width*height)
	}
	dst = dst[:width*height]
	for y := range height {
		for x := range width {
			sum := float32(0)
			for j := range quarterSide {
				for _, v := range p.Row(y*quarterSide + j)[x*quarterSide:][:quarterSide] {
					sum += v
				}
			}
			dst[y*width+x] = sum / (quarterSide * quarterSide)
		}
	}
	return dst
}
