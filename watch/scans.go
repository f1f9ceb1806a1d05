package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// scanEnd is how a scan has ended.
type scanEnd struct {
	err    error
	unseen unseen
}

// startScan starts a goroutine that goes through the whole input folder.
func (d *Daemon) startScan(ctx context.Context) {
	if d.scan.running {
		d.scan.again = true
		return
	}
	d.scan.running, d.scan.again, d.scan.whole = true, false, true
	d.scan.number++
	d.notifier.again()
	d.helpers.Go(func() {
		batch := make([]sighting, 0, 256)
		flush := func() {
			d.tell(ctx, batch)
			batch = make([]sighting, 0, 256)
		}
		w := d.walker(func(s sighting) {
			if batch = append(batch, s); len(batch) == cap(batch) {
				flush()
			}
		})
		err := w.walk(ctx, "")
		flush()
		select {
		case d.scanned <- scanEnd{err, w.unseen}:
		case <-ctx.Done():
		}
	})
}

func (d *Daemon) tell(ctx context.Context, batch []sighting) {
	select {
	case d.seen <- batch:
	case <-ctx.Done():
	}
}

func (d *Daemon) walker(found func(sighting)) *walker {
	return &walker{root: d.o.In, match: d.o.Match, enter: d.notifier.add, found: found, strays: d.bringBackStray,
		guard: d.guard}
}

// guard returns an error for an output folder that has come into the input folder by a mount after the start.
func (d *Daemon) guard(info fs.FileInfo) error {
	for _, folder := range []string{d.o.Out, d.o.OnSuccess.MoveTo, d.o.OnFailure.MoveTo} {
		if folder == "" {
			continue
		}
		if other, err := os.Stat(folder); err == nil && os.SameFile(info, other) {
			return failf(ErrFolders, "the folder %s is inside the input folder %s", folder, d.o.In)
		}
	}
	return nil
}

// bringBackStray gives a file its name back that a killed daemon had set aside.
func (d *Daemon) bringBackStray(folder *disk.Folder, aside string) {
	d.disposing.Lock() // then no job is moving or deleting it
	defer d.disposing.Unlock()
	name := strings.TrimPrefix(aside, asidePrefix)
	// no daemon makes such a name
	if _, err := folder.Lstat(aside); err != nil || name == "" || name == "." || name == ".." {
		return
	}
	if err := bringBack(folder, aside, name); err != nil {
		d.o.Log.Warn("bring back", "file", filepath.Join(folder.Path(), aside), "error", err)
	}
}

func (d *Daemon) onEvent(ctx context.Context) func(string) {
	return func(path string) {
		if path == d.notifier.root { // it may be gone
			d.Rescan()
			return
		}
		w := d.walker(func(s sighting) { d.tell(ctx, []sighting{s}) })
		if err := w.visit(ctx, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.Rescan()
		}
	}
}

func (d *Daemon) onLost(err error) {
	d.o.Log.Info("events were lost, scanning", "error", err)
	d.Rescan()
}

// endScan handles the end of a scan. An error ends the daemon.
func (d *Daemon) endScan(end scanEnd) error {
	err := end.err
	if errors.Is(err, ErrFolders) {
		return err
	}
	before := d.scan.err
	d.scan.running, d.scan.err = false, err
	switch {
	case err != nil && fmt.Sprint(before) != err.Error():
		d.o.Log.Error("scan", "error", err)
	case err == nil && before != nil:
		d.o.Log.Info("scan works again")
	}
	d.forgetGone(end.unseen)
	if err := d.ledger.tidy(end.unseen); err != nil {
		d.o.Log.Warn("ledger", "error", err)
	}
	why := d.notifier.blind()
	if polling := why != nil; polling != d.scan.polling || d.scan.number == 1 {
		d.scan.polling = polling
		what := "told of new files by events"
		if polling {
			what = "polling for new files"
		}
		d.o.Log.Info(what, "scan-every", d.o.interval(polling).String(), ifAny("reason", why))
	}
	next := d.o.interval(d.scan.polling || err != nil) // a folder that is gone brings no events when it comes back
	if d.o.Once {
		next = min(next, d.o.Settle)
	}
	if d.scan.again {
		next = 0
	}
	d.scan.timer.Reset(next)
	return nil
}

// forgetGone drops the files that the last scan has not seen, but none that it could not look at.
func (d *Daemon) forgetGone(u unseen) {
	for name, f := range d.files {
		if f.scan != d.scan.number && f != d.working && !u.has(name) {
			d.queue.drop(f)
			delete(d.files, name)
		}
	}
	if len(d.files) == 0 { // no file is left to have trouble with
		d.troubles, d.full = 0, 0
	}
}
