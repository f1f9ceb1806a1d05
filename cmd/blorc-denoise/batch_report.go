package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// report tells the user about a batch, file by file.
type report struct {
	*plan
	tally    tally
	skipped  int
	stopped  int
	failures []string
	others   map[imageio.OtherKind]int // files of kinds that are not read
	total    int                       // files, with those refused and skipped
	start    time.Time
	meter    *meter
	encoder  *json.Encoder
	ended    <-chan struct{} // closed when the program is interrupted; may be nil
	sheet    *sheet          // of --report; may be nil
	taken    int             // files that another run has; they are skipped
	left     int             // files copied because they cannot be denoised
	broken   error           // stdout cannot be written
	full     error           // the disk is full, which ended the batch
}

func newReport(p *plan) *report {
	r := &report{plan: p, start: time.Now(), encoder: jsonLines(p.u.out), others: map[imageio.OtherKind]int{},
		total: len(p.jobs) + len(p.kept) + len(p.found.Refused)}
	r.meter = &meter{u: p.u, options: p.solver.Options, start: r.start, total: r.total}
	for _, j := range p.jobs {
		r.meter.all += j.Size.Pixels()
	}
	r.sheet = newSheet(p, r.total, r.start)
	return r
}

// json keeps the record of a file that has no result.
func (r *report) json(v record) { r.tell(v, outcome{}) }

// tell completes a record and gives it to whoever keeps records.
func (r *report) tell(v record, o outcome) {
	v.Version = version()
	if v.Started != "" {
		about := r.about()
		v.Options, v.Fingerprint = about.json, about.fingerprint
	}
	r.line(v)
	r.sheet.add(v, o)
}

// line writes a record as JSON.
func (r *report) line(v record) {
	if !r.batch.json || r.broken != nil {
		return
	}
	v.PathBytes, v.OutputByte = oddBytes(v.Path), oddBytes(v.Output)
	written := make(chan error, 1)
	go func() { written <- r.encoder.Encode(v) }()
	var late <-chan time.Time
	for ended := r.ended; ; ended = nil {
		select {
		case r.broken = <-written:
			return
		case <-late: // the reader may have stopped reading, and must not keep an interrupted program
			r.broken = context.Canceled
			return
		case <-ended:
			late = time.After(patience)
		}
	}
}

// patience is how long an interrupted program waits for the reader of its results.
const patience = 2 * time.Second

// refused reports the arguments that cannot be inputs.
func (r *report) refused() {
	for _, f := range r.found.Refused {
		r.failed(f.Path, record{Path: f.Path}, f.Err)
	}
}

func (r *report) failed(path string, v record, err error) {
	code := exitCode(err)
	text, shown := reason(path, err), r.brief(err)
	r.tally.codes = append(r.tally.codes, code)
	r.failures = append(r.failures, path+": "+reason(path, shown))
	r.u.fail(path, shown)
	v.Status, v.Error = statusFailed, &recordError{errorKind(code), text}
	r.json(v)
}

// brief returns the error of one of several files without advice, which is the same for all files of a kind, and comes
// once at the end.
func (r *report) brief(err error) error {
	var other imageio.OtherKind
	if r.total == 1 || !errors.As(err, &other) {
		return err
	}
	r.others[other]++
	return imageio.OtherKind{Name: other.Name}
}

// adviseOthers says how to come to pictures from the files of kinds that are not read, unless passedOver has said it.
func (r *report) adviseOthers() {
	kinds := slices.SortedFunc(maps.Keys(r.others), func(a, b imageio.OtherKind) int {
		return cmp.Or(cmp.Compare(r.others[b], r.others[a]), cmp.Compare(a.Name, b.Name))
	})
	told := map[string]bool{}
	for ext := range r.found.Passed {
		told[adviceFor(ext)] = true
	}
	for _, k := range kinds {
		if told[k.Advice] {
			continue
		}
		r.u.say("not supported: %s: %s", countOf(int64(r.others[k]), k.Name+" file"), k.Advice)
	}
}

func (r *report) skip(k skipped) {
	r.skipped++
	r.tally.done++
	if r.total == 1 {
		r.u.say("%s: skipped, %s (%s)", k.Path, k.why, k.advice)
	}
	r.json(record{Path: k.Path, Output: k.Out, Status: statusSkipped, Reason: k.why})
}

func recordOf(j batch.Job, status string) record {
	return record{Path: j.Path, Output: j.Out, Width: j.Size.Width, Height: j.Size.Height, Bytes: j.Size.Bytes,
		Status: status}
}

// done reports a file that was worked on.
func (r *report) done(j batch.Job, o outcome) {
	r.meter.end(j)
	if o.out != "" {
		j.Out = o.out
	}
	v := recordOf(j, statusDone)
	v.Seconds = o.seconds
	if !o.started.IsZero() {
		v.Started = o.started.UTC().Format("2006-01-02T15:04:05.000Z07:00")
	}
	switch {
	case r.full != nil && (disk.IsFull(o.err) || exitCode(o.err) == exitInterrupted):
		v.Status, v.Reason = statusInterrupted, "the disk is full"
		r.json(v)
	case disk.IsFull(o.err) && r.total > 1:
		r.full = fileError{j.Path, o.err}
		r.tally.codes = append(r.tally.codes, exitIO)
		v.Status, v.Error = statusFailed, &recordError{errorKind(exitIO), reason(j.Path, o.err)}
		r.json(v)
	case o.kept != "":
		r.skip(skipped{Item: j.Item, why: o.kept, advice: overwriteAdvice})
	case exitCode(o.err) == exitInterrupted:
		r.stopped++
		r.tally.codes = append(r.tally.codes, exitInterrupted)
		v.Status = statusInterrupted
		r.json(v)
	case errors.Is(o.err, fs.ErrExist): // another program made it meanwhile
		r.skip(skipped{Item: j.Item, why: j.Out + " exists", advice: "it was made meanwhile"})
	case errors.Is(o.err, batch.ErrTaken):
		r.taken++
		r.skip(skipped{Item: j.Item, why: o.err.Error(), advice: "each file is denoised once"})
	case o.err != nil:
		r.failed(j.Path, v, o.err)
	default:
		r.tally.done++
		r.succeeded(j, v, o)
	}
	r.progress()
}

// succeeded reports a file that has an output, and remembers it.
func (r *report) succeeded(j batch.Job, v record, o outcome) {
	v.result(o.Result)
	v.InputSum, v.OutputSum = o.made.In.SHA256, o.made.Out.SHA256
	if o.Copied > 0 && o.Copied >= o.Pages {
		r.left++
	}
	r.remember(j.Item, o.made)
	r.tell(v, o)
	r.say(j, o)
	r.u.warn(j.Path, o.Warnings)
}

func (r *report) say(j batch.Job, o outcome) {
	r.u.say("%s -> %s: %s, %.1f s", j.Path, j.Out, r.u.result(o.Result), o.seconds)
}

// progress shows on a terminal how far the batch is.
func (r *report) progress() {
	switch finished := r.tally.done + len(r.tally.codes); {
	case len(r.jobs) > 1:
		r.meter.files(finished, len(r.failures))
	case len(r.jobs) == 1 && finished < r.total:
		r.u.show("%s", r.jobs[0].Path)
	}
}

// follow shows how far the work on a file is, as --progress says or on a terminal. It returns what is to be told the
// error of the file at its end.
func (f *denoiseFlags) follow(u *ui, path string, o *denoise.FileOptions) (end func(error)) {
	if line := f.lines.start(path); line != nil {
		o.Progress, o.PageDone = line.share, line.pageDone
		return line.finish
	}
	shown := &shownShare{u: u, path: path, start: time.Now(), options: o.Options}
	o.Progress, o.PageDone = shown.share, shown.pageDone
	return func(error) {}
}

// shownShare shows on a terminal how much of a single file is done, and how long the rest will take.
type shownShare struct {
	u       *ui
	path    string
	start   time.Time
	options denoise.Options
	pages   string // how many are done, if there are several
}

func (s *shownShare) share(share float64) {
	text := fmt.Sprintf("%s: %.0f %%%s", s.path, 100*share, s.pages)
	if seconds := time.Since(s.start).Seconds(); seconds > 2 {
		text += timeLeft(seconds*(1-share)/share, s.options)
	}
	s.u.show("%s", text)
}

func (s *shownShare) pageDone(done, all int) {
	s.pages = fmt.Sprintf(", %d of %d pages done", done, all)
}

// finish prints the summary and returns the error of the call.
func (r *report) finish(interrupted bool) error {
	r.u.clearLive()
	if err := r.sheet.finish(interrupted || r.full != nil || r.broken != nil); err != nil {
		r.tally.codes = append(r.tally.codes, r.u.fail(r.batch.report, err))
	}
	if r.broken != nil {
		return r.broken
	}
	if r.full != nil {
		left := r.total - r.tally.done - len(r.failures)
		fmt.Fprintf(r.u.err, "%s: %s; %d of %d files are left\n", program, oneLine(r.full.Error()), left, r.total)
		return silent(r.tally.code())
	}
	r.passedOver()
	r.adviseOthers()
	if r.total > 1 {
		r.summary()
	}
	switch code := r.tally.code(); {
	case interrupted && r.tally.done < r.total:
		if r.total <= 1 {
			fmt.Fprintf(r.u.err, "%s: interrupted\n", program)
		}
		return silent(exitInterrupted)
	case code != exitOK:
		return silent(code)
	}
	return nil
}

// passedOver reports what was left out in folders, so that it is not missed.
func (r *report) passedOver() {
	if r.found.Links > 0 {
		r.u.say("%s in folders not followed", countOf(int64(r.found.Links), "link"))
	}
	if r.found.Results > 0 {
		r.u.say("%s of earlier runs left out (files that you name are taken)",
			countOf(int64(r.found.Results), "result"))
	}
	r.u.sayPassed(r.found.Passed)
	if r.found.Folders > 0 {
		r.u.say("%s not searched (see --recursive)", countOf(int64(r.found.Folders), "subfolder"))
	}
	if len(r.found.Inputs) == 0 && len(r.found.Refused) == 0 {
		r.u.say("no PNG, JPEG, TIFF, WebP, BMP or PNM files")
	}
}

func (r *report) summary() {
	done := r.tally.done - r.skipped
	text := fmt.Sprintf("%d of %d files done", done, r.total)
	if r.batch.dryRun {
		text = fmt.Sprintf("%d of %d files to do", done, r.total)
	}
	if r.left > 0 {
		text += fmt.Sprintf(", %d of them copied as they are", r.left)
	}
	if r.names.inPlace && !r.names.noBackup && done > 0 && !r.batch.dryRun {
		text += ", the originals are kept as NAME.orig"
	}
	if r.skipped > 0 {
		text += fmt.Sprintf(", %d skipped%s", r.skipped, r.whySkipped())
		if r.taken > 0 {
			text += fmt.Sprintf(", %d of them because another run has them", r.taken)
		}
	}
	if left := r.total - r.tally.done - len(r.failures); left > 0 {
		text += fmt.Sprintf(", %d not done, interrupted", left)
	}
	if len(r.failures) == 0 {
		r.u.say("%s", text)
		return
	}
	r.u.clearLive()
	fmt.Fprintf(r.u.err, "%s, %d failed\n", text, len(r.failures))
	r.list()
}

// list repeats the failures, which may have scrolled away.
func (r *report) list() {
	if r.total <= len(r.failures) || r.total < 10 {
		return
	}
	for _, f := range r.failures {
		io.WriteString(r.u.err, "  "+oneLine(f)+"\n")
	}
}
