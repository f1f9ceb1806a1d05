package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// newTestReport returns the report of a batch of two files of a megapixel each.
func newTestReport(terminal bool) (*report, *bytes.Buffer) {
	var stderr bytes.Buffer
	p := &plan{denoiseFlags: &denoiseFlags{}, u: &ui{out: &bytes.Buffer{}, err: &stderr, terminal: terminal},
		selected: selected{found: &batch.Found{}}}
	for _, name := range []string{"a.png", "b\n.png"} {
		in := batch.Input{Path: name}
		p.found.Inputs = append(p.found.Inputs, in)
		p.jobs = append(p.jobs, batch.Job{Item: batch.Item{Input: in, Out: "out/" + name},
			Size: batch.Size{Width: 1000, Height: 1000}})
	}
	r := newReport(p)
	r.start = r.start.Add(-10 * time.Second)
	r.meter.start = r.start
	return r, &stderr
}

func TestProgressOnATerminal(t *testing.T) {
	r, stderr := newTestReport(true)
	r.progress()
	r.done(r.jobs[0], outcome{Result: denoise.Result{Noise: denoise.Gaussian, Sigma: 20, Model: "local 25.5"},
		seconds: 1})
	text := stderr.String()
	for _, want := range []string{"0 of 2 files, 0.0 of 2.0 megapixels", "\r\x1b[K",
		"a.png -> out/a.png: white noise, strong, as given, 1.0 s\n",
		"1 of 2 files, 1.0 of 2.0 megapixels, 0.10 a second, 0:10 left"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	if r.done(r.jobs[1], outcome{err: errors.New("no\tluck")}); !strings.HasSuffix(stderr.String(), "1 failed") {
		t.Errorf("%q", stderr.String())
	}
	err := r.finish(false)
	if code, ok := err.(silent); !ok || code != exitFailed ||
		!strings.HasSuffix(stderr.String(), "1 of 2 files done, 1 failed\n") {
		t.Errorf("%v, %q", err, stderr.String())
	}
}

func TestPlainLinesElsewhere(t *testing.T) {
	r, stderr := newTestReport(false)
	r.progress()
	if stderr.Len() > 0 {
		t.Errorf("%q", stderr.String())
	}
	r.done(r.jobs[1], outcome{err: errors.New("no\tluck")})
	if got, want := stderr.String(), `blorc-denoise: b\n.png: no\tluck`+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A fault in the work on one file is a failure of that file, in one line, and with its stack if that is wanted.
func TestFaultIsTold(t *testing.T) {
	for verbose, stack := range map[bool]string{false: "", true: "the stack\n"} {
		r, stderr := newTestReport(false)
		r.u.verbose = verbose
		r.done(r.jobs[0], outcome{err: &crash.Error{Value: "index out of range", Stack: []byte("the stack\n")}})
		want := "blorc-denoise: a.png: fault in the program: index out of range (see --verbose)\n" + stack
		if got := stderr.String(); got != want || len(r.failures) != 1 || r.tally.code() != exitFailed {
			t.Errorf("%q, code %d", got, r.tally.code())
		}
	}
}

// Whatever panics is an error of its file or of the call, and not one of the command line.
func TestFaultsAreCaught(t *testing.T) {
	ctx := context.Background()
	_, foreseen := new(plan).foresee(ctx, batch.Job{}, denoise.Options{})
	command := &cobra.Command{Run: func(*cobra.Command, []string) { panic("a fault") }}
	command.SetArgs([]string{})
	_, executed := execute(ctx, command)
	_, awaited := unlessEnded(ctx, func() int { panic("a fault") })
	for what, err := range map[string]error{
		"a file":     new(plan).file(ctx, batch.Job{}, denoise.Options{}).err,
		"a dry run":  foreseen,
		"a pipe":     new(pipe).image(ctx, nil, nil, denoise.Options{}, imageio.WriteOptions{}),
		"a command":  executed,
		"while read": awaited,
	} {
		var fault *crash.Error
		if !errors.As(err, &fault) || exitCode(err) != exitFailed || len(fault.Stack) == 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{"a b": "a b", "été 東": "été 東", "a\nb": `a\nb`, "\x1b[2J": `\x1b[2J`,
		"\xff": `\xff`, "\u202e": `\u202e`,
		"\u00a0": `\u00a0`, `a\b"c`: `a\b"c`, "\ufffd": "\ufffd", "": ""} {
		if got := oneLine(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

func TestShareOfTheOnlyFile(t *testing.T) {
	r, stderr := newTestReport(true)
	ago := time.Now().Add(-100 * time.Second)
	(&shownShare{u: r.u, path: "a.png", start: ago, options: denoise.Options{Quality: denoise.Balanced}}).share(0.25)
	if got := stderr.String(); got != "a.png: 25 %, 5:00 left (--quality fast takes less)" {
		t.Errorf("%q", got)
	}
	stderr.Reset()
	(&shownShare{u: r.u, path: "a.png", start: time.Now()}).share(0.5)
	if got := stderr.String(); got != "\r\x1b[Ka.png: 50 %" {
		t.Errorf("%q", got)
	}
	stderr.Reset() // pages together are not denoised with quality fast
	shown := &shownShare{u: r.u, path: "a.tif", start: ago, options: denoise.Options{Together: true}}
	shown.pageDone(3, 60)
	shown.share(0.25)
	if got := stderr.String(); got != "\r\x1b[Ka.tif: 25 %, 3 of 60 pages done, 5:00 left" {
		t.Errorf("%q", got)
	}
}

// A batch counts what is done of the files at work.
func TestSharesOfSeveralFiles(t *testing.T) {
	r, stderr := newTestReport(true)
	expect := func(want string) {
		t.Helper()
		if got := strings.TrimPrefix(stderr.String(), "\r\x1b[K"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		stderr.Reset()
		r.meter.shown = time.Time{}
	}
	r.meter.share(r.jobs[0], 0.25)
	expect("0 of 2 files, 0.2 of 2.0 megapixels, 0.02 a second, 1:10 left (--quality fast takes less)")
	r.meter.share(r.jobs[1], 0.25)
	expect("0 of 2 files, 0.5 of 2.0 megapixels, 0.05 a second, 0:30 left")
	r.meter.share(r.jobs[0], 1)
	expect("0 of 2 files, 1.2 of 2.0 megapixels, 0.12 a second, 0:06 left")
	r.done(r.jobs[0], outcome{err: errors.New("no luck")})
	if got := stderr.String(); !strings.HasSuffix(got,
		"1 of 2 files, 1.2 of 2.0 megapixels, 0.12 a second, 0:06 left, 1 failed") {
		t.Errorf("%q", got)
	}
	stderr.Reset()
	if r.meter.share(r.jobs[1], 0.5); stderr.Len() > 0 {
		t.Errorf("two lines at the same time: %q", stderr)
	}
}

// Files tell their shares from goroutines of their own, while others are done.
func TestSharesSideBySide(t *testing.T) {
	r, _ := newTestReport(true)
	var files sync.WaitGroup
	for _, j := range r.jobs {
		files.Go(func() {
			for i := range 100 {
				r.meter.share(j, float64(i)/100)
			}
		})
	}
	r.done(r.jobs[0], outcome{})
	files.Wait()
	r.done(r.jobs[1], outcome{})
	if r.meter.pixels != 2e6 {
		t.Error(r.meter.pixels)
	}
}

// Only one line of a terminal can be overwritten, so a longer text loses its beginning.
func TestShownTextFitsTheTerminal(t *testing.T) {
	for columns, want := range map[int]string{0: "été/photo.png: 50 %", 20: "été/photo.png: 50 %",
		19: "…é/photo.png: 50 %", 12: "….png: 50 %", 5: "été/photo.png: 50 %"} {
		var stderr bytes.Buffer
		u := &ui{err: &stderr, terminal: true, width: func() int { return columns }}
		if u.show("été/photo.png: 50 %%"); stderr.String() != want {
			t.Errorf("%d columns: %q, want %q", columns, stderr.String(), want)
		}
	}
}

// A file of several pages tells how many were denoised.
func TestPagesAreTold(t *testing.T) {
	for pages, want := range map[int]string{1: "white noise, medium (the same again: --sigma 12)",
		5: "white noise, medium (the same again: --sigma 12), 5 pages"} {
		r := denoise.Result{Noise: denoise.Gaussian, Sigma: 12, Estimated: true, Model: "nonlocal 10", Pages: pages}
		if got := describeResult(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
