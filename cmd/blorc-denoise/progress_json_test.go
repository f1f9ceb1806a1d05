package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// Lines come at most ten times a second, never go back, and tell the time that is left.
func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	p := (&progressLines{out: &out}).start("a.png")
	clock := time.Unix(0, 0)
	p.now = func() time.Time { return clock }
	for i := range 101 { // 8 seconds of work after the first call
		p.share(float64(i) / 100)
		clock = clock.Add(80 * time.Millisecond)
	}
	p.finish(nil)
	var lines []progressLine
	for text := range strings.Lines(out.String()) {
		var l progressLine
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if n := len(lines); n < 40 || n > 60 {
		t.Fatalf("%d lines in 8 seconds", n)
	}
	for i, l := range lines {
		if l.Path != "a.png" || i > 0 && l.Done <= lines[i-1].Done {
			t.Errorf("%+v after %+v", l, lines[max(i-1, 0)])
		}
		if i == 0 {
			continue
		}
		if want := 8 * (1 - l.Done); l.Left == nil || *l.Left < want-0.1 || *l.Left > want+0.1 {
			t.Errorf("%+v: %g seconds were left", l, want)
		}
	}
	if last := lines[len(lines)-1]; last.Done != 1 || *last.Left != 0 {
		t.Errorf("last %+v", last)
	}
}

// Files of a sequence tell how many of them are done, and the time until all are: 10 seconds here.
func TestProgressOfASequence(t *testing.T) {
	var out bytes.Buffer
	lines := &progressLines{out: &out}
	lines.begin(2)
	clock := time.Unix(0, 0)
	var files []*fileProgress
	for _, path := range []string{"1.png", "2.png"} {
		p := lines.start(path)
		p.now = func() time.Time { return clock }
		files = append(files, p)
	}
	lines.end()
	step := func(p *fileProgress, share float64) {
		p.share(share)
		clock = clock.Add(time.Second)
	}
	step(files[0], 0)
	for i := range 4 { // both are at work
		share := float64(i+1) / 5
		step(files[0], share)
		step(files[1], share)
	}
	files[0].finish(nil)
	clock = clock.Add(time.Second)
	files[1].finish(nil)
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	want := []string{
		`{"path":"1.png","done":0,"pages":2,"pages_done":0}`,
		`{"path":"1.png","done":0.4,"seconds_left":7,"pages":2,"pages_done":0}`,
		`{"path":"2.png","done":0.8,"seconds_left":2,"pages":2,"pages_done":0}`,
		`{"path":"1.png","done":1,"seconds_left":1,"pages":2,"pages_done":1}`,
		`{"path":"2.png","done":1,"seconds_left":0,"pages":2,"pages_done":2}`,
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("no %s in\n%s", w, out.String())
		}
	}
	if lines.start("3.png").finish(nil); strings.Count(out.String(), "pages") != 2*len(got) {
		t.Errorf("a file after the sequence is of it:\n%s", out.String())
	}
}

func TestProgressOfFailuresAndOddNames(t *testing.T) {
	var out bytes.Buffer
	lines := &progressLines{out: &out}
	lines.start("a\xff.png").finish(errors.New("failed"))
	var l progressLine
	if err := json.Unmarshal(out.Bytes(), &l); err != nil || string(l.Bytes) != "a\xff.png" || l.Done != 0 {
		t.Errorf("%s: %v", out.Bytes(), err)
	}
	var none *progressLines
	none.start("a.png").finish(nil)
}
