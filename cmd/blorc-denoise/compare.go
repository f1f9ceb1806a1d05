package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
	page string
	set  *pflag.FlagSet // of the command
}

func (c *compareFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.page, "compare", "",
		"also write a page to `FILE`.html that compares the file before and after (for one file)")
	c.set = f
}

// checkCompare checks that the page can be about one file that is not piped.
func (f *denoiseFlags) checkCompare() error {
	page := f.compare.page
	switch {
	case page == "":
		return nil
	case f.names.piped:
		return usage("--compare needs a file, not -")
	case f.names.inPlace && f.names.noBackup:
		return usage("--compare needs the input, which --no-backup does not keep")
	case f.batch.report != "" && filepath.Clean(f.batch.report) == filepath.Clean(page):
		return usage("--compare and --report would both write %s", page)
	}
	return checkPage("--compare", page)
}

// checkPage checks the name of a page.
func checkPage(flag, path string) error {
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".html" && ext != ".htm" {
		return usage("%s: %s is not named .html", flag, path)
	}
	return nil
}

// mayCompare says whether a plan is for one file, and whether the page may be written.
func (p *plan) mayCompare() error {
	page := p.compare.page
	if page == "" || p.batch.dryRun {
		return nil
	}
	if n := len(p.jobs) + len(p.kept) + len(p.found.Refused); n != 1 {
		return usage("--compare is for one file, not %d", n)
	}
	if len(p.kept) == 1 {
		p.u.say("%s is not written, since the output exists (see --overwrite)", page)
		return nil
	}
	if _, err := os.Lstat(page); err == nil && p.output.Overwrite == batch.Never && !p.output.InPlace {
		return &fs.PathError{Op: "write", Path: page, Err: errors.New("file exists (see --overwrite)")}
	}
	return nil
}

// writeCompare writes the page for a file that has been denoised.
func (p *plan) writeCompare(j batch.Job, r denoise.Result, o denoise.Options) error {
	page := p.compare.page
	if page == "" {
		return nil
	}
	input := j.Path
	if p.output.InPlace {
		input = batch.BackupName(j.Out)
	}
	var images [2]*imageio.Image
	for i, path := range []string{input, j.Out} {
		img, err := firstPage(path, p.read.ReadOptions)
		if err != nil {
			return fileError{page, err}
		}
		display.Blank(img.Planes)
		images[i] = img
	}
	run := compare.Run{Name: valid(j.Path), Out: valid(j.Out), Before: images[0], After: images[1], Result: r,
		White: p.read.White, Workers: o.Workers, Settings: settingsTable(r, o, p.u.verbose),
		Command: commandLine(append(slices.Clone(p.names.words), givenFlags(p.compare.set)...))}
	return writeNamed(page, true, run.Write)
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

// givenFlags returns the flags of the command line, each with its value, but for some.
func givenFlags(set *pflag.FlagSet, but ...string) (words []string) {
	set.Visit(func(f *pflag.Flag) {
		name, text := "--"+f.Name, f.Value.String()
		switch s, ok := f.Value.(pflag.SliceValue); {
		case slices.Contains(but, f.Name):
		case ok:
			for _, v := range s.GetSlice() {
				words = append(words, name, v)
			}
		case f.Value.Type() == "bool" && text == "false":
			words = append(words, name+"=false")
		case f.Value.Type() == "bool":
			words = append(words, name)
		case text != "":
			words = append(words, name, text)
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
	return append(table, programSetting())
}

func programSetting() compare.Setting {
	return compare.Setting{Name: "program",
		Value: program + " " + version() + ", " + runtime.GOOS + "/" + runtime.GOARCH}
}

// valid replaces bytes that are not UTF-8, which a page cannot hold.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
