package view

import (
	"context"
	"fmt"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// begin starts a new run and returns its number. The picture is read and its noise measured meanwhile.
func (s *server) begin(file, page int, chosen settings, o denoise.Options) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopRun()
	s.runs++
	id := s.runs
	ctx, cancel := context.WithCancel(s.ctx)
	s.cancelOpen = cancel
	go func() {
		defer cancel()
		s.opening.Lock() // one picture is read at a time
		defer s.opening.Unlock()
		if err := s.open(ctx, id, file, page, chosen, o); err != nil && ctx.Err() == nil {
			s.hub.send(failEvent{"failed", id, err.Error()})
		}
	}()
	return id
}

// stopRun cancels the work on the current run. The caller holds the lock.
func (s *server) stopRun() {
	if s.cancelOpen != nil {
		s.cancelOpen()
	}
	if s.cancelPart != nil {
		s.cancelPart()
	}
}

func (s *server) open(ctx context.Context, id, file, page int, chosen settings, o denoise.Options) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p, err := s.load(file, page)
	if err != nil {
		return err
	}
	r := newRun(id, p, chosen.run(), o, s.c.Read.White)
	s.mu.Lock()
	if s.runs != id {
		s.mu.Unlock()
		return nil
	}
	old := s.run
	s.run = r
	s.mu.Unlock()
	same := old != nil && old.picture == p
	img := p.img
	s.hub.send(pictureEvent{"picture", id, file, page, p.pages, img.Width, img.Height, about(p), len(img.Planes) == 3, same})
	a, err := p.analyse(ctx, r, denoise.FileOptions{Options: o, Read: s.c.Read})
	if err != nil {
		return err
	}
	s.mu.Lock()
	r.analysis = a
	if same && old.analysis == a {
		r.takeOver(old)
	}
	s.mu.Unlock()
	s.hub.send(noiseOf(id, a.Result()))
	s.poke()
	return nil
}

// load reads a picture, unless it is one of the last.
func (s *server) load(file, page int) (*picture, error) {
	s.mu.Lock()
	for i, p := range s.pictures {
		if p.file == file && p.page == page {
			s.pictures = append(append(s.pictures[:i:i], s.pictures[i+1:]...), p)
			s.mu.Unlock()
			return p, nil
		}
	}
	if s.run != nil && s.run.picture.file != file { // one picture at a time may be very large
		s.run = nil
	}
	s.pictures = nil
	s.mu.Unlock()
	reader, err := s.c.Open(file)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	if page >= reader.Pages() {
		return nil, fmt.Errorf("there are %d pages only", reader.Pages())
	}
	img, err := reader.Page(page)
	if err != nil {
		return nil, err
	}
	p := newPicture(file, page, reader.Pages(), img)
	s.mu.Lock()
	s.pictures = append(s.pictures, p)
	s.mu.Unlock()
	return p, nil
}

// analyse measures the noise for the choice of a run, unless that was done before.
func (p *picture) analyse(ctx context.Context, r *run, o denoise.FileOptions) (*denoise.Analysis, error) {
	key := r.settings
	key.Quality = 0
	p.mu.Lock()
	a := p.analyses[key]
	p.mu.Unlock()
	if a != nil {
		return a, nil
	}
	a, err := denoise.Analyse(ctx, p.img, o)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.analyses) >= maxAnalyses {
		clear(p.analyses)
	}
	p.analyses[key] = a
	return a, nil
}

// maxAnalyses is how many choices of noise are remembered for a picture.
const maxAnalyses = 64

func noiseOf(id int, r denoise.Result) noiseEvent {
	return noiseEvent{Kind: "noise", Run: id, Text: r.String(), Found: r.Estimated, Noise: r.Noise, Sigma: r.Sigma, Photons: r.Photons,
		Unchanged: r.Noise == denoise.None}
}

// about describes a picture in a line.
func about(p *picture) string {
	img := p.img
	parts := []string{fmt.Sprintf("%d × %d", img.Width, img.Height), fmt.Sprintf("%v %v", img.Depth, img.Format)}
	switch {
	case len(img.Planes) == 1:
		parts = append(parts, "gray")
	case len(img.Planes) == 4:
		parts = append(parts, "CMYK")
	}
	if img.Alpha != nil {
		parts = append(parts, "alpha")
	}
	if text := p.shown.String(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
