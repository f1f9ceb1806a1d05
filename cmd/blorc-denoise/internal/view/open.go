package view

import (
	"context"
	"fmt"
	goimage "image"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/words"
	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// asked is what a run is for.
type asked struct {
	file, page int
	settings   settings
}

// begin starts a new run and returns its number. The picture is read and its noise measured meanwhile. If the run
// before is the same, it goes on, and what it has told is told again.
func (s *server) begin(file, page int, chosen settings, o denoise.Options) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	ask := asked{file, page, chosen.run()}
	if s.last != nil && *s.last == ask {
		id := s.runs
		s.work.Go(func() { s.retell(id) })
		return s.runs
	}
	s.stopRun()
	s.runs++
	s.last = &ask
	id := s.runs
	ctx, cancel := context.WithCancel(s.ctx)
	s.cancelOpen = cancel
	s.work.Go(func() {
		defer cancel()
		s.opening.Lock() // one picture is read at a time
		defer s.opening.Unlock()
		err := s.open(ctx, id, ask, o)
		if err == nil || ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		if s.runs == id {
			s.last = nil // it may be tried again
		}
		s.mu.Unlock()
		s.hub.send(failEvent{"failed", id, err.Error()})
	})
	return id
}

// retell sends the events of the current run again, for a page that was not there.
func (s *server) retell(id int) {
	s.mu.Lock()
	r := s.run
	if r == nil || r.id != id {
		s.mu.Unlock()
		return
	}
	events := []any{r.pictureEvent(false)}
	if r.analysis != nil {
		events = append(events, r.noiseEvent(), s.progress(),
			chartEvent{"histogram", id, r.histogram().SVG()})
	}
	if r.curveSVG != "" {
		events = append(events, chartEvent{"curve", id, r.curveSVG})
	}
	s.mu.Unlock()
	for _, e := range events {
		s.hub.send(e)
	}
}

func (r *run) pictureEvent(same bool) pictureEvent {
	p := r.picture
	return pictureEvent{"picture", r.id, p.file, p.page, p.pages, p.size.X, p.size.Y, about(p), p.planes == 3,
		same}
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

func (s *server) open(ctx context.Context, id int, ask asked, o denoise.Options) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p, err := s.load(ask.file, ask.page)
	if err != nil {
		return err
	}
	r := newRun(id, p, ask.settings, o, s.c.Read.White)
	s.mu.Lock()
	if s.runs != id {
		s.mu.Unlock()
		return nil
	}
	old := s.run
	s.run = r
	s.mu.Unlock()
	same := old != nil && old.picture == p
	if !same {
		s.lookAtMiddle(p)
	}
	s.hub.send(r.pictureEvent(same))
	all := denoise.FileOptions{Options: o, Read: s.c.Read}
	var seen denoise.Result
	looked := false
	if !same {
		seen, looked = s.firstLook(ctx, r, all)
	}
	a, err := p.analyse(ctx, r.settings, all)
	if err != nil {
		return err
	}
	s.mu.Lock()
	r.analysis = a
	if looked && !alike(seen, a.Result()) {
		r.first, r.guess = goimage.Rectangle{}, nil
	}
	if same && old.analysis == a {
		r.takeOver(old)
	}
	e := r.noiseEvent()
	s.mu.Unlock()
	s.hub.send(e)
	s.poke()
	return nil
}

// lookAtMiddle takes the middle of a picture for what is visible, until the page says what is.
func (s *server) lookAtMiddle(p *picture) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.visible.Size()
	if size.X == 0 || size.Y == 0 {
		size = goimage.Pt(1100, 850) // on a screen of usual size
	}
	middle := p.bounds().Max.Sub(size).Div(2)
	s.visible = goimage.Rectangle{Min: middle, Max: middle.Add(size)}.Intersect(p.bounds())
}

// load reads a picture, unless it is one of those that are kept: the one that is shown, and the next.
func (s *server) load(file, page int) (*picture, error) {
	s.mu.Lock()
	for _, p := range s.pictures {
		if p.file == file && p.page == page {
			s.pictures = []*picture{p}
			s.mu.Unlock()
			return p, nil
		}
	}
	s.pictures, s.run = nil, nil // one at a time may be very large
	s.mu.Unlock()
	p, err := s.read(file, page)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.pictures = []*picture{p}
	s.mu.Unlock()
	return p, nil
}

func (s *server) read(file, page int) (*picture, error) {
	reader, err := s.c.Open(file)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	if page >= reader.Pages() {
		return nil, fmt.Errorf("there are %d pages only", reader.Pages())
	}
	s.prepareFor(reader.Info())
	img, err := reader.Page(page)
	if err != nil {
		return nil, err
	}
	return newPicture(file, page, reader.Pages(), img), nil
}

// maxAhead is the number of pixels of the largest picture besides which the next one is read ahead.
const maxAhead = 40_000_000

// readAhead reads the next file and measures its noise, so that it will be shown at once.
func (s *server) readAhead(r *run) {
	s.opening.Lock()
	defer s.opening.Unlock()
	now := r.picture
	next := (now.file + 1) % len(s.files())
	s.mu.Lock()
	wanted := s.run == r && len(s.pictures) == 1 && next != now.file && now.size.X*now.size.Y <= maxAhead
	s.mu.Unlock()
	if !wanted {
		return
	}
	p, err := s.read(next, 0)
	if err != nil || p.size.X*p.size.Y > maxAhead {
		return // the error comes when it is shown
	}
	first := settingsOf(s.c.Options)
	if _, err := p.analyse(s.ctx, first.run(), denoise.FileOptions{Options: s.c.Options, Read: s.c.Read}); err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pictures) == 1 && s.pictures[0] == now {
		s.pictures = append(s.pictures, p)
	}
}

// analyse measures the noise for the choice of a run, unless that was done before.
func (p *picture) analyse(ctx context.Context, key settings, o denoise.FileOptions) (*denoise.Analysis, error) {
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

func (r *run) noiseEvent() noiseEvent {
	found := r.analysis.Result()
	e := noiseEvent{Kind: "noise", Run: r.id, Text: words.Of(found), Found: found.Estimated, Noise: found.Noise,
		Sigma: found.Sigma, Photons: found.Photons, Unchanged: found.Noise == denoise.None}
	given := r.options.Profile != nil || r.options.Sigma > 0 || r.options.Photons != denoise.PhotonNoise{}
	if e.Told = r.picture.raw != nil && !given && !e.Found; e.Told {
		e.Text = found.String()
	}
	if e.Unchanged && len(found.Warnings) > 0 {
		e.Why = found.Warnings[0]
	}
	return e
}

// about describes a picture in a line.
func about(p *picture) string {
	img := p.img
	parts := []string{fmt.Sprintf("%d × %d", p.size.X, p.size.Y), fmt.Sprintf("%v %v", img.Depth, img.Format)}
	if p.raw != nil {
		parts = append(parts, "raw")
	}
	switch p.planes {
	case 1:
		parts = append(parts, "gray")
	case 4:
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
