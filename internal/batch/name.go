package batch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// ErrConflict marks names that would make one file stand for two, or lose one. Nothing has been done then.
var ErrConflict = errors.New("conflict of names")

// conflict has a text of its own.
type conflict struct{ text string }

func (c conflict) Error() string { return c.text }
func (c conflict) Unwrap() error { return ErrConflict }

func conflictf(format string, args ...any) error { return conflict{fmt.Sprintf(format, args...)} }

// Naming says where the outputs go.
type Naming struct {
	File    string // of the only input
	Folder  string // of all outputs, which keep the inputs' places below it
	InPlace bool   // outputs replace their inputs
	// Without any of these, an output stands beside its input.

	Suffix string         // comes after the name without its extension
	Format imageio.Format // decides the extension; 0 keeps it
}

// Item is an input and its output.
type Item struct {
	Input
	Out string
}

// Name gives each input its output. What an earlier call made beside an input is left out if it is among the inputs. The
// error is of kind ErrConflict, and names both files.
func (n Naming) Name(f *Found) ([]Item, error) {
	if err := n.checkRoots(f.Roots); err != nil {
		return nil, err
	}
	items := make([]Item, len(f.Inputs))
	for i, in := range f.Inputs {
		out, err := n.output(in)
		if err != nil {
			return nil, err
		}
		items[i] = Item{in, out}
	}
	if n.beside() {
		items = withoutResults(items)
	}
	if err := oneInputEach(items); err != nil {
		return nil, err
	}
	if !n.InPlace {
		if err := noInput(items); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func (n Naming) beside() bool { return n.File == "" && n.Folder == "" && !n.InPlace }

func (n Naming) output(in Input) (string, error) {
	switch {
	case n.File != "":
		return n.File, nil
	case n.InPlace:
		return inPlace(in.Path)
	case n.Folder != "":
		if !filepath.IsLocal(in.Rel) { // of a file given as ".." or the like
			return "", conflictf("%s has no place below %s", in.Path, n.Folder)
		}
		return filepath.Join(n.Folder, n.rename(in.Rel)), nil
	}
	return n.rename(in.Path), nil
}

// inPlace is the file that a name stands for: a link is not what is to be replaced.
func inPlace(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path, nil // the reader will say it
	}
	if real == filepath.Clean(path) {
		return path, nil
	}
	return real, nil
}

// rename puts in the suffix and changes the extension unless it is one of the format.
func (n Naming) rename(path string) string {
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ext)
	if is, _ := imageio.FormatOf(path); n.Format != 0 && is != n.Format {
		if is == 0 { // an ending that is no extension of ours stays a part of the name
			stem = path
		}
		ext = extensions[n.Format]
	}
	return stem + n.Suffix + ext
}

var extensions = map[imageio.Format]string{imageio.PNG: ".png", imageio.JPEG: ".jpg", imageio.TIFF: ".tif"}

// withoutResults drops inputs that are outputs of others: the same call has been made before.
func withoutResults(items []Item) []Item {
	outputs := map[string]bool{}
	for _, it := range items {
		outputs[filepath.Clean(it.Out)] = true
	}
	var left []Item
	for _, it := range items {
		if !outputs[filepath.Clean(it.Path)] {
			left = append(left, it)
		}
	}
	return left
}

// checkRoots refuses an output folder that is, or lies in, a folder that is searched, by whatever name: the next run
// would take the outputs for inputs.
func (n Naming) checkRoots(roots []string) error {
	if len(roots) == 0 || n.InPlace {
		return nil
	}
	if n.File != "" {
		return conflictf("the output of the folder %s is the file %s", roots[0], n.File)
	}
	if n.Folder == "" {
		return conflictf("the folder %s needs an output folder (-o) or --in-place", roots[0])
	}
	at, err := filepath.Abs(n.Folder)
	if err != nil {
		return err
	}
	for at = realFolder(at); ; at = filepath.Dir(at) {
		for _, root := range roots {
			if disk.SameFile(at, root) {
				return conflictf("the output folder %s lies in the input folder %s", n.Folder, root)
			}
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// realFolder is the nearest folder above a path that exists, without links.
func realFolder(path string) string {
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil || path == filepath.Dir(path) {
			return real
		}
		path = filepath.Dir(path)
	}
}

// oneInputEach refuses two inputs with one output.
func oneInputEach(items []Item) error {
	from := map[string]string{}
	folded := map[string]string{}
	for _, it := range items {
		out := filepath.Clean(it.Out)
		if other, ok := from[out]; ok {
			return conflictf("%s and %s would both be written to %s", other, it.Path, it.Out)
		}
		from[out] = it.Path
		lower := strings.ToLower(out)
		if other, ok := folded[lower]; ok && foldsCase(filepath.Dir(out)) {
			return conflictf("%s and %s would both be written to %s, where case does not matter", from[other], it.Path, it.Out)
		}
		folded[lower] = out
	}
	return nil
}

// foldsCase says whether names in a folder differ by more than case, as far as the name of the folder itself, or of the
// first one above it that exists, tells.
func foldsCase(dir string) bool {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	for dir = realFolder(dir); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		base := filepath.Base(dir)
		other := strings.ToUpper(base)
		if other == base {
			other = strings.ToLower(base)
		}
		if other != base {
			return disk.SameFile(dir, filepath.Join(filepath.Dir(dir), other))
		}
	}
	return false
}

// noInput refuses outputs that are inputs. A file has one size and one time, under whatever name, so only inputs that agree
// in these are compared with an output that exists.
func noInput(items []Item) error {
	type print struct{ size, time int64 }
	inputs := map[print][]Item{}
	for _, it := range items {
		if it.Info != nil {
			p := print{it.Info.Size(), it.Info.ModTime().UnixNano()}
			inputs[p] = append(inputs[p], it)
		}
	}
	for _, it := range items {
		info, err := os.Stat(it.Out)
		if err != nil {
			continue
		}
		for _, in := range inputs[print{info.Size(), info.ModTime().UnixNano()}] {
			if os.SameFile(in.Info, info) {
				if in.Path == it.Path {
					return conflictf("the output %s of %s would replace the input", it.Out, in.Path)
				}
				return conflictf("the output %s of %s would replace the input %s", it.Out, it.Path, in.Path)
			}
		}
	}
	return nil
}
