package main

import (
	"math"
	"time"
)

// remaining tells how long the rest of some work takes.
type remaining struct {
	started time.Time // of the models; zero while the noise is measured
	first   float64   // share that was done then
}

// after returns the seconds that are left when a share is done. The first call begins.
func (r *remaining) after(done float64, now time.Time) *float64 {
	if r.started.IsZero() {
		r.started, r.first = now, done
	}
	made := done - r.first
	if made <= 0 {
		return nil
	}
	left := math.Round(10*now.Sub(r.started).Seconds()*(1-done)/made) / 10
	return &left
}

// sequenceProgress is the progress of files that are denoised together. They wait for each other, so the time that one
// of them takes says nothing.
type sequenceProgress struct {
	all, ended int     // files; all is 0 if it is not known
	told       float64 // files that are done, with parts of them
	time       remaining
}

// left notes what was done of a file, and returns the seconds that all of them take yet, or nil if that is not known.
func (s *sequenceProgress) left(made float64, now time.Time) *float64 {
	if s.told += made; s.all == 0 {
		return nil
	}
	return s.time.after(min(1, s.told/float64(s.all)), now)
}

// begin makes the files that begin from now on the parts of a sequence: of so many, or of 0 if that is not known.
func (l *progressLines) begin(files int) {
	if l != nil {
		l.sequence = &sequenceProgress{all: files}
	}
}

// end makes the files that begin from now on files of their own.
func (l *progressLines) end() {
	if l != nil {
		l.sequence = nil
	}
}
