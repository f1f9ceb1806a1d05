package main

import (
	"bytes"
	"encoding/json"
	"errors"
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
