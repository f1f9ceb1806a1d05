package stage

import (
	"context"
	"errors"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Stack denoises the pages of a series together: the groups of passes hold patches of neighbouring pages, too. Each
// page runs as if it were alone, with a Page in its Options. Where it comes to a pass, it waits until the pages after
// it have come there. One page runs at a time, so results depend on the pages alone.
//
// A page needs at most 2 x passes x reach pages after it. So many pages are begun before the first is done, and no
// more.
type Stack struct {
	reach int
	start func(i int) func(p *Page) // nil where there are no more pages
	pages []*Page                   // that have begun and are not done, in order
	begun int
	ended bool // no more pages begin
	err   error
	rings map[meetingAt]meeting
	event chan struct{} // a page waits or is done

	scratch Scratch
}

// DefaultReach is how many pages before and after a page its groups take patches from. More gain nothing.
const DefaultReach = 3

// NewStack returns a stack whose groups reach so many pages before and after. Start returns what runs page i, or nil if
// there are no more pages. What it returns is called in a goroutine of its own, and no two of them run at the same
// time.
func NewStack(reach int, start func(i int) func(p *Page)) *Stack {
	return &Stack{reach: reach, start: start, rings: map[meetingAt]meeting{}, event: make(chan struct{})}
}

// meeting is where pages wait for each other.
type meeting interface {
	ready() bool          // the next page has its neighbours
	next() error          // does the work for that page
	done(number int) bool // a page can get its result
	empty() bool          // no page needs it
}

// Page is a page of a Stack. The nil Page is alone.
type Page struct {
	stack  *Stack
	number int
	unit   int     // see Enter
	at     passAt  // the last pass that it came to
	due    meeting // what it waits for
	turn   chan struct{}
	own    float32 // see Own
	joined bool    // see Joined
}

// passAt is a pass of a part of the pages.
type passAt struct{ unit, pass int }

// meetingAt is where pages of one size and kind wait for each other.
type meetingAt struct {
	passAt
	width, height, planes int
}

// before reports whether a page comes to a before it comes to b.
func (a passAt) before(b passAt) bool { return a.unit < b.unit || a.unit == b.unit && a.pass < b.pass }

// Enter says which part of the page is denoised next. The parts of all pages have the same numbers, which rise.
func (p *Page) Enter(unit int) {
	if p != nil {
		p.unit, p.own = unit, 1
	}
}

// Own returns which share of the members of its groups came from the page itself in the last pass, beyond what all
// pages have: 0 to 1. It is 1 for a page without neighbours.
func (p *Page) Own() float32 {
	if p == nil {
		return 1
	}
	return p.own
}

// Joined reports whether a pass had patches of other pages.
func (p *Page) Joined() bool { return p != nil && p.joined }

// Reach returns how many pages before and after a page its groups take patches from.
func (p *Page) Reach() int {
	if p == nil {
		return 0
	}
	return p.stack.reach
}

// Finish runs pages until page i is done. It returns false if there is no such page.
func (s *Stack) Finish(i int) bool {
	for s.begun <= i || len(s.pages) > 0 && s.pages[0].number <= i {
		if !s.step() {
			break
		}
	}
	return i < s.begun
}

// Run runs all pages.
func (s *Stack) Run() {
	for s.step() {
	}
}

// errStopped ends the pages of a stack that was closed.
var errStopped = errors.New("the series was stopped")

// Close ends all pages that have begun. Their passes return an error.
func (s *Stack) Close() {
	s.ended = true
	if s.err == nil {
		s.err = errStopped
	}
	s.Run()
}

// step runs the first page that does not wait until it waits, or begins the next one. It returns false if all pages are
// done.
func (s *Stack) step() bool {
	for _, p := range s.pages {
		if s.err != nil || p.due == nil || p.due.done(p.number) {
			p.turn <- struct{}{}
			<-s.event
			return true
		}
	}
	if !s.ended {
		if run := s.start(s.begun); run != nil {
			s.begin(run)
			return true
		}
		s.ended = true
		s.advance()
		return true
	}
	return len(s.pages) > 0 // then advance has made one of them ready
}

func (s *Stack) begin(run func(p *Page)) {
	p := &Page{stack: s, number: s.begun, turn: make(chan struct{}), at: passAt{-1, 0}, own: 1}
	s.begun++
	s.pages = append(s.pages, p)
	go func() {
		defer func() {
			s.leave(p)
			s.event <- struct{}{}
		}()
		run(p)
	}()
	<-s.event
}

// leave removes a page that is done.
func (s *Stack) leave(p *Page) {
	for i, q := range s.pages {
		if q == p {
			s.pages = append(s.pages[:i], s.pages[i+1:]...)
			break
		}
	}
	s.advance()
}

// alive reports whether a page has begun and is not done.
func (s *Stack) alive(number int) bool {
	for _, p := range s.pages {
		if p.number == number {
			return true
		}
	}
	return false
}

// mayCome reports whether page q may still come to a place.
func (s *Stack) mayCome(q int, at passAt) bool {
	if q < 0 {
		return false
	}
	if q >= s.begun {
		return !s.ended
	}
	for _, p := range s.pages {
		if p.number == q {
			return p.at.before(at)
		}
	}
	return false
}

// advance forms and denoises the groups of all pages whose neighbours are there.
func (s *Stack) advance() {
	for again := true; again && s.err == nil; {
		again = false
		for at, r := range s.rings {
			for s.err == nil && r.ready() {
				s.err = r.next()
				again = true
			}
			if r.empty() && !s.anyMayCome(at.passAt) {
				delete(s.rings, at)
			}
		}
	}
}

func (s *Stack) anyMayCome(at passAt) bool {
	if !s.ended {
		return true
	}
	for _, p := range s.pages {
		if p.at.before(at) {
			return true
		}
	}
	return false
}

// wait lets other pages run until a ring is done with the page.
func (p *Page) wait(r meeting) {
	p.due = r
	p.stack.event <- struct{}{}
	<-p.turn
	p.due = nil
}

// pass runs a pass of a page, and of the planes beside it.
func (p *Page) pass(ctx context.Context, l *NonLocal, dst patchify.Plane, in Input, o Options) error {
	s := p.stack
	if s.err != nil {
		return s.err
	}
	at := passAt{p.unit, in.matches.next}
	key := meetingAt{at, in.Noisy.Width, in.Noisy.Height, 1 + len(in.Beside)}
	r, ok := s.rings[key].(*ring)
	if !ok {
		r = newRing(s, at, in)
		s.rings[key] = r
	}
	v, err := r.arrive(ctx, p.number, l, in, o)
	if err != nil {
		return err
	}
	if err := p.meet(at, r); err != nil {
		return err
	}
	p.own, p.joined = r.take(v, dst, in), p.joined || !v.alone
	return ctx.Err()
}

// meet waits at a place that the page has arrived at until it can get its result.
func (p *Page) meet(at passAt, m meeting) error {
	s := p.stack
	p.at = at
	s.advance()
	if s.err == nil {
		p.wait(m) // even if it could go on, since pages before it go first
	}
	return s.err
}

// Mean returns means of the planes of a page along the motion. It comes before the passes. The planes
// must have at least the size of a patch.
func (p *Page) Mean(ctx context.Context, planes []patchify.Plane, gray, guide patchify.Plane, workers int) (Mean,
	error) {
	s := p.stack
	if s.err != nil {
		return Mean{}, s.err
	}
	at := passAt{p.unit, -1}
	key := meetingAt{at, gray.Width, gray.Height, len(planes)}
	m, ok := s.rings[key].(*means)
	if !ok {
		m = newMeans(s, at, planes)
		s.rings[key] = m
	}
	v, err := m.arrive(ctx, p.number, planes, gray, guide, Options{Workers: workers})
	if err != nil {
		return Mean{}, err
	}
	if err := p.meet(at, m); err != nil {
		return Mean{}, err
	}
	mean := v.mean
	v.taken, v.mean = true, Mean{}
	return mean, ctx.Err()
}
