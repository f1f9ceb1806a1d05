package watch

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// Status is what the state of an output folder tells, whether a daemon runs or not.
type Status struct {
	Running bool      // a daemon has the folder
	In      string    // the input folder of its last start
	Done    int       // contents that were done, ever
	Working string    // the file that was begun and has no verdict, or ""
	Pending []Pending // files that wait to become still, for their turn, or for another try
	Failed  []Failure // of the job as it was last started
	Errors  []string  // what could not be looked at
}

// Pending is a file of the input folder without verdict.
type Pending struct {
	Name  string
	Tries int    // crashes so far
	Since string // when it was written, by the file system's clock
}

// Failure is a verdict.
type Failure struct {
	Name, Reason string
	At           time.Time
}

// ReadStatus reads the ledger of an output folder and looks through its input folder. It changes nothing and disturbs no
// daemon. The error satisfies errors.Is(err, fs.ErrNotExist) if no daemon was ever there.
func ReadStatus(ctx context.Context, out string, match func(name string) bool) (Status, error) {
	state, err := openState(out)
	if err != nil {
		return Status{}, err
	}
	defer state.Close()
	f, err := state.Open(ledgerName)
	if err != nil {
		return Status{}, err
	}
	l := newLedger(state, "")
	l.file = f
	defer l.shut()
	failures, sums := map[ID]Failure{}, map[ID]Sum{}
	if _, err := eachLine(f, func(where int64, line []byte) {
		r, ok := parseRecord(line)
		if !ok {
			return
		}
		l.remember(where, r)
		switch r.Kind {
		case kindStart:
			l.params = r.Params
		case kindFailed:
			failures[r.ID] = Failure{string(r.Name), r.Why, r.At}
			sums[r.ID] = r.Sum
		case kindDone, kindTry:
			delete(failures, r.ID)
		}
	}); err != nil {
		return Status{}, err
	}
	s := Status{Running: locked(state), In: l.input}
	for _, j := range l.jobs {
		if j.state == done {
			s.Done++
		}
	}
	for id, f := range failures {
		if id == idOf(sums[id], l.params) { // and not of a job with other parameters
			s.Failed = append(s.Failed, f)
		}
	}
	slices.SortFunc(s.Failed, func(a, b Failure) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Name, b.Name)) })
	s.lookForPending(ctx, l, match)
	return s, nil
}

func (s *Status) lookForPending(ctx context.Context, l *ledger, match func(string) bool) {
	tries := map[string]record{}
	for _, r := range l.open {
		tries[string(r.Name)] = r
	}
	w := &walker{root: s.In, match: match, enter: func(string) {}, strays: func(*disk.Folder, string) {}, guard: func(fs.FileInfo) error { return nil }}
	w.found = func(f sighting) {
		if sum, _, ok := l.known(f.name, f.stamp); ok {
			if v := l.verdict(sum); v == done || v == failed {
				return
			}
		}
		r := tries[f.name]
		if s.Running && r.Kind == kindTry {
			s.Working = f.name
			return
		}
		since := time.Unix(0, f.stamp.Mod).UTC().Format(time.RFC3339)
		s.Pending = append(s.Pending, Pending{f.name, r.Crashes, since})
	}
	if err := w.walk(ctx, ""); err != nil {
		s.Errors = append(s.Errors, err.Error())
	}
	slices.SortFunc(s.Pending, func(a, b Pending) int { return cmp.Compare(a.Name, b.Name) })
}
