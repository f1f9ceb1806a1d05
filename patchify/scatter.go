package patchify

import (
	"context"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Scatter holds sums of weighted patches that lie anywhere near the reference patches of a band. It has the rows of the
// plane that such patches can reach. Rows start Pitch samples apart.
type Scatter struct {
	Numerator, Denominator []float32
	Pitch                  int
	width, top             int // of the plane, and its first row
}

// Index returns the index in Numerator and Denominator of the sample (x, y) of the plane, where corner is y*width+x.
func (s *Scatter) Index(corner int32) int32 {
	y := int32(uint32(corner) / uint32(s.width))
	return corner + y*int32(s.Pitch-s.width) - int32(s.top*s.Pitch)
}

// pitchOf returns the distance of the rows of sums for a plane, an odd number of cache lines. Otherwise, in a plane
// whose width is a multiple of 1024, the rows of a patch would compete for the same few lines of the first-level cache.
func pitchOf(width int) int {
	const line = 16
	return (width+line-1)/line*line | line
}

func (s *Scatter) reset(width, top, bottom int) {
	s.width, s.top, s.Pitch = width, top, pitchOf(width)
	n := (bottom - top) * s.Pitch
	s.Numerator, s.Denominator = zeros(s.Numerator, n), zeros(s.Denominator, n)
}

// addTo adds the sums to those of the plane.
func (s *Scatter) addTo(num, den []float32) {
	for at := 0; at < len(s.Numerator); at += s.Pitch {
		to := (s.top + at/s.Pitch) * s.width
		addTo(num[to:], s.Numerator[at:][:s.width])
		addTo(den[to:], s.Denominator[at:][:s.width])
	}
}

// GroupWork adds the groups of a band's reference patches to s, which starts at zero. For worker see Work.
type GroupWork func(worker int, b Band, s *Scatter)

// AggregateGroups overwrites dst with the weighted mean of the patches that work adds for each band of reference
// patches. The corners of the patches must be at most window samples away from those of their references, in x and in
// y. A sample without positive weights becomes 0. With workers < 1 there is one for each processor. The result does not
// depend on their number, because bands have Alignment(g.Stride) rows and are summed from top to bottom. It returns
// errors of the arguments and of the context.
func AggregateGroups(ctx context.Context, dst Plane, g Grid, window, workers int, work GroupWork) error {
	if err := g.checkCall(ctx, dst, work == nil); err != nil {
		return err
	}
	if window < 0 || window > MaxWindow {
		return badArgument("window %d is not in 0..%d", window, MaxWindow)
	}
	span := Alignment(g.Stride)
	bands := g.strips(span)
	workers = min(parallel.Workers(workers), len(bands))
	num, memory := dst.Pix, denominators.Get().(*[]float32)
	defer denominators.Put(memory)
	clear(num)
	*memory = zeros(*memory, len(num))
	den := *memory
	own := make([]*Scatter, workers)
	for i := range own {
		own[i] = scatters.Get().(*Scatter)
		defer scatters.Put(own[i])
	}
	err := parallel.InOrder(ctx, workers, len(bands), func(worker, i int) {
		top := max(0, bands[i].Grid.Ys[0]-window)
		bottom := min(dst.Height, bands[i].Grid.Ys[len(bands[i].Grid.Ys)-1]+window+g.PatchSize)
		s := own[worker]
		s.reset(dst.Width, top, bottom)
		work(worker, bands[i], s)
	}, func(worker, _ int) { own[worker].addTo(num, den) })
	if err != nil {
		return err
	}
	for i, d := range den {
		if d > 0 {
			num[i] /= d
		}
	}
	return nil
}

// Memory of sums is kept from call to call: that of bands, and that of whole planes.
var (
	scatters     = sync.Pool{New: func() any { return new(Scatter) }}
	denominators = sync.Pool{New: func() any { return new([]float32) }}
)

// strips cuts the grid into bands of span rows of the plane.
func (g Grid) strips(span int) []Band {
	var bands []Band
	for from := 0; from < len(g.Ys); {
		first := g.Ys[from] / span
		to := from
		for to < len(g.Ys) && g.Ys[to]/span == first {
			to++
		}
		bands = append(bands, Band{Grid{g.PatchSize, g.Stride, g.Xs, g.Ys[from:to]}, from * len(g.Xs), first, 1})
		from = to
	}
	return bands
}
