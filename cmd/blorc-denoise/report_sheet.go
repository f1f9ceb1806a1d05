package main

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
)

// sheet is the report of a run in a file. A nil sheet does nothing.
type sheet struct {
	path    string
	write   func(io.Writer, *sheet) error
	rows    []sheetRow
	total   int // files of the run
	jobs    int // files to work on
	dryRun  bool
	start   time.Time
	end     time.Time // zero while the run goes on
	cut     bool      // the run was interrupted
	found   *batch.Found
	written time.Time // when the file was last written
	took    time.Duration
	verbose bool // the page names models
}

type sheetRow struct {
	record
	shown *thumbnails
	found string // the noise in words
}

// sheetKinds are the kinds of reports, by extensions.
var sheetKinds = map[string]func(io.Writer, *sheet) error{".html": writeHTML, ".htm": writeHTML, ".csv": writeCSV}

func kindOfReport(path string) func(io.Writer, *sheet) error {
	return sheetKinds[strings.ToLower(filepath.Ext(path))]
}

// isReport says whether a report can have a name, or none.
func isReport(path string) bool { return path == "" || kindOfReport(path) != nil }

func newSheet(p *plan, total int, start time.Time) *sheet {
	if p.batch.report == "" {
		return nil
	}
	return &sheet{path: p.batch.report, write: kindOfReport(p.batch.report), total: total,
		jobs:  len(p.jobs),
		start: start, dryRun: p.batch.dryRun, found: p.found, verbose: p.u.verbose}
}

// newThumbnails returns what makes the pictures of a file, or nil if nobody wants them.
func (p *plan) newThumbnails(path string) *thumbnails {
	if kind := strings.ToLower(filepath.Ext(p.batch.report)); kind != ".html" && kind != ".htm" {
		return nil
	}
	return thumbnailsFor(path, len(p.jobs))
}

// begin writes the report for the first time. So a name that cannot be written is known before any work.
func (s *sheet) begin() error {
	if s == nil {
		return nil
	}
	if err := s.mayReplace(); err != nil {
		return err
	}
	return s.save()
}

// mayReplace refuses a name that belongs to a file other than a report.
func (s *sheet) mayReplace() error {
	info, err := os.Lstat(s.path)
	if err != nil || info.Size() == 0 || !info.Mode().IsRegular() { // what is no regular file is not replaced anyway
		return nil
	}
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1<<10))
	if err != nil {
		return err
	}
	if text := string(head); !strings.Contains(text, htmlMark) && !strings.HasPrefix(text, csvHead()) {
		return fmt.Errorf("%w, and is not a report of this program", fs.ErrExist)
	}
	return nil
}

// minPause is how long a running program leaves a report as it is.
const minPause = 20 * time.Second

// add takes a record into the report, and writes it now and then, so that a program that is killed leaves what was
// known. An error is told at the end.
func (s *sheet) add(v record, o outcome) {
	if s == nil {
		return
	}
	row := sheetRow{record: v}
	if v.Noise != nil {
		row.found = describeResult(o.Result)
	}
	if o.shown.complete() {
		row.shown = o.shown
	}
	s.rows = append(s.rows, row)
	if since := time.Since(s.written); !s.dryRun && since > max(minPause, 50*s.took) {
		s.save()
	}
}

// finish writes the report for the last time.
func (s *sheet) finish(cut bool) error {
	if s == nil {
		return nil
	}
	s.end, s.cut = time.Now(), cut
	if s.dryRun {
		if err := s.mayReplace(); err != nil {
			return err
		}
	}
	return s.save()
}

func (s *sheet) save() error {
	begun := time.Now()
	err := writeFile(s.path, true, func(w io.Writer) error { return s.write(w, s) })
	s.written = time.Now()
	s.took = s.written.Sub(begun)
	return err
}

// sorted returns the rows, failures first, then by path.
func (s *sheet) sorted() []sheetRow {
	rows := slices.Clone(s.rows)
	order := []string{statusFailed, statusInterrupted, statusDone, statusCopied, statusPlanned, statusSkipped}
	slices.SortStableFunc(rows, func(a, b sheetRow) int {
		return cmp.Or(cmp.Compare(min(slices.Index(order, a.Status), 2), min(slices.Index(order, b.Status), 2)),
			cmp.Compare(a.Path, b.Path))
	})
	return rows
}
