package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// result is the result of working on a file.
type result struct {
	file    *file
	outcome outcome
	stamp   Stamp // for waits and retries: what the file has now; zero if it has the old one
	err     error // for outcomes that are logged with it
	trouble bool  // the error is about the output side, so the next file would meet it too
	verdict state // done or failed, if this attempt found it
	worked  time.Duration
}

type outcome int

const (
	finished outcome = iota // nothing is left to do
	absent                  // the file is gone
	waits                   // the file is changing
	lingers                 // it failed, and is moved to quarantine if it stays unchanged
	retries                 // try again after a pause
	renames                 // the name of the output was taken; try again at once
	stopped                 // the daemon ends
	fatal                   // the daemon has to end
)

// attempt is one try at one file. The order of its steps makes a crash at any point harmless: the try is in the ledger
// before the work, the output is on the disk before the verdict is in the ledger, and only then is the input touched.
type attempt struct {
	d      *Daemon
	file   *file
	began  bool
	record record // what the ledger is to know next
	seen   record // says that the content of this file has a verdict
	state  state  // verdict of an earlier attempt at the same content
	poison string // why there will be no other try
	err    error  // of begin
}

func (d *Daemon) process(ctx context.Context, f *file) result {
	if err := d.home.check(); err != nil {
		if errors.Is(err, ErrOutputGone) {
			return result{file: f, outcome: fatal, err: err}
		}
		return result{file: f, outcome: retries, err: err, trouble: true}
	}
	r := d.try(ctx, f)
	if r.outcome == retries { // an error is no harm: the log says the same
		d.ledger.hint(record{Kind: kindRetry, Name: fileName(f.name), Stamp: cmp.Or(r.stamp, f.stamp),
			Tries: f.tries + 1, Why: shortened(r.err.Error())})
	}
	return r
}

func (d *Daemon) try(ctx context.Context, f *file) result {
	if sum, _, ok := d.ledger.known(f.name, f.stamp); ok {
		_, s, r, err := d.ledger.state(sum)
		if err != nil {
			return result{file: f, outcome: retries, err: err, trouble: true}
		}
		if s == done || s == failed {
			return d.finish(f, s, r)
		}
	}
	a := &attempt{d: d, file: f}
	start := time.Now()
	text, err := d.o.Runner.Run(ctx, Source{d.o.In, f.name, f.stamp}, a.begin)
	r := a.end(ctx, text, err, time.Since(start))
	r.worked = time.Since(start)
	return r
}

// begin decides, with the digest in hand, whether there is work, and where it goes.
func (a *attempt) begin(sum Sum) Target {
	id, s, last, err := a.d.ledger.state(sum)
	if err != nil {
		a.err = err
		return Target{}
	}
	if s == failed && last.Crashes > 0 && last.Name == fileName(a.file.name) &&
		last.Stamp.content() != a.file.stamp.content() {
		s, last = begun, record{} // somebody touched it, to have it tried again
	}
	a.record = record{ID: id, Sum: sum, Name: fileName(a.file.name), Stamp: a.file.stamp, Crashes: last.Crashes}
	if s == done || s == failed {
		a.seen = a.record
		a.seen.Kind, a.seen.Out, a.seen.Why, a.seen.Crashes = kindSeen, "", "", 0
		a.state, a.record = s, last
		return Target{}
	}
	if last.Starts >= a.d.o.Restarts {
		a.poison = fmt.Sprintf("the daemon ended %d times in the middle of it", last.Starts)
		return Target{}
	}
	out, err := a.d.chooseOutput(a.file.name, id, last)
	if err != nil {
		a.err = err
		return Target{}
	}
	a.record.Out, a.record.Starts = fileName(out), last.Starts+1
	if a.err = a.note(kindTry); a.err != nil {
		return Target{}
	}
	a.began = true
	return Target{a.d.o.Out, out}
}

// note writes a record of this attempt.
func (a *attempt) note(kind string) error {
	a.record.Kind = kind
	return a.d.ledger.add(a.record)
}

func (a *attempt) fail(why string) error {
	a.record.Why = shortened(why)
	return a.note(kindFailed)
}

// shortened returns a reason of a length that suits the ledger.
func shortened(why string) string {
	const longest = 500
	return strings.ToValidUTF8(why[:min(len(why), longest)], "")
}

// end turns what the runner returned into a result.
func (a *attempt) end(ctx context.Context, text string, err error, took time.Duration) result {
	switch {
	case ctx.Err() != nil && err != nil:
		a.pause()
		return result{file: a.file, outcome: stopped}
	case a.err != nil:
		return a.trouble(a.err)
	case a.poison != "":
		return a.refused(a.poison)
	case a.state != unknown:
		return a.settled()
	case err == nil:
		return a.done(text, took)
	case !a.began:
		return a.unread(err)
	case errors.Is(err, ErrRefused):
		return a.refused(err.Error())
	case errors.Is(err, ErrCrashed):
		return a.crashed(err)
	case errors.Is(err, fs.ErrExist):
		next := nextOutput(a.file.name, string(a.record.Out), a.record.ID)
		if next == string(a.record.Out) {
			return a.retry(err)
		}
		a.record.Out = fileName(next)
		a.pause()
		return result{file: a.file, outcome: renames}
	}
	return a.trouble(err)
}

// settled handles a content that has its verdict from another name or time.
func (a *attempt) settled() result {
	if a.record.Name != fileName(a.file.name) {
		a.tellSame()
	}
	if a.state == done {
		a.record = a.d.promote(a.file.name, a.record)
		var err error
		if a.seen, err = a.d.duplicate(a.seen, a.record); err != nil {
			return a.trouble(err)
		}
	}
	if err := a.d.ledger.add(a.seen); err != nil {
		return a.trouble(err)
	}
	return a.d.finish(a.file, a.state, a.record)
}

// tellSame logs which other file has the content, and whether somebody has taken its output away.
func (a *attempt) tellSame() {
	words := []any{"file", a.file.name, "as", string(a.record.Name)}
	switch {
	case a.state == failed:
		words = append(words, "failed", a.record.Why)
	case a.d.isFree(string(a.record.Out)):
		words = append(words, "output", string(a.record.Out), "note", "that output is not there any more")
	default:
		words = append(words, "output", string(a.record.Out))
	}
	a.d.o.Log.Info("same content", words...)
	if a.d.isFree(a.file.name) {
		return
	}
	older, found, err := a.d.ledger.maker(a.file.name)
	if err == nil && found && older.ID != a.record.ID {
		a.d.o.Log.Warn("the output under this name shows an older version of the file", "file", a.file.name, "see",
			string(a.record.Out))
	}
}

func (a *attempt) done(text string, took time.Duration) result {
	a.record.Starts, a.record.Crashes = 0, 0
	if info, err := a.d.out.Lstat(filepath.FromSlash(string(a.record.Out))); err == nil {
		a.record.Made = stampOf(info)
	}
	swap, promote := a.d.planSwap(a.file.name, a.record)
	if promote { // in the same record, so that no kill can come in between
		a.record.Old, a.record.Aside, a.record.Was = swap.Old, swap.Aside, swap.Was
	}
	if err := a.note(kindDone); err != nil {
		return a.trouble(err)
	}
	if promote {
		a.record = a.d.carryOut(a.record)
	}
	a.d.o.Log.Info("done", "file", a.file.name, "output", string(a.record.Out), "seconds",
		float64(took.Milliseconds())/1000, "note", text)
	r := a.d.finish(a.file, done, a.record)
	r.verdict = done
	return r
}

// unread handles a file that could not be read.
func (a *attempt) unread(err error) result {
	switch {
	case errors.Is(err, errNoWorker):
		return a.trouble(err)
	case errors.Is(err, fs.ErrNotExist):
		return result{file: a.file, outcome: absent}
	case errors.Is(err, ErrChanging):
		now, lookErr := look(a.d.o.In, a.file.name)
		if lookErr != nil && isGone(lookErr) {
			return result{file: a.file, outcome: absent}
		}
		return result{file: a.file, outcome: waits, stamp: now}
	}
	return result{file: a.file, outcome: retries, err: err}
}

func (a *attempt) refused(why string) result {
	if err := a.fail(why); err != nil {
		return a.trouble(err)
	}
	r := result{file: a.file, outcome: lingers}
	if a.d.o.OnFailure == (Policy{}) {
		a.d.o.Log.Warn("failed", "file", a.file.name, "reason", why)
		r = a.d.finish(a.file, failed, a.record)
	} else {
		a.d.o.Log.Warn("failed", "file", a.file.name, "reason", why, "moves-in", a.d.linger().String())
	}
	r.verdict = failed
	return r
}

func (a *attempt) crashed(err error) result {
	a.record.Crashes++
	if a.record.Crashes >= a.d.o.Tries {
		return a.refused(fmt.Sprintf("crashed %d times: %v", a.record.Crashes, err))
	}
	a.pause()
	return result{file: a.file, outcome: retries, err: err}
}

func (a *attempt) retry(err error) result {
	a.pause()
	return result{file: a.file, outcome: retries, err: err}
}

// trouble is retry for an error that the next file would meet too.
func (a *attempt) trouble(err error) result {
	r := a.retry(err)
	r.trouble = true
	return r
}

// pause notes that a try has ended without a verdict. If the note cannot be written, the next start counts one death of
// the daemon too many, which does no harm.
func (a *attempt) pause() {
	if !a.began {
		return
	}
	a.record.Starts, a.record.Why = 0, ""
	if err := a.note(kindWait); err != nil {
		a.d.o.Log.Warn("ledger", "error", err)
	}
}

// restamp returns the stamp of a file that was set aside and brought back, which has changed a time of its inode.
// Without it, the file would count as a new one.
func (d *Daemon) restamp(f *file) Stamp {
	now, err := look(d.o.In, f.name)
	if err != nil || now.content() != f.stamp.content() {
		return f.stamp
	}
	d.ledger.restamp(f.name, now)
	return now
}

// lost says why the output of a done job cannot stand for its input: it is gone, or another file has its name. It
// returns "" if the output is there as it was made. A rename or another owner does not change it.
func (d *Daemon) lost(r record) (why string, err error) {
	info, err := d.out.Lstat(filepath.FromSlash(string(r.Out)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "its output is gone", nil
	case err != nil:
		return "", err
	case stampOf(info).content() != r.Made.content():
		return "its output was changed or replaced", nil
	}
	return "", nil
}

// finish does what the policy asks for after a verdict. An input is moved or deleted only while its output is there, as
// it was made.
func (d *Daemon) finish(f *file, s state, r record) result {
	policy := d.o.OnSuccess
	if s == failed {
		policy = d.o.OnFailure
	}
	keep := policy == (Policy{})
	if s == done && !keep {
		why, err := d.lost(r)
		if err != nil {
			return result{file: f, outcome: retries, err: err, trouble: true}
		}
		if keep = why != ""; keep {
			d.o.Log.Warn("kept", "file", f.name, "reason", "done before, but "+why, "output", string(r.Out))
		}
	}
	if keep {
		d.ledger.settle(f.name)
		return result{file: f, outcome: finished}
	}
	d.disposing.Lock()
	moved, err := dispose(policy, d.o.In, f.name, f.stamp)
	d.disposing.Unlock()
	switch {
	case errors.Is(err, ErrChanging):
		now, _ := look(d.o.In, f.name)
		return result{file: f, outcome: waits, stamp: now}
	case err != nil && isGone(err):
		return result{file: f, outcome: absent}
	case err != nil: // a folder to move to is the same for the next file
		return result{file: f, outcome: retries, err: err, stamp: d.restamp(f), trouble: policy.MoveTo != ""}
	}
	if s == failed {
		err = giveReason(moved, r.Why, r.ID)
		r.Kind, r.Moved = kindFailed, fileName(moved)
		err = errors.Join(err, d.ledger.add(r))
	}
	if policy.Delete {
		d.o.Log.Info("deleted", "file", f.name)
	} else {
		d.o.Log.Info("moved", "file", f.name, "to", moved, ifAny("error", err))
	}
	return result{file: f, outcome: finished}
}
