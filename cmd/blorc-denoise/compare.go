package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/compare"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/display"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/words"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// compareFlags ask for a page that compares one file before and after.
type compareFlags struct {
	page  string
	words []string       // of the command line
	set   *pflag.FlagSet // of the command
}

func (c *compareFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.page, "compare", "",
		"also write a page to `FILE`.html that compares the file before and after (for one file)")
	c.set = f
}

// check is for one file that is not piped.
func (c *compareFlags) check(f *denoiseFlags, words []string) error {
	c.words = words
	switch {
	case c.page == "":
		return nil
	case f.names.piped(words):
		return usage("--compare needs a file, not -")
	case f.names.inPlace && f.names.noBackup:
		return usage("--compare needs the input, which --no-backup does not keep")
	case f.batch.report != "" && filepath.Clean(f.batch.report) == filepath.Clean(c.page):
		return usage("--compare and --report would both write %s", c.page)
	}
	return checkPage("--compare", c.page)
}

// checkPage checks the name of a page.
func checkPage(flag, path string) error {
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".html" && ext != ".htm" {
		return usage("%s: %s is not named .html", flag, path)
	}
	return nil
}

// fits says whether a plan is for one file, and whether the page may be written.
func (c *compareFlags) fits(p *plan) error {
	if c.page == "" || p.batch.dryRun {
		return nil
	}
	if n := len(p.jobs) + len(p.kept) + len(p.found.Refused); n != 1 {
		return usage("--compare is for one file, not %d", n)
	}
	if len(p.kept) == 1 {
		p.u.say("%s is not written, since the output exists (see --overwrite)", c.page)
		return nil
	}
	if _, err := os.Lstat(c.page); err == nil && batch.Overwrite(p.batch.overwrite) == batch.Never && !p.names.inPlace {
		return &fs.PathError{Op: "write", Path: c.page, Err: errors.New("file exists (see --overwrite)")}
	}
	return nil
}

// write writes the page for a file that has been denoised.
func (c *compareFlags) write(p *plan, j batch.Job, r denoise.Result, o denoise.Options) error {
	if c.page == "" {
		return nil
	}
	input := j.Path
	if p.names.inPlace {
		input = batch.BackupName(j.Out)
	}
	before, err := firstPage(input, p.read.ReadOptions)
	if err != nil {
		return fileError{c.page, err}
	}
	after, err := firstPage(j.Out, p.read.ReadOptions)
	if err != nil {
		return fileError{c.page, err}
	}
	display.Blank(before.Planes)
	display.Blank(after.Planes)
	run := compare.Run{Name: valid(j.Path), Out: valid(j.Out), Before: before, After: after, Result: r,
		White:    p.read.White,
		Settings: settingsTable(r, o, p.u.verbose), Command: commandLine(append(append([]string{}, c.words...),
			givenFlags(c.set)...)), Workers: o.Workers}
	return writePage(c.page, run.Write)
}

// writePage writes a page, which replaces an older one.
func writePage(path string, write func(io.Writer) error) error {
	err := writeFile(path, true, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	})
	if err != nil {
		return fileError{path, err}
	}
	return nil
}

// firstPage reads the first page of a file.
func firstPage(path string, o imageio.ReadOptions) (*imageio.Image, error) {
	r, err := imageio.Open(path, o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Page(0)
}

// givenFlags returns the flags of the command line, each with its value.
func givenFlags(set *pflag.FlagSet) []string {
	var words []string
	set.Visit(func(f *pflag.Flag) {
		if s, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range s.GetSlice() {
				words = append(words, "--"+f.Name, v)
			}
			return
		}
		switch {
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name)
		case f.Value.String() != "": // --max-memory does not tell its value, which the result does not depend on
			words = append(words, "--"+f.Name, f.Value.String())
		}
	})
	return words
}

// settingsTable is what decides the result, in words.
func settingsTable(r denoise.Result, o denoise.Options, verbose bool) []compare.Setting {
	how := "given"
	if r.Estimated {
		how = "found in the picture"
	}
	share := func(keep float64) string { return fmt.Sprintf("%.4g %%", 100*(1-keep)) }
	table := []compare.Setting{
		{Name: "noise", Value: words.Of(r) + ", " + how},
		{Name: "quality", Value: o.Quality.String()},
		{Name: "strength", Value: share(o.Keep)},
		{Name: "luma", Value: share(o.KeepLuma)},
		{Name: "chroma", Value: share(o.KeepChroma)},
		{Name: "grain given back", Value: fmt.Sprintf("%.4g %%", 100*o.Grain)},
	}
	if verbose && r.Model != "" {
		table = append(table, compare.Setting{Name: "model", Value: r.Model})
	}
	if o.KeepMean {
		table = append(table, compare.Setting{Name: "mean", Value: "as the noise made it"})
	}
	if o.Stride > 0 {
		table = append(table, compare.Setting{Name: "stride", Value: fmt.Sprint(o.Stride)})
	}
	return append(table, compare.Setting{Name: "program", Value: program + " " + version() + ", " + runtime.GOOS + "/" +
		runtime.GOARCH})
}

// valid replaces bytes that are not UTF-8, which a page cannot hold.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
