package batch

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// History remembers how outputs were made: of which input and with which options. It is a folder with a file for each
// folder of outputs. Such a file has a line of JSON for each output; the last line about an output counts. Lines that
// are damaged or lost only mean that an output is not remembered.
//
// The zero History remembers nothing.
type History struct {
	dir     string
	mu      sync.Mutex
	folders map[string]*folderHistory // by path
}

// folderHistory is what is remembered about the outputs in a folder.
type folderHistory struct {
	dir     string // of the file
	name    string // of the file
	entries map[string]Entry
	lines   int
	own     int    // of them, added since the file was read
	torn    bool   // the last line has no end
	head    string // the first line of the file that was read
	known   int64  // bytes of whole lines that were read
}

// Entry says how an output was made.
type Entry struct {
	Name    string    `json:"name"` // of the output, in its folder
	Out     Version   `json:"out"`
	In      Version   `json:"in"`
	Path    string    `json:"path"`    // of the input
	Options string    `json:"options"` // a digest
	At      time.Time `json:"at"`

	// Names that are not UTF-8, which JSON text cannot hold.
	NameBytes []byte `json:"name_bytes,omitempty"`
	PathBytes []byte `json:"path_bytes,omitempty"`
}

// line returns the entry as a line of the file.
func (e Entry) line() ([]byte, error) {
	if !utf8.ValidString(e.Name) {
		e.NameBytes = []byte(e.Name)
	}
	if !utf8.ValidString(e.Path) {
		e.PathBytes = []byte(e.Path)
	}
	line, err := json.Marshal(e)
	return append(line, '\n'), err
}

// parse sets the entry from a line of the file.
func (e *Entry) parse(line []byte) error {
	if err := json.Unmarshal(line, e); err != nil {
		return err
	}
	if e.NameBytes != nil {
		e.Name, e.NameBytes = string(e.NameBytes), nil
	}
	if e.PathBytes != nil {
		e.Path, e.PathBytes = string(e.PathBytes), nil
	}
	return nil
}

// Version is the state of a file.
type Version struct {
	Size   int64  `json:"size"`
	Time   int64  `json:"time"` // of the last change, in nanoseconds since 1970
	SHA256 string `json:"sha256"`
}

// Stat compares what is known without reading the file.
func (v Version) Stat(info fs.FileInfo) bool {
	return v.Size == info.Size() && v.Time == info.ModTime().UnixNano()
}

const (
	maxHistory  = 1 << 28 // bytes of a file that are read
	maxEntry    = 1 << 16 // bytes of a line
	spareMargin = 200     // lines that nobody needs any more, before a file is written again without them
)

// OpenHistory returns the history in a folder, which is made when something is added.
func OpenHistory(dir string) *History { return &History{dir: dir} }

// Find returns what is remembered about an output.
func (h *History) Find(out string) (Entry, bool) {
	if h == nil || h.dir == "" {
		return Entry{}, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	f, err := h.folder(out)
	if err != nil {
		return Entry{}, false
	}
	e, ok := f.entries[filepath.Base(out)]
	return e, ok
}

// refresh reads what other processes have added about the folder of an output. An error leaves what is known.
func (h *History) refresh(out string) {
	if h == nil || h.dir == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if f, err := h.folder(out); err == nil {
		f.readOn()
	}
}

// Add remembers an output, unless that is known already. Of two processes that add to one folder at the same time, both
// are heard on a local file system.
func (h *History) Add(out string, e Entry) error {
	if h == nil || h.dir == "" {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e.Name = filepath.Base(out)
	f, err := h.folder(out)
	if err != nil {
		return err
	}
	if old, ok := f.entries[e.Name]; ok && old.Out == e.Out && old.In == e.In && old.Path == e.Path &&
		old.Options == e.Options {
		return nil
	}
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return err
	}
	return f.add(e)
}

// flush puts what was added about the folder of an output on the disk.
func (h *History) flush(out string) error {
	if h == nil || h.dir == "" {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	f, err := h.folder(out)
	if err != nil {
		return err
	}
	file, err := f.open(os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	folder, err := disk.Open(f.dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	return errors.Join(disk.Flush(file), folder.Sync())
}

// add appends an entry to the file, or writes the file again without the lines that nobody needs.
func (f *folderHistory) add(e Entry) error {
	line, err := e.line()
	if err != nil {
		return err
	}
	file, err := f.openLocked()
	if err != nil {
		return err
	}
	defer file.Close()
	if f.entries[e.Name] = e; f.lines > 2*len(f.entries)+spareMargin {
		f.readOn() // what others have added meanwhile
		f.entries[e.Name] = e
		if !claimable {
			file.Close()
		}
		return f.rewrite()
	}
	f.lines++
	f.own++
	if info, err := file.Stat(); err == nil && info.Size() == 0 {
		line = append([]byte(newHead()), line...)
	}
	if f.torn { // the line is lost, but not the next one
		line, f.torn = append([]byte{'\n'}, line...), false
	}
	_, err = file.Write(line)
	return err
}

// openLocked opens the file to add to it, for this process alone where the system can.
func (f *folderHistory) openLocked() (*os.File, error) {
	for {
		file, err := f.open(os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return nil, err
		}
		waitForLock(file)
		here, err1 := file.Stat()
		now, err2 := os.Stat(filepath.Join(f.dir, f.name))
		if err1 != nil || err2 == nil && os.SameFile(here, now) {
			return file, err1
		}
		file.Close() // another process has written the file again meanwhile
		if err2 != nil && !errors.Is(err2, fs.ErrNotExist) {
			return nil, err2
		}
	}
}

// folder returns what is remembered about the folder of an output.
func (h *History) folder(out string) (*folderHistory, error) {
	dir := filepath.Dir(out)
	if f, ok := h.folders[dir]; ok {
		return f, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil { // one folder by whatever way
		abs = real
	}
	sum := sha256.Sum256([]byte(abs))
	f := &folderHistory{dir: h.dir, name: hex.EncodeToString(sum[:16]) + ".jsonl", entries: map[string]Entry{}}
	if err := f.readOn(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if h.folders == nil {
		h.folders = map[string]*folderHistory{}
	}
	h.folders[dir] = f
	return f, nil
}

// open opens the file, which must be a regular one in its folder: others may have put a link there.
func (f *folderHistory) open(flag int, perm fs.FileMode) (*os.File, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := root.Lstat(f.name); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(f.dir, f.name), Err: disk.ErrNotRegular}
	}
	return root.OpenFile(f.name, flag, perm)
}

// readOn reads the lines that were added since the last time, or all if the file is another one.
func (f *folderHistory) readOn() error {
	file, err := f.open(os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	head := headOf(file)
	if head == "" || head != f.head {
		f.lines, f.own, f.known = 0, 0, 0
	}
	f.head, f.lines, f.own = head, f.lines-f.own, 0
	lines := bufio.NewReader(io.NewSectionReader(file, f.known, maxHistory-f.known))
	for {
		line, err := lines.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) && len(line) < maxEntry {
			rest := bytes.Clone(line)
			line, err = lines.ReadSlice('\n')
			line = append(rest, line...)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			f.torn = len(line) > 0
			return nil
		}
		var e Entry
		f.known += int64(len(line))
		f.lines++
		if e.parse(line) == nil && e.Name != "" {
			f.entries[e.Name] = e
		}
	}
}

// headStart begins the first line of a file, which is another one each time that the file is made or written again. The
// system gives a new file the number of one that was removed, so that cannot tell them apart.
const headStart = `{"id":"`

func newHead() string { return headStart + rand.Text() + "\"}\n" }

// headOf returns the first line of a file, or "" if it has none of that kind, as files of older versions.
func headOf(file *os.File) string {
	b := make([]byte, len(newHead()))
	if n, _ := file.ReadAt(b, 0); n < len(b) || !bytes.HasPrefix(b, []byte(headStart)) {
		return ""
	}
	return string(b)
}

// rewrite writes the file with a line for each output.
func (f *folderHistory) rewrite() error {
	f.lines, f.own, f.torn = len(f.entries), 0, false
	return disk.Write(filepath.Join(f.dir, f.name), disk.WriteOptions{Overwrite: true}, func(w io.Writer) error {
		if _, err := io.WriteString(w, newHead()); err != nil {
			return err
		}
		for _, name := range sortedKeys(f.entries) {
			line, err := f.entries[name].line()
			if err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}
