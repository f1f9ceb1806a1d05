package batch

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func jobsOf(pixels ...int64) []Job {
	var jobs []Job
	for i, p := range pixels {
		jobs = append(jobs, Job{Item{Input: Input{Path: fmt.Sprint(i)}},
			Size{Width: p, Height: 1, Memory: 16<<20 + 50*p}})
	}
	return jobs
}

// Whatever the jobs: each is done once, the limits hold, and only a file that is too large for them runs alone.
func TestRunKeepsTheLimits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		jobs := jobsOf(rapid.SliceOfN(rapid.Int64Range(0, 1<<24), 0, 60).Draw(rt, "pixels")...)
		l := Limits{Jobs: rapid.IntRange(1, 5).Draw(rt, "jobs"), Workers: rapid.IntRange(1, 5).Draw(rt, "workers"),
			Memory: rapid.Int64Range(1, 1<<30).Draw(rt, "memory")}
		var mu sync.Mutex
		running, memory, seen := 0, int64(0), map[string]int{}
		Run(context.Background(), jobs, l, func(_ context.Context, j Job, workers int) int {
			mu.Lock()
			running, memory = running+1, memory+j.Size.Memory
			if running > l.Jobs || running > 1 && memory > l.Memory || workers < 1 || workers > l.Workers {
				rt.Errorf("%d running with %d bytes and %d workers", running, memory, workers)
			}
			mu.Unlock()
			mu.Lock()
			running, memory = running-1, memory-j.Size.Memory
			mu.Unlock()
			return workers
		}, func(j Job, _ int) { seen[j.Path]++ })
		for _, j := range jobs {
			if seen[j.Path] != 1 {
				rt.Errorf("job %s done %d times", j.Path, seen[j.Path])
			}
		}
	})
}

func TestWorkersAndOrder(t *testing.T) {
	const large = 60_000_000
	l := Limits{Jobs: 2, Workers: 2, Memory: 2 << 30}
	var order []string
	workers := map[string]int{}
	Run(context.Background(), jobsOf(100, 200, large, 150, 1000), Limits{1, 2, l.Memory},
		func(_ context.Context, _ Job, w int) int { return w },
		func(j Job, w int) { order = append(order, j.Path); workers[j.Path] = w })
	if !slices.Equal(order, []string{"2", "0", "1", "3", "4"}) {
		t.Errorf("order %v", order)
	}
	small := jobsOf(1000)[0]
	for _, test := range []struct {
		l     Limits
		j     Job
		left  int
		wants int
	}{
		{l, small, 10, 1}, {l, small, 1, 2}, {l, jobsOf(large)[0], 10, 2}, {Limits{2, 8, 1 << 40}, small, 10, 4},
		{Limits{8, 2, 1 << 40}, small, 10, 1}, {Limits{1, 4, 1 << 40}, small, 10, 4},
	} {
		if got := test.l.workers(test.j, test.left); got != test.wants {
			t.Errorf("%+v with %d left: %d workers, want %d", test.l, test.left, got, test.wants)
		}
	}
}

func TestRunStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	done := 0
	Run(ctx, jobsOf(make([]int64, 100)...), Limits{2, 2, 1 << 40}, func(context.Context, Job, int) int { return 0 },
		func(Job, int) {
			if done++; done == 5 {
				cancel()
			}
		})
	if done < 5 || done > 7 {
		t.Errorf("%d done", done)
	}
}
