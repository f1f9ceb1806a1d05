package watch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
)

// known returns the digest of a file's bytes if they have been read before. It is called for every file of a scan.
func (l *ledger) known(name string, stamp Stamp) (sum Sum, settled, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.names[name]
	if !ok {
		return Sum{}, false, false
	}
	if n.scan != l.scan {
		n.scan = l.scan
		l.names[name] = n
	}
	return n.sum, n.settled, n.stamp == stamp
}

// crashed returns the failed jobs with fewer crashes than tries.
func (l *ledger) crashed(tries int) (list []record, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, j := range l.jobs {
		if j.state != failed {
			continue
		}
		r, err := l.at(j.where)
		if err != nil {
			return nil, err
		}
		if r.Crashes > 0 && r.Crashes < tries && r.Moved == "" {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b record) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return list, nil
}

// verdict returns how far the job is with the content.
func (l *ledger) verdict(sum Sum) state {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.jobs[idOf(sum, l.params)].state
}

// state returns how far the job is with the content, and its last record.
func (l *ledger) state(sum Sum) (ID, state, record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := idOf(sum, l.params)
	j, ok := l.jobs[id]
	if !ok {
		return id, unknown, record{}, nil
	}
	if r, ok := l.open[id]; ok {
		return id, j.state, r, nil
	}
	r, err := l.at(j.where)
	return id, j.state, r, err
}

// last returns the last record of a job.
func (l *ledger) last(id ID) (record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j, ok := l.jobs[id]
	if !ok {
		return record{}, &os.PathError{Op: "read", Path: l.path(), Err: os.ErrNotExist}
	}
	return l.at(j.where)
}

// failing counts the files whose content has a bad verdict.
func (l *ledger) failing() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, note := range l.names {
		if l.jobs[idOf(note.sum, l.params)].state == failed {
			n++
		}
	}
	return n
}

// openSwaps returns the swaps that are not through.
func (l *ledger) openSwaps() []record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.swaps))
}

// maker finds the job whose output has a name. It reads the whole file, so it is called only when a name is taken.
func (l *ledger) maker(out string) (r record, found bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err = l.eachNamed(out, func(one record, where int64) {
		if (one.Kind == kindDone || one.Kind == kindMoved) && string(one.Out) == out && l.jobs[one.ID].where == where {
			r, found = one, true
		}
	})
	return r, found, err
}

// eachNamed calls f with the records that have a name in them, and their offsets.
func (l *ledger) eachNamed(name string, f func(r record, where int64)) error {
	file, err := l.handle()
	if err != nil {
		return err
	}
	text, err := json.Marshal(fileName(name))
	if err != nil {
		return err
	}
	_, err = eachLine(file, func(where int64, line []byte) {
		if !bytes.Contains(line, text) {
			return
		}
		if r, ok := parseRecord(line); ok {
			f(r, where)
		}
	})
	return err
}

// at reads the record at an offset in the file.
func (l *ledger) at(where int64) (record, error) {
	f, err := l.handle()
	if err != nil {
		return record{}, err
	}
	line, err := bufio.NewReader(io.NewSectionReader(f, where, 1<<20)).ReadBytes('\n')
	if err != nil {
		return record{}, &os.PathError{Op: "read", Path: l.path(), Err: err}
	}
	r, ok := parseRecord(bytes.TrimSuffix(line, []byte{'\n'}))
	if !ok {
		return record{}, &os.PathError{Op: "read", Path: l.path(), Err: errors.New("a line has changed")}
	}
	return r, nil
}
