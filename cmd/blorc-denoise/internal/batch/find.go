package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// Input is a file to read.
type Input struct {
	Path string // as it was given or found
	Rel  string // its place below the output folder
	Root string // the folder that it was found in, at any depth, or "" if it was named
	// Info is what the file was when it was found, or nil if there was none. Reading it will give the error.
	Info fs.FileInfo
	// Other says that the file is not named like an image. It is to be copied as it is: see FindOptions.Others.
	Other bool
}

// Refusal is an argument, or something found through one, that cannot be an input.
type Refusal struct {
	Path string
	Err  error
}

// Found is what the arguments stand for.
type Found struct {
	Inputs  []Input
	Refused []Refusal
	Roots   []string // the folders that were searched
	Links   int      // met in folders and not followed
	Folders int      // met in folders and not searched
	Results int      // met in folders beside the input that they were made of, and not taken
	// Passed counts the other files met in folders and not taken, by their extensions in lower case, such as ".txt".
	Passed map[string]int
}

// FindOptions say how to search.
type FindOptions struct {
	Recursive bool      // look into subfolders
	Stdin     io.Reader // read for the argument "@-"
	Others    bool      // take files that are not named like images, too, where they are met in folders
	// Suffixes mark results: of x.png and x-denoised.tif in a folder, the second is not taken if "-denoised" is among
	// them. If only the second matches a pattern, it is.
	Suffixes []string
}

// Find looks up arguments: files, folders, patterns (** matches any number of folders) and @FILE for a list of files,
// one a line. A file that exists is never taken for a pattern.
//
// In folders and patterns it takes files named like the formats that imageio reads (PNG, JPEG, TIFF, WebP, BMP and
// PNM), and leaves out names for which disk.Hidden holds. A file that is named itself, also in a list, is always taken.
// A file that is named twice is taken once. Inputs come in the order of the arguments, and by name within each. It
// returns the error of a list or of the context; errors of single arguments are in Found.Refused.
func Find(ctx context.Context, words []string, o FindOptions) (*Found, error) {
	f := newFinder(ctx, o)
	for _, w := range words {
		if err := f.word(w); err != nil {
			return nil, err
		}
	}
	f.dropResults()
	return &f.Found, ctx.Err()
}

type finder struct {
	Found
	FindOptions
	ctx  context.Context
	seen map[string]bool
}

func newFinder(ctx context.Context, o FindOptions) *finder {
	return &finder{Found: Found{Passed: map[string]int{}}, FindOptions: o, ctx: ctx, seen: map[string]bool{}}
}

// empty refuses a word without letters, such as a variable of a shell that is not set.
func (f *finder) empty(w string) bool {
	if w == "" {
		f.refuse(`""`, fs.ErrNotExist)
	}
	return w == ""
}

func (f *finder) word(w string) error {
	if f.empty(w) {
		return nil
	}
	if list, ok := strings.CutPrefix(w, "@"); ok {
		return f.list(list)
	}
	info, err := os.Stat(w)
	switch {
	case err == nil && info.IsDir():
		f.folder(w, "")
	case err != nil && errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(w, "*?[{"):
		f.pattern(w)
	default:
		f.named(w, filepath.Base(w))
	}
	return nil
}

// named adds a file that was named itself.
func (f *finder) named(path, rel string) {
	info, _ := os.Stat(path)
	f.add(Input{Path: path, Rel: rel, Info: info})
}

func (f *finder) add(in Input) {
	key, err := filepath.Abs(in.Path)
	if err != nil {
		key = filepath.Clean(in.Path)
	}
	if !f.seen[key] {
		f.seen[key] = true
		f.Inputs = append(f.Inputs, in)
	}
}

func (f *finder) refuse(path string, err error) {
	f.Refused = append(f.Refused, Refusal{path, err})
}

// folder adds the images of a folder. Below the output folder they keep their places, under a prefix.
func (f *finder) folder(root, prefix string) {
	f.Roots = append(f.Roots, root)
	f.walk(root, func(walk, path string, e fs.DirEntry) error { return f.file(walk, prefix, path, e) })
}

// walk calls each for the entries below a folder that are no folders.
func (f *finder) walk(root string, each func(walk, path string, e fs.DirEntry) error) {
	// A link that was named is followed, which WalkDir does only if the name ends in a separator.
	walk := strings.TrimRight(root, string(filepath.Separator)) + string(filepath.Separator)
	err := filepath.WalkDir(walk, func(path string, e fs.DirEntry, err error) error {
		switch {
		case f.ctx.Err() != nil:
			return f.ctx.Err()
		case path == walk:
			return err
		case err != nil:
			f.refuse(path, err)
			return nil
		case !e.IsDir():
			return each(walk, path, e)
		case disk.Hidden(e.Name()):
			return filepath.SkipDir
		case !f.Recursive:
			f.Folders++
			return filepath.SkipDir
		}
		return nil
	})
	if err != nil && f.ctx.Err() == nil {
		f.refuse(root, err)
	}
}

// file looks at a file of a folder.
func (f *finder) file(root, prefix, path string, e fs.DirEntry) error {
	switch {
	case !f.takes(e.Name()):
		f.pass(e.Name(), e.Type())
		return nil
	case e.Type()&fs.ModeSymlink != 0:
		f.Links++
		return nil
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	info, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone since the folder was read
	}
	f.found(Input{Path: path, Rel: filepath.Join(prefix, rel), Root: root, Info: info})
	return nil
}

// pattern adds what matches. Below the output folder, names are relative to the part of the pattern without wildcards.
func (f *finder) pattern(pattern string) {
	base, _ := doublestar.SplitPattern(filepath.ToSlash(pattern))
	matches, err := doublestar.FilepathGlob(pattern, doublestar.WithNoFollow())
	if err != nil {
		f.refuse(pattern, fmt.Errorf("%w: %v", fs.ErrNotExist, err))
		return
	}
	found := false
	for _, path := range matches {
		info, err := os.Lstat(path)
		rel, relErr := filepath.Rel(filepath.FromSlash(base), path)
		if err != nil || relErr != nil || hiddenBelow(rel) {
			continue
		}
		found = f.match(path, rel, filepath.FromSlash(base), info, strings.Contains(pattern, "**")) || found
	}
	if !found {
		f.refuse(pattern, fmt.Errorf("%w: no PNG, JPEG, TIFF, WebP, BMP or PNM file has such a name; "+
			"capital letters count", fs.ErrNotExist))
	}
}

// match adds what a pattern matches. With ** the pattern itself has gone through the folders.
func (f *finder) match(path, rel, base string, info fs.FileInfo, deep bool) bool {
	switch {
	case info.IsDir() && !deep:
		f.folder(path, rel)
	case info.IsDir():
		return false
	case !f.takes(path):
		f.pass(filepath.Base(path), info.Mode().Type())
		return false
	case info.Mode()&fs.ModeSymlink != 0:
		f.Links++
	default:
		f.found(Input{Path: path, Rel: rel, Root: base, Info: info})
	}
	return true
}

// hiddenBelow says whether any part of a relative path is hidden.
func hiddenBelow(rel string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if part != "." && part != ".." && disk.Hidden(part) {
			return true
		}
	}
	return false
}
