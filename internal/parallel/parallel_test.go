package parallel

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

func TestForCallsEachIndexOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7, 100} {
		const n = 57
		var calls [n]atomic.Int32
		var busy [100]atomic.Int32
		err := For(context.Background(), workers, n, func(w, i int) {
			if busy[w].Add(1) != 1 {
				t.Errorf("worker %d used twice at a time", w)
			}
			calls[i].Add(1)
			busy[w].Add(-1)
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range calls {
			if c := calls[i].Load(); c != 1 {
				t.Fatalf("%d workers: index %d called %d times", workers, i, c)
			}
		}
	}
}

func TestForStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	done := 0
	err := For(ctx, 1, 100, func(_, i int) {
		if done++; i == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || done != 4 {
		t.Fatalf("err %v after %d calls", err, done)
	}
}

// What comes after each piece of work runs in order, and a panic ends the waiting for it.
func TestInOrder(t *testing.T) {
	var list []int
	err := InOrder(context.Background(), 4, 50, func(_, _ int) {}, func(_, i int) { list = append(list, i) })
	if err != nil || len(list) != 50 || !slices.IsSorted(list) {
		t.Errorf("%v, %v", list, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = InOrder(ctx, 4, 50, func(_, _ int) {}, func(_, i int) {
		if i == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, at := range []int{0, 7, 49} {
		for _, workers := range []int{1, 4} {
			for part := range 2 {
				panics := func(p int) func(_, i int) {
					return func(_, i int) {
						if p == part && i == at {
							panic("a fault")
						}
					}
				}
				err := func() (err error) {
					defer crash.Catch(&err)
					return InOrder(context.Background(), workers, 50, panics(0), panics(1))
				}()
				if !errors.Is(err, &crash.Error{}) {
					t.Errorf("a panic at %d of %d workers: %v", at, workers, err)
				}
			}
		}
	}
}

func TestBandsAreAllRows(t *testing.T) {
	for _, width := range []int{0, 1, 700, 1 << 20} {
		for _, height := range []int{0, 1, 93, 94, 1000} {
			calls := make([]atomic.Int32, height)
			_ = Bands(context.Background(), 3, width, height, func(from, to int) {
				if to-from > 1 && (to-from)*width > bandSamples {
					t.Errorf("a band has %d rows of %d samples", to-from, width)
				}
				for y := from; y < to; y++ {
					calls[y].Add(1)
				}
			})
			for y := range calls {
				if c := calls[y].Load(); c != 1 {
					t.Fatalf("%d x %d: row %d is in %d bands", width, height, y, c)
				}
			}
		}
	}
}
