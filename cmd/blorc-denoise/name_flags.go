package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// nameFlags say which files the words of a command mean, and what their outputs are called.
type nameFlags struct {
	output    string
	suffix    string
	format    imageio.Format
	inPlace   bool
	noBackup  bool
	recursive bool
	others    bool // are copied
	burst     bool // the files are shots of one scene

	plain string   // suffix of outputs beside their inputs, if it is not "-denoised"
	words []string // of the command line
	piped bool     // images come from stdin or go to stdout
	first bool     // the first word is a file, not a folder, list or pattern
}

// add adds the flags of all commands that name outputs. More says what else --output may be.
func (n *nameFlags) add(f *pflag.FlagSet, more string) {
	f.StringVarP(&n.output, "output", "o", "",
		"output `FILE`, or folder if there are several inputs or it ends in a slash"+more)
	f.Var(formatValue(&n.format), "format", "write png, tiff or jpeg, whatever the inputs are")
	addRecursive(f, &n.recursive)
}

func (n *nameFlags) addSuffix(f *pflag.FlagSet) {
	f.StringVar(&n.suffix, "suffix", "",
		`put `+"`TEXT`"+` before the extension of outputs (default "-denoised" without -o)`)
}

// addPlaces adds the flags that decide what is taken and replaced.
func (n *nameFlags) addPlaces(f *pflag.FlagSet) {
	f.BoolVar(&n.inPlace, "in-place", false, "replace the inputs, and keep them as NAME.orig")
	f.BoolVar(&n.noBackup, "no-backup", false,
		"with --in-place, do not keep the inputs; only the history records which files are done")
	f.BoolVar(&n.others, "copy-others", false,
		"copy the files of folders that are no images to their places below -o, as they are")
	f.BoolVar(&n.burst, "burst", false,
		"merge several shots of one scene into one picture, with the view of the first")
}

func addRecursive(f *pflag.FlagSet, to *bool) {
	f.BoolVarP(to, "recursive", "r", false, "take the images of subfolders too")
}

// take reads the words of the command line, once for all that asks what they mean.
func (n *nameFlags) take(words []string) {
	n.words, n.piped = words, n.output == "-" || slices.Contains(words, "-")
	n.first = len(words) > 0 && isOneFile(words[0])
}

func (n *nameFlags) check(overwrite string) error {
	switch {
	case n.inPlace && (n.output != "" || n.suffix != "" || n.format != 0):
		return usage("--in-place goes with none of --output, --suffix and --format")
	case n.inPlace && overwrite == string(batch.Changed):
		return usage("--in-place does not go with --overwrite changed; put the inputs back with 'restore' first")
	case n.noBackup && !n.inPlace:
		return usage("--no-backup needs --in-place")
	case strings.ContainsFunc(n.suffix, isSeparator):
		return usage("--suffix must not have a path separator")
	case n.piped && (len(n.words) > 1 || n.inPlace || n.suffix != ""):
		return usage("with - there is one input, and neither --in-place nor --suffix")
	}
	return nil
}

// isSeparator says whether a letter cannot stand in the name of a file.
func isSeparator(r rune) bool { return r == 0 || r < 0x80 && os.IsPathSeparator(uint8(r)) }

// naming decides whether --output is a file or a folder.
func (n *nameFlags) naming() (batch.Naming, error) {
	to := batch.Naming{InPlace: n.inPlace, Suffix: n.suffix, Format: n.format}
	switch {
	case n.inPlace:
		return to, nil
	case n.output == "":
		to.Suffix = cmp.Or(n.suffix, n.plain, batch.DefaultSuffix)
		return to, nil
	}
	info, err := os.Stat(n.output)
	several := !n.burst && (len(n.words) > 1 || !n.first)
	switch {
	case err == nil && !info.IsDir() && several:
		return to, usage("the output %s of several inputs is not a folder", n.output)
	case several && err != nil && isImageName(n.output):
		return to, usage("several inputs need an output folder, and %s is named like a file; add a trailing slash "+
			"to make it a folder", n.output)
	case several, err == nil && info.IsDir(), os.IsPathSeparator(n.output[len(n.output)-1]):
		to.Folder = filepath.Clean(n.output)
		return to, nil
	}
	to.File = n.output
	return to, n.checkFile()
}

func (n *nameFlags) checkFile() error {
	format, ok := imageio.OutputFormatOf(n.output)
	switch {
	case !ok:
		return usage("the output %s is not named .png, .jpg, .jpeg, .tif, .tiff or .dng", n.output)
	case n.format != 0 && n.format != format:
		return usage("the output %s is not named like a %v file", n.output, n.format)
	case n.suffix != "":
		return usage("--suffix is for several outputs")
	}
	return nil
}

// isImageName says whether a path has the extension of an image. A path that ends in a slash has none.
func isImageName(path string) bool {
	_, ok := imageio.OutputFormatOf(path)
	return ok
}

// isOneFile says that an argument is not a folder, list or pattern.
func isOneFile(word string) bool {
	info, err := os.Stat(word)
	if err == nil {
		return !info.IsDir()
	}
	return !strings.HasPrefix(word, "@") && !strings.ContainsAny(word, "*?[{")
}

// selected is the files that the words of a command mean, and what becomes of them.
type selected struct {
	naming batch.Naming
	found  *batch.Found
	items  []batch.Item
	shots  []string // of a burst, but the first
}

// find looks up the files, and names their outputs. It leaves out results in folders, which have these suffixes.
func (n *nameFlags) find(ctx context.Context, results ...string) (s selected, err error) {
	if s.naming, err = n.naming(); err != nil {
		return s, err
	}
	if n.others && s.naming.Folder == "" {
		return s, usage("--copy-others copies what a folder holds besides images; it needs a folder and -o FOLDER")
	}
	if len(results) > 0 {
		results = append(results, s.naming.Suffix)
	}
	s.found, err = batch.Find(ctx, n.words, batch.FindOptions{Recursive: n.recursive, Others: n.others && !n.burst,
		Stdin: os.Stdin, Suffixes: results})
	if err == nil && n.burst {
		err = s.keepFirst()
	}
	if err == nil {
		s.items, err = s.naming.Name(s.found)
	}
	return s, err
}

// keepFirst leaves the first of the shots of a burst, as if it had been named, and keeps the others for it.
func (s *selected) keepFirst() error {
	all := s.found
	if len(all.Refused) > 0 {
		return fileError{all.Refused[0].Path, all.Refused[0].Err}
	}
	items, err := batch.Naming{Suffix: batch.DefaultSuffix}.Name(all) // without results of an earlier run
	if err != nil {
		return err
	}
	if len(items) < 2 {
		return usage("--burst needs several shots; %d was given", len(items))
	}
	for _, in := range items[1:] {
		s.shots = append(s.shots, in.Path)
	}
	first := items[0].Input
	s.found = &batch.Found{Inputs: []batch.Input{{Path: first.Path, Rel: filepath.Base(first.Path), Info: first.Info}}}
	return nil
}
