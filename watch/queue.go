package watch

import (
	"container/heap"
	"time"
)

// file is a file of the input folder that is not finished. All times are of the monotonic clock.
type file struct {
	name  string
	stamp Stamp
	first time.Time // when it was first seen
	due   time.Time // when it may be taken
	tries int       // failures in a row, for the pause before the next try
	place int       // in the queue; -1 while it is worked on
	newer *Stamp    // its stamp, if it was seen to change while it was worked on
	scan  uint32    // the last scan that saw it
	aside bool      // it was set aside and brought back: only a change of its content counts
}

// queue orders files by the time when they may be taken.
type queue []*file

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].due.Equal(q[j].due) {
		return q[i].name < q[j].name
	}
	return q[i].due.Before(q[j].due)
}
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}
func (q *queue) Push(x any) {
	f := x.(*file)
	f.place = len(*q)
	*q = append(*q, f)
}
func (q *queue) Pop() any {
	last := len(*q) - 1
	f := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	f.place = -1
	return f
}

// put sets when a file may be taken.
func (q *queue) put(f *file, due time.Time) {
	f.due = due
	if f.place >= 0 {
		heap.Fix(q, f.place)
	} else {
		heap.Push(q, f)
	}
}

func (q *queue) drop(f *file) {
	if f.place >= 0 {
		heap.Remove(q, f.place)
	}
}

// next returns the file that is due first, or nil.
func (q queue) next() *file {
	if len(q) == 0 {
		return nil
	}
	return q[0]
}

// minTried returns the file that has failed the fewest times among those that are due, and the latest one of equals.
// While outputs fail, few files are taken; those that fail must not hold up one that would not.
func (q queue) minTried(now time.Time) *file {
	best := q[0]
	for _, f := range q {
		if !f.due.After(now) && (f.tries < best.tries || f.tries == best.tries && f.due.After(best.due)) {
			best = f
		}
	}
	return best
}
