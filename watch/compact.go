package watch

import (
	"bufio"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// slack is the number of lines that the ledger may have beyond twice those it needs.
const slack = 1000

// tidy is called after a scan of the whole folder. It drops the notes about names that the scan did not ask for, but
// could look at; if such a file comes back, it is read again. It writes the file anew if more than half of its lines
// are of no use.
func (l *ledger) tidy(u unseen) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, n := range l.names {
		if n.scan != l.scan && !u.has(name) {
			delete(l.names, name)
		}
	}
	l.scan++
	if l.lines <= 2*(len(l.jobs)+len(l.names))+slack {
		return nil
	}
	return l.compact()
}

// compact writes the lines that count into a new file and gives it the name of the ledger. After a crash the ledger is
// the old or the new file, after an error the old one.
func (l *ledger) compact() error {
	const temp = ledgerName + ".new"
	l.folder.Remove(temp) // left by a daemon that was killed
	f, err := l.folder.OpenOrCreate(temp)
	if err != nil {
		return err
	}
	fresh := newLedger(l.folder, l.params)
	fresh.file, fresh.scan = f, l.scan
	err = l.copyTo(fresh)
	f.Close()
	if err == nil {
		l.close() // some systems rename only closed files; handle opens it again
		err = l.folder.Rename(temp, ledgerName)
	}
	if err != nil {
		l.folder.Remove(temp)
		return err
	}
	l.size, l.lines, l.torn = fresh.size, fresh.lines, false
	l.jobs, l.open, l.swaps, l.names = fresh.jobs, fresh.open, fresh.swaps, fresh.names
	return l.folder.Sync()
}

// copyTo writes the lines that count to the file of fresh, and remembers them there.
func (l *ledger) copyTo(fresh *ledger) error {
	w := bufio.NewWriterSize(fresh.file, 1<<16)
	put := func(r record) error {
		line, err := r.line()
		if err != nil {
			return err
		}
		fresh.remember(fresh.size, r)
		fresh.size += int64(len(line))
		fresh.lines++
		_, err = w.Write(line)
		return err
	}
	if err := put(record{Kind: kindStart, Name: fileName(l.input), Params: l.params}); err != nil {
		return err
	}
	old, err := l.handle()
	if err != nil {
		return err
	}
	var putError error
	_, err = eachLine(old, func(where int64, line []byte) {
		r, ok := parseRecord(line)
		if !ok || putError != nil {
			return
		}
		j, isJob := l.jobs[r.ID]
		n, isNote := l.names[string(r.Name)]
		isJob, isNote = isJob && j.where == where, isNote && n.where == where
		if !isJob && !isNote {
			return
		}
		if putError = put(r); putError == nil && isNote {
			n.where = fresh.names[string(r.Name)].where
			fresh.names[string(r.Name)] = n
		} else if r.Kind == kindDone || r.Kind == kindFailed { // the name is gone, or has another content now
			delete(fresh.names, string(r.Name))
		}
	})
	if err == nil {
		err = putError
	}
	if err != nil {
		return err
	}
	for id, swap := range l.swaps {
		if _, ok := fresh.swaps[id]; ok {
			continue
		}
		if err := put(swap); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return disk.Flush(fresh.file)
}
