package batch

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// list adds the files whose names a file lists. A relative name keeps its folders below the output folder, as with tar;
// any other goes to its top.
func (f *finder) list(path string) error {
	names, err := Await(f.ctx, func() ([]string, error) { return f.readList(path) })
	for _, name := range names {
		rel := filepath.Clean(name)
		if !filepath.IsLocal(rel) {
			rel = filepath.Base(rel)
		}
		f.named(name, rel)
	}
	return err
}

// readList returns the names in a file, one a line. Nothing is cut off but the end of the line, and the mark of UTF-8
// at the beginning.
func (f *finder) readList(path string) (names []string, err error) {
	r := f.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		r = file
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxListLine)
	mark := "\ufeff" // editors of Windows begin a text with it
	for lines.Scan() {
		name := strings.TrimSuffix(strings.TrimPrefix(lines.Text(), mark), "\r")
		mark = ""
		if name != "" {
			names = append(names, name)
		}
	}
	return names, lines.Err()
}

// maxListLine is longer than any path that a system takes.
const maxListLine = 1 << 20
