package view

import (
	"context"
	"errors"
	"time"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// saveJob is a file to save.
type saveJob struct {
	file    int
	options denoise.Options
	replace bool
}

// accept appends files to those that are saved one after the other. It refuses them if more would wait than there are
// files.
func (s *server) accept(jobs []saveJob) bool {
	s.mu.Lock()
	if s.saving+len(jobs) > len(s.files()) {
		s.mu.Unlock()
		return false
	}
	s.waiting = append(s.waiting, jobs...)
	s.saving += len(jobs)
	if s.cancelPart != nil && s.running.rest {
		s.cancelPart()
	}
	start := !s.saver
	s.saver = true
	if start {
		s.saves.Add(1)
	}
	s.mu.Unlock()
	for _, j := range jobs {
		s.hub.send(saveEvent{Kind: "save", File: j.file, State: "waiting"})
	}
	if start {
		go s.saveAll()
	}
	return true
}

// saveAll saves the files that wait.
func (s *server) saveAll() {
	defer s.saves.Done()
	for {
		s.mu.Lock()
		if len(s.waiting) == 0 {
			s.saver = false
			s.mu.Unlock()
			s.poke()
			return
		}
		j := s.waiting[0]
		s.waiting = s.waiting[1:]
		ctx, cancel := context.WithCancel(s.ctx)
		s.cancelSave = cancel
		s.mu.Unlock()
		s.hub.send(s.save(ctx, j))
		cancel()
		s.mu.Lock()
		s.saving--
		s.mu.Unlock()
	}
}

// save saves a file and returns the event that says how that went.
func (s *server) save(ctx context.Context, j saveJob) saveEvent {
	e := saveEvent{Kind: "save", File: j.file, State: "working"}
	s.hub.send(e)
	var last time.Time
	j.options.Progress = func(share float64) {
		if now := time.Now(); now.Sub(last) > 200*time.Millisecond {
			last = now
			s.hub.send(saveEvent{Kind: "save", File: j.file, State: "working", Share: share})
		}
	}
	text, err := s.c.Save(ctx, j.file, j.options, j.replace)
	switch {
	case errors.Is(err, context.Canceled):
		e.State = "cancelled"
	case err != nil:
		e.State, e.Message = "failed", err.Error()
	default:
		e.State, e.Message, e.Share = "done", text, 1
	}
	return e
}

// cancelSaves stops the file that is being saved, of which nothing is left, and drops those that wait.
func (s *server) cancelSaves() {
	s.mu.Lock()
	dropped := s.waiting
	s.waiting = nil
	s.saving -= len(dropped)
	if s.cancelSave != nil {
		s.cancelSave()
	}
	s.mu.Unlock()
	for _, j := range dropped {
		s.hub.send(saveEvent{Kind: "save", File: j.file, State: "cancelled"})
	}
}
