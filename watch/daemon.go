package watch

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// Daemon watches a folder. The goroutine of Run owns all state that changes. Others read folders, listen to events and
// work on a file, so that no slow disk or job keeps Run from answering.
type Daemon struct {
	o      Options
	home   *home
	ledger *ledger
	out    *os.Root

	seen      chan []sighting
	scanned   chan scanEnd
	results   chan result
	wanted    chan struct{} // asks for a scan soon
	questions chan chan Snapshot
	ended     chan struct{}
	notifier  *notifier
	helpers   sync.WaitGroup
	disposing sync.Mutex // held while an input is moved or deleted

	files    map[string]*file
	queue    queue
	working  *file
	stopping bool
	pause    time.Time // no file is taken before, after trouble with the output
	troubles int       // failures of the output side or of the worker in a row
	trouble  error     // the last of them
	full     int       // how many of the last of them found the disk full
	scan     scanState
	stats    stats
}

// scanState is the state of the scans.
type scanState struct {
	number  uint32
	running bool
	again   bool // another scan is to follow the running one
	whole   bool // a scan has ended without errors, and no job has ended since it began
	err     error
	polling bool
	timer   *time.Timer
}

// Summary counts what a run has done.
type Summary struct {
	Done, Failed int
	FailedBefore int // files that failed in an earlier run, and have not changed; with Options.Once only
	Left         int // files that are neither done nor failed
}

// New checks the folders, locks the output folder, and reads the ledger. After an error, the Runner is as it was.
func New(o Options) (*Daemon, error) {
	if err := o.prepare(); err != nil {
		return nil, err
	}
	if _, err := os.ReadDir(o.In); err != nil {
		return nil, err
	}
	if err := disk.Make(o.Out); err != nil {
		return nil, err
	}
	if err := o.checkFolders(); err != nil { // again, now that the output folder exists
		return nil, err
	}
	if err := o.noCircle(); err != nil {
		return nil, err
	}
	d := &Daemon{
		o: o, files: map[string]*file{},
		seen: make(chan []sighting), scanned: make(chan scanEnd), results: make(chan result),
		wanted: make(chan struct{}, 1), questions: make(chan chan Snapshot), ended: make(chan struct{}),
	}
	if err := d.open(); err != nil {
		d.release()
		return nil, err
	}
	return d, nil
}

func (d *Daemon) open() (err error) {
	if d.home, err = openHome(d.o.Out); err != nil {
		return err
	}
	if d.out, err = os.OpenRoot(d.o.Out); err != nil {
		return err
	}
	if d.ledger, err = openLedger(d.home.folder, d.o.Params); err != nil {
		return err
	}
	if err := d.ledger.tryCrashedAgain(d.o.Tries); err != nil {
		return err
	}
	if d.ledger.bad > 0 {
		d.o.Log.Warn("damaged lines of the ledger are left out", "lines", d.ledger.bad)
	}
	return d.ledger.add(record{Kind: kindStart, Name: fileName(d.o.In), Params: d.o.Params})
}

// Close unlocks the output folder and closes the Runner. It must be called after Run, or instead of it.
func (d *Daemon) Close() error {
	d.release()
	return d.o.Runner.Close()
}

// release closes what New has opened.
func (d *Daemon) release() {
	if d.ledger != nil {
		d.ledger.shut()
	}
	if d.out != nil {
		d.out.Close()
	}
	if d.home != nil {
		d.home.close()
	}
}

// Rescan asks for a scan now. It can be called from any goroutine.
func (d *Daemon) Rescan() {
	select {
	case d.wanted <- struct{}{}:
	default: // a scan has been asked for already
	}
}

// Run works until the context ends, and then finishes the job at hand if that does not take longer than Options.Grace.
// With Options.Once it returns when there is nothing left to do. It must be called once only. The error is nil or of
// kind ErrOutputGone or ErrFolders; with Options.Once it can be the error of the last scan.
func (d *Daemon) Run(ctx context.Context) (Summary, error) {
	jobs, cancelJobs := context.WithCancel(context.WithoutCancel(ctx))
	helpers, cancelHelpers := context.WithCancel(context.WithoutCancel(ctx))
	d.notifier = d.events()
	d.helpers.Go(func() { d.notifier.run(d.onEvent(helpers), d.onLost) })
	defer func() {
		cancelJobs()
		cancelHelpers()
		close(d.ended)
		d.notifier.close()
		d.waitForHelpers()
	}()
	d.o.Log.Info("watching", "in", d.o.In, "out", d.o.Out, "settle", d.o.Settle.String(), "on-success",
		d.o.OnSuccess.String(),
		"on-failure", d.o.OnFailure.String())
	d.finishSwaps()
	err := d.loop(ctx, jobs, helpers, cancelJobs)
	s := d.summary()
	d.o.Log.Info("stopped", "done", s.Done, "failed", s.Failed, "failed-before", s.FailedBefore, "left", s.Left,
		ifAny("error", err))
	return s, err
}

func (d *Daemon) events() *notifier {
	if d.o.Polling {
		return &notifier{why: errPolling}
	}
	return newNotifier(d.o.In)
}

// waitForHelpers waits for the other goroutines, but not for ever: one may hang in a dead mount.
func (d *Daemon) waitForHelpers() {
	all := make(chan struct{})
	go func() {
		d.helpers.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-time.After(2 * time.Second):
	}
}

// loop handles everything that happens until the daemon ends.
func (d *Daemon) loop(ctx, jobs, helpers context.Context, cancelJobs func()) error {
	due := time.NewTimer(0)
	d.scan.timer = time.NewTimer(0) // the first scan is now
	beat := time.NewTicker(time.Second)
	defer due.Stop()
	defer d.scan.timer.Stop()
	defer beat.Stop()
	end, tooLate := ctx.Done(), (<-chan time.Time)(nil)
	for {
		d.dispatch(jobs, due)
		if d.stopping && d.working == nil {
			return nil
		}
		if d.o.Once && d.drained() {
			return d.scan.err
		}
		select {
		case <-end:
			d.stopping, end = true, nil
			if d.working != nil {
				d.o.Log.Info("stopping after the job at hand", "file", d.working.name, "within", d.o.Grace.String())
			}
			defer time.AfterFunc(d.o.Grace, cancelJobs).Stop()
			tooLate = time.After(d.o.Grace + 2*time.Second)
		case <-tooLate: // even a kill has not ended the job; the ledger knows that it has no verdict
			return nil
		case <-due.C:
		case batch := <-d.seen:
			for _, s := range batch {
				d.found(s)
			}
		case r := <-d.results:
			if err := d.took(r); err != nil {
				return err
			}
		case end := <-d.scanned:
			if err := d.endScan(end); err != nil {
				return err
			}
		case <-d.scan.timer.C:
			d.startScan(helpers)
		case <-d.wanted:
			d.scan.timer.Reset(0)
		case q := <-d.questions:
			q <- d.snapshot()
		case <-beat.C:
			d.o.Beat()
		}
	}
}

// dispatch starts the job for the next file if it is time, and sets the timer if not.
func (d *Daemon) dispatch(jobs context.Context, due *time.Timer) {
	f := d.queue.next()
	if d.stopping || d.working != nil || f == nil {
		due.Stop()
		return
	}
	at := f.due
	if d.pause.After(at) {
		at = d.pause
	}
	if wait := time.Until(at); wait > 0 {
		due.Reset(wait)
		return
	}
	if d.troubles > 0 {
		f = d.queue.minTried(time.Now())
	}
	d.queue.drop(f)
	d.working = f
	d.helpers.Go(func() {
		r := d.process(jobs, f)
		select {
		case d.results <- r:
		case <-d.ended:
		}
	})
}

// found handles a file that a scan or an event has seen.
func (d *Daemon) found(s sighting) {
	now := time.Now()
	sum, settled, ok := d.ledger.known(s.name, s.stamp) // of files that wait, too: see tidy
	f := d.files[s.name]
	if f != nil {
		f.scan = d.scan.number
		switch {
		case f == d.working:
			f.newer = &s.stamp
		case f.aside && f.stamp.content() == s.stamp.content(): // an event of its renames, which came late
		case f.stamp != s.stamp:
			f.stamp, f.tries, f.aside = s.stamp, 0, false
			d.queue.put(f, now.Add(d.o.Settle))
		}
		return
	}
	wait := d.o.Settle
	if ok && settled {
		return
	}
	if ok {
		verdict := d.ledger.verdict(sum)
		if verdict == done && d.o.OnSuccess == (Policy{}) || verdict == failed && d.o.OnFailure == (Policy{}) {
			if d.ledger.settle(s.name); verdict == failed && d.o.Once {
				d.stats.before++
				d.o.Log.Warn("failed in an earlier run", "file", s.name)
			}
			return
		}
		if verdict == failed {
			wait = d.linger()
		}
	}
	f = &file{name: s.name, stamp: s.stamp, first: now, place: -1, scan: d.scan.number}
	d.files[s.name] = f
	d.queue.put(f, now.Add(wait))
}

// linger is how long a failed file must stay unchanged before it is moved: its writer may only have paused.
func (d *Daemon) linger() time.Duration { return 10 * d.o.Settle }

// took handles the result of a job. An error ends the daemon.
func (d *Daemon) took(r result) error {
	f, now := r.file, time.Now()
	d.working, d.scan.whole = nil, false
	f.scan = d.scan.number // a scan that runs may have missed it while it was set aside
	d.stats.count(r)
	if r.trouble {
		d.troubles++
		d.trouble = r.err
		d.pause = now.Add(backoff(d.troubles, 30*time.Second))
		if errors.Is(markFull(r.err), errFull) {
			d.full++
		} else {
			d.full = 0
		}
	} else if r.verdict == done || r.outcome == finished && r.verdict != failed {
		d.troubles, d.full = 0, 0
	}
	switch r.outcome {
	case fatal:
		return r.err
	case finished, absent:
		delete(d.files, f.name)
	case stopped: // it is left
	case lingers:
		f.tries = 0
		d.queue.put(f, now.Add(d.linger()))
	case waits:
		f.stamp, f.tries = r.stamp, 0
		d.queue.put(f, now.Add(d.o.Settle))
	case renames:
		d.queue.put(f, now)
	case retries:
		f.tries++
		f.stamp, f.aside = cmp.Or(r.stamp, f.stamp), r.stamp != Stamp{}
		pause := backoff(f.tries, 10*time.Minute)
		d.o.Log.Warn("retry", "file", f.name, "error", r.err, "in", pause.String(), "tries", f.tries)
		d.queue.put(f, now.Add(pause))
	}
	if len(d.files) == 0 {
		d.troubles, d.full = 0, 0
	}
	if newer := f.newer; newer != nil {
		f.newer = nil
		d.found(sighting{f.name, *newer})
	}
	return nil
}

// drained says whether nothing is left to do now. Files that failed three times in a row are left for another run, and
// so are all files if the disk was full three times in a row: each of them would have to wait as long.
func (d *Daemon) drained() bool {
	if d.working != nil || d.scan.running || d.scan.number == 0 {
		return false
	}
	if d.full >= 3 {
		d.o.Log.Error("the disk is full, so the rest is left", "files", len(d.files))
		return true
	}
	for _, f := range d.queue {
		if f.tries < 3 {
			return false
		}
	}
	return d.scan.whole || d.scan.err != nil
}

func (d *Daemon) summary() Summary {
	return Summary{Done: d.stats.done, Failed: d.stats.failed, FailedBefore: d.stats.before, Left: len(d.files)}
}
