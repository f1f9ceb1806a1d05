package batch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// History remembers how outputs were made: of which input and with which options. It is a folder with a file for each folder
// of outputs. Such a file has a line of JSON for each output; the last line about an output counts. Lines that are damaged
// or lost only mean that an output is not remembered.
//
// The zero History remembers nothing.
type History struct {
	dir     string
	folders map[string]*folderHistory // by path
}

// folderHistory is what is remembered about the outputs in a folder.
type folderHistory struct {
	dir     string // of the file
	name    string // of the file
	entries map[string]Entry
	lines   int
	torn    bool // the last line has no end
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
	f, err := h.folder(out)
	if err != nil {
		return Entry{}, false
	}
	e, ok := f.entries[filepath.Base(out)]
	return e, ok
}

// Add remembers an output. Of two processes that add to one folder at the same time, both are heard on a local file system.
func (h *History) Add(out string, e Entry) error {
	if h == nil || h.dir == "" {
		return nil
	}
	e.Name = filepath.Base(out)
	f, err := h.folder(out)
	if err != nil {
		return err
	}
	line, err := e.line()
	if err != nil {
		return err
	}
	if f.entries[e.Name] = e; f.lines > 2*len(f.entries)+spareMargin {
		return f.rewrite()
	}
	f.lines++
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return err
	}
	file, err := f.open(os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if f.torn { // the line is lost, but not the next one
		line, f.torn = append([]byte{'\n'}, line...), false
	}
	_, err = file.Write(line)
	return errors.Join(err, file.Close())
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
	if err := f.read(); err != nil && !errors.Is(err, fs.ErrNotExist) {
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

func (f *folderHistory) read() error {
	file, err := f.open(os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewReader(io.LimitReader(file, maxHistory))
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
		f.lines++
		if e.parse(line) == nil && e.Name != "" {
			f.entries[e.Name] = e
		}
	}
}

// rewrite writes the file with a line for each output.
func (f *folderHistory) rewrite() error {
	f.lines, f.torn = len(f.entries), false
	return disk.Write(filepath.Join(f.dir, f.name), disk.WriteOptions{Overwrite: true}, func(w io.Writer) error {
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
