package patchify

import (
	"context"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Scatter sums weighted patches of groups whose members lie anywhere near the reference patches of a band. It holds rows
// Top up to the end of the plane's part that they can reach; all are Width samples wide.
type Scatter struct {
	Numerator, Denominator []float32
	Width, Top             int
}

// Offset is where the sample (x, y) of the plane, y*Width+x = corner, lies in Numerator and Denominator.
func (s *Scatter) Offset(corner int) int { return corner - s.Top*s.Width }

func (s *Scatter) reset(width, top, bottom int) {
	n := (bottom - top) * width
	s.Width, s.Top = width, top
	s.Numerator, s.Denominator = zeros(s.Numerator, n), zeros(s.Denominator, n)
}

// GroupWork adds the groups of a band's reference patches to s. Workers are numbered from 0.
type GroupWork func(worker int, b Band, s *Scatter)

// AggregateGroups overwrites dst with the weighted average of patches that work gives for each band of reference patches,
// which may lie up to window samples from them in x and y. A sample without a patch becomes 0. The result does not depend
// on workers: the bands are of Alignment(stride) rows and are summed from top to bottom.
func AggregateGroups(ctx context.Context, dst Plane, g Grid, window, workers int, work GroupWork) error {
	workers = parallel.Workers(workers)
	span := Alignment(g.Stride)
	bands := g.strips(span)
	num, den := dst.Pix, scatters.Get().(*Scatter)
	defer scatters.Put(den)
	clear(num)
	den.reset(dst.Width, 0, dst.Height)
	turn := newTurnstile()
	stop := context.AfterFunc(ctx, turn.open)
	defer stop()
	own := make([]*Scatter, workers)
	for i := range own {
		own[i] = scatters.Get().(*Scatter)
		defer scatters.Put(own[i])
	}
	err := parallel.For(ctx, workers, len(bands), func(worker, i int) {
		top := max(0, bands[i].Grid.Ys[0]-window)
		bottom := min(dst.Height, bands[i].Grid.Ys[len(bands[i].Grid.Ys)-1]+window+g.PatchSize)
		s := own[worker]
		s.reset(dst.Width, top, bottom)
		work(worker, bands[i], s)
		turn.pass(i, func() {
			addTo(num[top*dst.Width:], s.Numerator)
			addTo(den.Denominator[top*dst.Width:], s.Denominator)
		})
	})
	if err != nil {
		return err
	}
	for i, d := range den.Denominator {
		if d > 0 {
			num[i] /= d
		}
	}
	return nil
}

// scatters keeps the memory of sums from call to call.
var scatters = sync.Pool{New: func() any { return new(Scatter) }}

// strips cuts the grid into bands of span rows of samples.
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

// turnstile lets through 0, 1, 2, ... one by one, whoever comes first.
type turnstile struct {
	mu     sync.Mutex
	moved  *sync.Cond
	next   int
	opened bool
}

func newTurnstile() *turnstile {
	t := new(turnstile)
	t.moved = sync.NewCond(&t.mu)
	return t
}

func (t *turnstile) pass(i int, do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.next != i && !t.opened {
		t.moved.Wait()
	}
	if t.next == i {
		do()
		t.next++
		t.moved.Broadcast()
	}
}

// open lets everybody pass without doing anything: their turn may never come.
func (t *turnstile) open() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opened = true
	t.moved.Broadcast()
}
