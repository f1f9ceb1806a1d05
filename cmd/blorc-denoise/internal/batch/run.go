package batch

import (
	"cmp"
	"context"
	"slices"
)

// Job is an item to do and its size.
type Job struct {
	Item
	Size Size
}

// Limits bound what runs at a time.
type Limits struct {
	Jobs    int   // files at the same time, at least 1
	Workers int   // processors for all of them together, at least 1
	Memory  int64 // bytes; a file that takes more runs alone
}

// Run does all jobs, as many at the same time as the limits allow. Large jobs come first; jobs of about the same size
// keep their order. Each job gets one worker, which wastes nothing. A job too large for another beside it gets all
// workers, and the last jobs share them. report is called with each result by the goroutine that called Run. When the
// context ends, no more jobs are begun, and Run returns after the running ones.
func Run[R any](ctx context.Context, jobs []Job, l Limits, do func(context.Context, Job, int) R, report func(Job, R)) {
	type result struct {
		job   Job
		value R
	}
	waiting := slices.Clone(jobs)
	slices.SortStableFunc(waiting, func(a, b Job) int { return cmp.Compare(b.Size.class(), a.Size.class()) })
	results := make(chan result)
	l.Jobs = min(l.Jobs, jobsThatOpen())
	running, memory := 0, int64(0)
	for {
		for running < l.Jobs && ctx.Err() == nil {
			i := slices.IndexFunc(waiting, func(j Job) bool { return running == 0 || memory+j.Size.Memory <= l.Memory })
			if i < 0 {
				break
			}
			job := waiting[i]
			workers := l.workers(job, running+len(waiting))
			if i == 0 { // nearly always; a delete would move all the others
				waiting = waiting[1:]
			} else {
				waiting = slices.Delete(waiting, i, i+1)
			}
			running, memory = running+1, memory+job.Size.Memory
			go func() { results <- result{job, do(ctx, job, workers)} }()
		}
		if running == 0 {
			return
		}
		r := <-results
		running, memory = running-1, memory-r.job.Size.Memory
		report(r.job, r.value)
	}
}

// workers returns how many workers a job gets if so many jobs are left, including the running ones.
func (l Limits) workers(j Job, left int) int {
	fit := min(l.Jobs, left)
	if m := j.Size.Memory; m > 0 {
		fit = min(fit, int(l.Memory/m))
	}
	fit = max(1, fit)
	return max(1, (l.Workers+fit-1)/fit)
}
