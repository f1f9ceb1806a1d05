package batch

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// list adds the files whose names a file lists, one a line. Nothing is cut off but the end of the line, and the mark of UTF-8 at the
// beginning. A relative name keeps its folders below the output folder, as with tar; any other goes to its top.
func (f *finder) list(path string) error {
	var r io.Reader
	if path == "-" {
		r = f.Stdin
	} else {
		file, err := os.Open(path)
		if err != nil {
			return err
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
		if name == "" {
			continue
		}
		rel := filepath.Clean(name)
		if !filepath.IsLocal(rel) {
			rel = filepath.Base(rel)
		}
		f.named(name, rel)
	}
	return lines.Err()
}

// maxListLine is longer than any path that a system takes.
const maxListLine = 1 << 20
