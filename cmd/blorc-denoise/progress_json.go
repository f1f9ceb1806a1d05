package main

import (
	"encoding/json"
	"io"
	"math"
	"sync"
	"time"
)

// The values of --progress.
const (
	progressAuto = "auto"
	progressJSON = "json"
	progressNone = "none"
)

var progressWays = []string{progressAuto, progressJSON, progressNone}

// progressLines writes progress as a JSON object on each line, for other programs.
type progressLines struct {
	mu  sync.Mutex
	out io.Writer

	sequence *sequenceProgress // that the files belong to which begin; nil for files that are denoised alone
}

// progressLine is what a line says.
type progressLine struct {
	Path  string   `json:"path"`
	Bytes []byte   `json:"path_base64,omitempty"` // if the path is not UTF-8 and so cannot stand in JSON
	Done  float64  `json:"done"`                  // share of the work
	Left  *float64 `json:"seconds_left,omitempty"`
	Pages int      `json:"pages,omitempty"` // of the file or of the sequence; 0 if it has one, or if that is not known
	Ended *int     `json:"pages_done,omitempty"`
}

// Write writes a message between the lines. Several files may be at work at the same time.
func (l *progressLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

// A file has at most ten lines a second.
const progressPause = 100 * time.Millisecond

// fileProgress is the progress of one file. A nil one does nothing.
type fileProgress struct {
	lines *progressLines
	line  progressLine
	time  remaining
	last  time.Time         // of the last line
	of    *sequenceProgress // nil if the file is denoised alone
	own   float64           // share that is done
	now   func() time.Time
}

// start writes the first line of a file.
func (l *progressLines) start(path string) *fileProgress {
	if l == nil {
		return nil
	}
	p := &fileProgress{lines: l, line: progressLine{Path: path, Bytes: oddBytes(path)}, of: l.sequence, now: time.Now}
	p.write()
	return p
}

// pageDone notes how many pages are done.
func (p *fileProgress) pageDone(done, all int) {
	if p.of == nil {
		p.line.Ended, p.line.Pages = &done, all
	}
}

// share notes the share that is done. It is never called twice at the same time.
func (p *fileProgress) share(done float64) {
	now := p.now()
	first := p.time.started.IsZero()
	left := p.time.after(done, now)
	if p.of != nil {
		left = p.of.left(done-p.own, now)
	}
	p.own = done
	if first || done >= 1 || now.Sub(p.last) < progressPause { // finish says that all is done: the file is written then
		return
	}
	p.line.Done, p.line.Left = math.Floor(1000*done)/1000, left
	p.last = now
	p.write()
}

// finish writes the last line of a file that was done.
func (p *fileProgress) finish(err error) {
	if p == nil {
		return
	}
	left := new(float64)
	if p.of != nil {
		p.of.ended++
		left = p.of.left(1-p.own, p.now())
	}
	if err == nil {
		p.line.Done, p.line.Left = 1, left
		p.write()
	}
}

func (p *fileProgress) write() {
	if p.of != nil {
		p.line.Ended, p.line.Pages = &p.of.ended, p.of.all
	}
	text, err := json.Marshal(p.line)
	if err != nil {
		return
	}
	p.lines.Write(append(text, '\n')) // a reader that has gone away misses nothing that matters
}
