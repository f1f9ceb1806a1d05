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

// ErrConflict means that two inputs have one output, or that an output would replace an input. Nothing has been done
// then.
var ErrConflict = errors.New("conflict of names")

// conflict is ErrConflict with its own text.
type conflict struct{ text string }

func (c conflict) Error() string { return c.text }
func (c conflict) Unwrap() error { return ErrConflict }

func conflictf(format string, args ...any) error { return conflict{fmt.Sprintf(format, args...)} }

// Naming says where the outputs go.
type Naming struct {
	File    string // the output of the only input
	Folder  string // all outputs are below it, in the places of their inputs
	InPlace bool   // outputs replace their inputs
	// Without any of these, an output goes beside its input.

	Suffix string         // comes after the name without its extension
	Format imageio.Format // decides the extension; 0 keeps it
}

// DefaultSuffix is the suffix of outputs that go beside their inputs.
const DefaultSuffix = "-denoised"

// Item is an input and its output.
type Item struct {
	Input
	Out string
}

// Name gives each input its output. If an input is the output of another input, an earlier call made it beside that
// one, and it is left out. The error is of kind ErrConflict, and names both files.
func (n Naming) Name(f *Found) ([]Item, error) {
	if err := n.checkRoots(f.Roots); err != nil {
		return nil, err
	}
	items := make([]Item, 0, len(f.Inputs))
	for _, in := range f.Inputs {
		if is, _ := imageio.InputFormatOf(in.Path); n.InPlace && writtenAs(in.Path, is) != 0 {
			f.Refused = append(f.Refused,
				Refusal{in.Path, fmt.Errorf("%w: %v files are read only; give -o, or leave out --in-place",
					imageio.ErrUnsupported, is)})
			continue
		}
		out, err := n.output(in, false)
		if err != nil {
			return nil, err
		}
		items = append(items, Item{in, out})
	}
	n.tellApart(items)
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

// tellApart gives those of several inputs with one output whose extension changes a longer name, with the extension of
// the input, too: a.JPG and a.jpeg become a.JPG.png and a.jpeg.png. The case of letters never matters for that, so that
// names are the same on all systems.
func (n Naming) tellApart(items []Item) {
	key := func(it Item) string { return strings.ToLower(filepath.Clean(it.Out)) }
	inputs := map[string]int{}
	for _, it := range items {
		inputs[key(it)]++
	}
	for i, it := range items {
		if inputs[key(it)] > 1 {
			items[i].Out, _ = n.output(it.Input, true)
		}
	}
}

func (n Naming) beside() bool { return n.File == "" && n.Folder == "" && !n.InPlace }

// output returns the output of an input. Long says that its name has the extension of the input, even if it gets
// another one.
func (n Naming) output(in Input, long bool) (string, error) {
	switch {
	case n.File != "":
		return n.File, nil
	case n.InPlace:
		return inPlace(in.Path)
	case n.Folder != "":
		if !filepath.IsLocal(in.Rel) { // a file given as ".." or the like
			return "", conflictf("%s has no place below %s", in.Path, n.Folder)
		}
		if in.Other {
			return filepath.Join(n.Folder, in.Rel), nil
		}
		return filepath.Join(n.Folder, n.rename(in.Rel, in.Path, long)), nil
	}
	return n.rename(in.Path, in.Path, long), nil
}

// inPlace returns the path of the file itself: a link is not what is to be replaced.
func inPlace(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path, nil // reading it will give the error
	}
	if real == filepath.Clean(path) {
		return path, nil
	}
	return real, nil
}

// rename inserts the suffix, and changes the extension unless it fits the format already. A name that is no image's
// gets the extension of what the file at a path holds. For Long see output.
func (n Naming) rename(path, at string, long bool) string {
	ext := extensionOf(path)
	stem := strings.TrimSuffix(path, ext)
	if strings.EqualFold(ext, ".stk") { // the output is no file of MetaMorph
		ext = extensions[imageio.TIFF]
	}
	is, _ := imageio.InputFormatOf(path)
	to := n.Format
	if to == 0 {
		to = writtenAs(path, is)
	}
	if to == 0 && is == 0 {
		to = heldBy(at)
	}
	if to != 0 && is != to {
		if is == 0 || long { // an ending that is no image's stays a part of the name
			stem = path
		}
		ext = extensions[to]
	}
	return stem + n.Suffix + ext
}

// extensionOf returns the extension of a name, with both parts of one like .ome.tif.
func extensionOf(path string) string {
	ext := filepath.Ext(path)
	if before := filepath.Ext(strings.TrimSuffix(path, ext)); strings.EqualFold(before, ".ome") {
		return before + ext
	}
	return ext
}

// writtenAs returns the format of the output of an input whose own format is only read, and 0 for others.
func writtenAs(path string, is imageio.Format) imageio.Format {
	switch {
	case is == 0 || extensions[is] != "":
		return 0
	case strings.EqualFold(filepath.Ext(path), ".pfm"): // floats
		return imageio.TIFF
	}
	return imageio.PNG
}

// heldBy returns the format of the output of a file by its content, and 0 if that is no image.
func heldBy(path string) imageio.Format {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	about, err := imageio.ReadInfo(path, imageio.ReadOptions{SkipUnsupported: true})
	if err != nil {
		return 0
	}
	if extensions[about.Format] == "" { // only read
		return imageio.PNG
	}
	return about.Format
}

var extensions = map[imageio.Format]string{imageio.PNG: ".png", imageio.JPEG: ".jpg", imageio.TIFF: ".tif",
	imageio.DNG: ".dng"}

// withoutResults drops inputs that are outputs of other inputs: an earlier call made them.
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

// checkRoots refuses an output folder that is, or lies in, a folder that is searched, also under another name: the next
// run would take the outputs for inputs.
func (n Naming) checkRoots(roots []string) error {
	if len(roots) == 0 || n.InPlace {
		return nil
	}
	if n.File != "" {
		return conflictf("the output of the folder %s is the file %s", roots[0], n.File)
	}
	if n.Folder == "" {
		return conflictf("the folder %s needs an output folder, such as -o cleaned/", roots[0])
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

// realFolder returns the path without links, or that of the nearest folder above it that exists.
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
			return conflictf("%s and %s would both be written to %s, where case does not matter", from[other], it.Path,
				it.Out)
		}
		folded[lower] = out
	}
	return nil
}

// foldsCase is ignoresCase, but in tests of file systems that are not at hand.
var foldsCase = ignoresCase

// ignoresCase says whether names that differ only in case are the same in a folder, or in the nearest one above it that
// exists.
func ignoresCase(dir string) bool {
	dir, err := filepath.Abs(dir)
	return err == nil && disk.FoldsCase(realFolder(dir))
}

// noInput refuses outputs that are inputs. To be quick, it compares an existing output only with
// inputs of the same size and time.
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
