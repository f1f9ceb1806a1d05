package watch

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// Status describes an output folder, whether or not a daemon is running.
type Status struct {
	Running bool      `json:"running"` // a daemon has the folder
	In      string    `json:"in"`      // the input folder of its last start
	Done    int       `json:"done"`    // jobs that were ever done
	Same    int       `json:"same"`    // files with the content of another file that was done
	Working string    `json:"working"` // the file that was begun and has no verdict, or ""
	Pending []Pending `json:"pending"` // files that wait to become still, for their turn, or for another try
	Failed  []Failure `json:"failed"`  // files that failed, are still there, and were not done since
	Past    []Failure `json:"past"`    // failures that need nothing any more, see Failure.Then
	Renamed []Renamed `json:"renamed"` // files whose output has another name, because theirs was taken
	Errors  []string  `json:"errors"`  // what could not be looked at
}

// Pending is a file of the input folder without verdict.
type Pending struct {
	Name   string `json:"name"`
	Tries  int    `json:"tries"`            // that failed, since the last start of the daemon; crashes of earlier runs count too
	Reason string `json:"reason,omitempty"` // why the last of them failed, or why the file waits
	Since  string `json:"since"`            // when it was written, by the file system's clock
}

// Failure is a verdict about a file, with the parameters of the last start.
type Failure struct {
	Name   string    `json:"name"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
	Moved  string    `json:"moved,omitempty"` // the path that the file was moved to
	Then   string    `json:"then,omitempty"`  // what came of it, of Status.Past: "done", "replaced" by other content, or "gone"
}

// Renamed is a file whose output has a longer name.
type Renamed struct {
	Name   string `json:"name"`
	Output string `json:"output"`
}

// ReadStatus reads the ledger of an output folder and looks through its input folder. It changes nothing and disturbs
// no daemon. A nil match means all files. The error satisfies errors.Is(err, fs.ErrNotExist) if no daemon was ever
// there.
func ReadStatus(ctx context.Context, out string, match func(name string) bool) (Status, error) {
	if match == nil {
		match = func(string) bool { return true }
	}
	state, err := openState(out)
	if err != nil {
		return Status{}, err
	}
	defer state.Close()
	f, err := state.Open(ledgerName)
	if err != nil {
		return Status{}, err
	}
	h := newHistory(newLedger(state, ""))
	h.file = f
	defer h.shut()
	if _, err := eachLine(f, h.line); err != nil {
		return Status{}, err
	}
	s := Status{Running: locked(state), In: h.input, Pending: []Pending{}, Failed: []Failure{}, Past: []Failure{},
		Renamed: []Renamed{}, Errors: []string{}}
	for _, j := range h.jobs {
		if j.state == done {
			s.Done++
		}
	}
	for name, r := range h.same {
		if h.jobs[r.ID].state == done && h.makers[r.ID] != name {
			s.Same++
		}
	}
	s.lookForPending(ctx, h, match, isFull(out))
	s.judge(h)
	return s, nil
}

// history is a ledger with what only ReadStatus needs.
type history struct {
	*ledger
	failures map[ID]record     // last verdicts that are failures
	outputs  map[ID]string     // names of outputs that differ from the name of the input
	latest   map[string]ID     // the last content of a name
	standing map[ID]bool       // failures of files that are there
	retries  map[string]record // the last tries that failed since the start, by name
	makers   map[ID]string     // the file that a done job was done for
	same     map[string]record // files with a content that was known, by name
}

func newHistory(l *ledger) *history {
	return &history{l, map[ID]record{}, map[ID]string{}, map[string]ID{}, map[ID]bool{}, map[string]record{},
		map[ID]string{}, map[string]record{}}
}

// line handles a line of the ledger.
func (h *history) line(where int64, line []byte) {
	r, ok := parseRecord(line)
	if !ok {
		return
	}
	h.remember(where, r)
	switch r.Kind {
	case kindStart:
		h.params = r.Params
		clear(h.retries)
		return
	case kindRetry:
		h.retries[string(r.Name)] = r
		return
	case kindFailed:
		h.failures[r.ID] = r
	case kindTry:
		delete(h.failures, r.ID)
	case kindDone, kindMoved:
		delete(h.failures, r.ID)
		h.makers[r.ID] = string(r.Name)
		if delete(h.outputs, r.ID); r.Out != r.Name {
			h.outputs[r.ID] = string(r.Out)
		}
	}
	if r.Kind == kindDone || r.Kind == kindFailed || r.Kind == kindSeen {
		h.latest[string(r.Name)] = r.ID
		if delete(h.same, string(r.Name)); r.Kind == kindSeen {
			h.same[string(r.Name)] = r
		}
	}
}

// lookForPending lists the files of the input folder that have no verdict. On a full disk, the ledger may lack the end
// of a try: the file that was begun waits then.
func (s *Status) lookForPending(ctx context.Context, h *history, match func(string) bool, full bool) {
	tries := map[string]record{}
	for _, r := range h.open {
		tries[string(r.Name)] = r
	}
	w := &walker{root: s.In, match: match, enter: func(string) {}, strays: func(*disk.Folder, string) {},
		guard: func(fs.FileInfo) error { return nil }}
	w.found = func(f sighting) {
		if sum, _, ok := h.known(f.name, f.stamp); ok && s.settled(h, f.name, idOf(sum, h.params)) {
			return
		}
		r := tries[f.name]
		begun := s.Running && r.Kind == kindTry
		if begun && !full {
			s.Working = f.name
			return
		}
		since := time.Unix(0, f.stamp.Mod).UTC().Format(time.RFC3339)
		p := Pending{Name: f.name, Tries: r.Crashes, Since: since}
		if last := h.retries[f.name]; last.Stamp == f.stamp { // and not of an older version of the file
			p.Tries, p.Reason = max(p.Tries, last.Tries), last.Why
		}
		if begun {
			p.Reason = "the disk of the output folder is full"
		}
		s.Pending = append(s.Pending, p)
	}
	if err := w.walk(ctx, ""); err != nil {
		s.Errors = append(s.Errors, err.Error())
	}
	slices.SortFunc(s.Pending, func(a, b Pending) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Renamed, func(a, b Renamed) int { return cmp.Compare(a.Name, b.Name) })
}

// settled says whether the content of a file of the input folder has a verdict, and takes the file into the status.
func (s *Status) settled(h *history, name string, id ID) bool {
	switch h.jobs[id].state {
	case failed:
		r := h.failures[id]
		h.standing[id] = true
		s.Failed = append(s.Failed, Failure{Name: name, Reason: r.Why, At: r.At})
		return true
	case done:
		out, ok := h.outputs[id]
		if own := h.same[name].Out; own != "" {
			out, ok = string(own), true
		}
		if ok && filepath.Base(out) != filepath.Base(name) && slices.Contains(outputNames(name, id)[1:], out) {
			s.Renamed = append(s.Renamed, Renamed{name, out})
		}
		return true
	}
	return false
}

// judge sorts failures of files that are not in the input folder into Failed and Past.
func (s *Status) judge(h *history) {
	for id, r := range h.failures {
		if h.standing[id] || id != idOf(r.Sum, h.params) { // or it has other parameters
			continue
		}
		f := Failure{Name: string(r.Name), Reason: r.Why, At: r.At, Moved: string(r.Moved)}
		latest := h.latest[f.Name]
		switch {
		case latest != id && h.jobs[latest].state == done:
			f.Then = "done"
		case latest != id || slices.ContainsFunc(s.Pending, func(p Pending) bool { return p.Name == f.Name }):
			f.Then = "replaced"
		case f.Moved != "" && !gone(f.Moved), len(s.Errors) > 0: // or the input folder cannot be read
			s.Failed = append(s.Failed, f)
			continue
		default:
			f.Then = "gone"
		}
		s.Past = append(s.Past, f)
	}
	byTime := func(a, b Failure) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Name, b.Name)) }
	slices.SortFunc(s.Failed, byTime)
	slices.SortFunc(s.Past, byTime)
}
