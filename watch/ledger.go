package watch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// ledger remembers what was done. It is a file of lines, each with a checksum. Lines are only appended, and flushed
// before anything relies on them. A line says everything about its job, so only the last line of a job counts. A line
// that a crash cut off counts as not written.
//
// In memory it takes some 50 bytes for each content ever done, and a note for each file of the input folder.
type ledger struct {
	mu     sync.Mutex
	folder *disk.Folder // the state folder
	file   *os.File     // nil after close; see handle
	ended  bool
	params string
	input  string // the input folder of the last start
	size   int64  // where the next line goes
	torn   bool   // the last line may have no end
	lines  int
	bad    int // lines that were not valid when the file was read

	jobs  map[ID]job
	open  map[ID]record // jobs that began and have no verdict
	swaps map[ID]record // swaps that began and are not through, by the newer job
	names map[string]note
	scan  uint32 // number of whole scans, to find names that are gone; see tidy
}

// job is how far a job is, and the offset of its last line in the file.
type job struct {
	where int64
	state state
}

type state uint8

const (
	unknown state = iota
	begun
	done
	failed
)

// note is what is known about a file of the input folder.
type note struct {
	stamp Stamp
	sum   Sum
	where int64
	scan  uint32

	settled bool
}

// openLedger reads the ledger in the folder, or makes an empty one.
func openLedger(folder *disk.Folder, params string) (*ledger, error) {
	l := newLedger(folder, params)
	if err := l.load(); err != nil {
		l.close()
		return nil, err
	}
	return l, folder.Sync()
}

// handle returns the file, open.
func (l *ledger) handle() (*os.File, error) {
	if l.ended {
		return nil, &os.PathError{Op: "open", Path: l.path(), Err: os.ErrClosed}
	}
	if l.file == nil {
		f, err := l.folder.OpenOrCreate(ledgerName)
		if err != nil {
			return nil, err
		}
		l.file = f
	}
	return l.file, nil
}

func newLedger(folder *disk.Folder, params string) *ledger {
	return &ledger{folder: folder, params: params, jobs: map[ID]job{}, open: map[ID]record{}, swaps: map[ID]record{},
		names: map[string]note{}}
}

// path is for messages.
func (l *ledger) path() string { return filepath.Join(l.folder.Path(), ledgerName) }

// load fills the memory from the file.
func (l *ledger) load() error {
	f, err := l.handle()
	if err != nil {
		return err
	}
	whole, err := eachLine(f, func(where int64, line []byte) {
		if r, ok := parseRecord(line); ok {
			l.remember(where, r)
		} else {
			l.bad++
		}
		l.lines++
	})
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	l.size, l.torn = info.Size(), info.Size() != whole
	if l.torn {
		l.bad++
	}
	return nil
}

// eachLine calls f with each line that has an end, and returns the offset where the last one ends.
func eachLine(file *os.File, f func(where int64, line []byte)) (int64, error) {
	r := bufio.NewReaderSize(io.NewSectionReader(file, 0, 1<<62), 1<<16)
	where := int64(0)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return where, err
		}
		f(where, bytes.TrimSuffix(line, []byte{'\n'}))
		where += int64(len(line))
	}
}

// remember updates the memory with a record.
func (l *ledger) remember(where int64, r record) {
	states := map[string]state{kindTry: begun, kindWait: begun, kindDone: done, kindMoved: done, kindFailed: failed}
	switch s, isJob := states[r.Kind], states[r.Kind] != unknown; {
	case r.Kind == kindStart:
		if l.input != "" && l.input != string(r.Name) {
			clear(l.names) // they were about other files
		}
		l.input = string(r.Name)
	case isJob && s == begun:
		l.jobs[r.ID] = job{where, s}
		l.open[r.ID] = r
	case r.Kind == kindSwap:
		l.swaps[r.ID] = r
	case isJob:
		l.jobs[r.ID] = job{where, s}
		delete(l.open, r.ID)
		if delete(l.swaps, r.ID); r.Old != (ID{}) {
			l.swaps[r.ID] = r
		}
	}
	if r.Name != "" && (r.Kind == kindDone || r.Kind == kindFailed || r.Kind == kindSeen) {
		l.names[string(r.Name)] = note{stamp: r.Stamp, sum: r.Sum, where: where, scan: l.scan}
	}
}

// wallClock is for people only: nothing but the time of a record comes from it, so it may be wrong, and step.
var wallClock = time.Now

// add writes a record and flushes it to the disk. After an error it counts as not written.
func (l *ledger) add(r record) error { return l.write(r, true) }

// hint writes a record that nothing relies on. It may be lost with the power.
func (l *ledger) hint(r record) error { return l.write(r, false) }

func (l *ledger) write(r record, flush bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.At = wallClock().UTC().Truncate(time.Second)
	line, err := r.line()
	if err != nil {
		return err
	}
	if l.torn {
		line = append([]byte{'\n'}, line...)
	}
	f, err := l.handle()
	if err != nil {
		return err
	}
	_, err = f.WriteAt(line, l.size)
	if err == nil && flush {
		err = disk.Flush(f)
	}
	if err != nil {
		l.takeBack(f)
		return withPath(err, l.path())
	}
	where := l.size
	if l.torn {
		where++
		l.lines++
	}
	l.size, l.torn = l.size+int64(len(line)), false
	l.lines++
	l.remember(where, r)
	return nil
}

// takeBack removes what was written of a line that failed. If that fails too, the remains stay as a line that is not
// valid.
func (l *ledger) takeBack(f *os.File) {
	if f.Truncate(l.size) == nil {
		return
	}
	l.torn = true
	if info, err := f.Stat(); err == nil {
		l.size = info.Size()
	}
}

// settle notes that nothing is left to do for a file as long as its stamp stays. The note lasts until the next start.
func (l *ledger) settle(name string) { l.change(name, func(n *note) { n.settled = true }) }

// restamp notes that a known file has the same content and another stamp. The note lasts until the next start.
func (l *ledger) restamp(name string, stamp Stamp) { l.change(name, func(n *note) { n.stamp = stamp }) }

// change changes what is known about a file.
func (l *ledger) change(name string, how func(*note)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.names[name]; ok {
		how(&n)
		l.names[name] = n
	}
}

// tryCrashedAgain takes back the bad verdict on jobs that crashed less often than they may crash now.
func (l *ledger) tryCrashedAgain(tries int) error {
	crashed, err := l.crashed(tries)
	for _, r := range crashed {
		r.Kind, r.Why = kindWait, ""
		err = errors.Join(err, l.hint(r))
	}
	return err
}

// shut closes the file for good: a job that could not be ended must not write to the ledger of the next daemon.
func (l *ledger) shut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.close()
	l.ended = true
}

func (l *ledger) close() {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}
