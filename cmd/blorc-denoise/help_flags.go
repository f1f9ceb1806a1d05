package main

import (
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// dailyFlags are those that --help shows, in this order.
var dailyFlags = []string{"output", "recursive", "quality", "strength", "noise", "sigma", "grain", "format",
	"overwrite", "dry-run"}

// flagGroup is flags of one purpose.
type flagGroup struct {
	name, text string
	flags      []string
}

// flagGroups are all flags of the program itself.
var flagGroups = []flagGroup{
	{"Files", `Without -o, the program writes the result of photo.png beside it as photo-denoised.png. It makes missing output folders.
A folder means all images in it, in order of name; it needs -o or --in-place. With -r, images in subfolders as well; outputs have
the same subfolders below -o. The program skips hidden files, unfinished files (.part, .tmp, ~ and the like) and links in folders.
It reads a file that you name yourself whatever its name, also through a link. A quoted PATTERN may use ** for any number of
folders. @LIST is a file with the name of one file on each line, @- reads such a list from stdin. - reads one image of any format
from stdin, or several PNG images, and writes to stdout unless -o names a file.

The program keeps existing outputs and counts them as skipped. So after an interruption the same command does the rest. In a
folder, it skips a result such as photo-denoised.png beside photo.png. At the end it counts all other files in folders.

--overwrite changed makes an output again if its options or the version of its input have changed, or if its history is unknown.
It keeps an output that somebody has edited since. The history of outputs is in the cache folder of the user (see --history),
not in the picture.`,
		[]string{"output", "recursive", "format", "overwrite", "dry-run", "suffix", "in-place", "no-backup", "preserve",
			"history",
			"crop", "depth", "dither", "jpeg-quality", "strip", "note"}},
	{"Noise", "The program estimates the noise in each file unless these flags specify it. More in 'help noise'.",
		[]string{"noise", "sigma", "gain", "offset", "read-noise", "white", "nodata", "model"}},
	{"Result", "How much noise the program removes, and how well.",
		[]string{"quality", "strength", "grain", "luma", "chroma", "keep-mean", "hot", "stride", "together", "burst",
			"wrap", "interlaced"}},
	{"Reports", `--report FILE.html writes a page with the totals, the failures, and for each file a part of the picture before and after
at 100 %. FILE.csv is a table without pictures. An interrupted run writes the results so far. With --json the program
prints one object for each file on stdout: see 'help json'.`,
		[]string{"compare", "report", "json", "progress", "quiet", "verbose"}},
	{"Files that are damaged or not supported", `--on-unsupported copy copies files and pages of unsupported kinds unchanged, and
reports it. Such files keep their format, also with --format. --copy-others copies all other files in folders, such as documents
and side files, but no hidden or unfinished files, and no links.`,
		[]string{"on-unsupported", "copy-others", "on-damaged", "on-invalid"}},
	{"Machine", "Numbers of files and processors at the same time, and limits.",
		[]string{"workers", "jobs", "max-memory", "max-pixels", "max-bytes", "shard", "sweep-age", "help", "version"}},
}

// pick returns flags of a set by their names, in the order of these.
func pick(from *pflag.FlagSet, names []string) *pflag.FlagSet {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	for _, name := range names {
		if f := from.Lookup(name); f != nil {
			set.AddFlag(f)
		}
	}
	return set
}

// ungrouped returns the flags that no group names.
func ungrouped(from *pflag.FlagSet) (names []string) {
	from.VisitAll(func(f *pflag.Flag) {
		in := func(g flagGroup) bool { return slices.Contains(g.flags, f.Name) }
		if !f.Hidden && !slices.ContainsFunc(flagGroups, in) {
			names = append(names, f.Name)
		}
	})
	return names
}

// printFlags writes all flags of the program itself, group by group.
func printFlags(w io.Writer, root *cobra.Command) {
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	all.AddFlagSet(root.Flags())
	all.AddFlagSet(root.PersistentFlags())
	h := helper{w, helpWidth(w)}
	h.write(reflow("All flags of 'blorc-denoise FILE'. Commands have their own: 'blorc-denoise COMMAND --help'.",
		h.width))
	for _, g := range append(slices.Clone(flagGroups), flagGroup{"Others", "", ungrouped(all)}) {
		if len(g.flags) == 0 {
			continue
		}
		h.head(g.name)
		if g.text != "" {
			h.write(reflow(g.text, h.width) + "\n")
		}
		h.flags(pick(all, g.flags))
	}
}
