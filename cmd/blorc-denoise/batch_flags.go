package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// nameFlags decide the names of outputs.
type nameFlags struct {
	output   string
	suffix   string
	format   formatValue
	inPlace  bool
	noBackup bool

	plain string // suffix of outputs beside their inputs, if it is not "-denoised"
}

func (n *nameFlags) add(f *pflag.FlagSet) {
	f.StringVarP(&n.output, "output", "o", "",
		"output `FILE`, or folder if there are several inputs or it ends in a slash; - is stdout")
	f.StringVar(&n.suffix, "suffix", "",
		`put `+"`TEXT`"+` before the extension of outputs (default "-denoised" without -o)`)
	f.Var(&n.format, "format", "write png, tiff or jpeg, whatever the inputs are")
	f.BoolVar(&n.inPlace, "in-place", false, "replace the inputs, and keep them as NAME.orig")
	f.BoolVar(&n.noBackup, "no-backup", false,
		"with --in-place, do not keep the inputs; only the history records which files are done")
}

func (n *nameFlags) check(words []string, overwrite string) error {
	switch {
	case n.inPlace && (n.output != "" || n.suffix != "" || n.format.Format != 0):
		return usage("--in-place goes with none of --output, --suffix and --format")
	case n.inPlace && overwrite == string(batch.Changed):
		return usage("--in-place does not go with --overwrite changed; put the inputs back with 'restore' first")
	case n.noBackup && !n.inPlace:
		return usage("--no-backup needs --in-place")
	case strings.ContainsFunc(n.suffix, func(r rune) bool {
		return r == 0 || r < 0x80 &&
			os.IsPathSeparator(uint8(r))
	}):
		return usage("--suffix must not have a path separator")
	case n.piped(words) && (len(words) > 1 || n.inPlace || n.suffix != ""):
		return usage("with - there is one input, and neither --in-place nor --suffix")
	}
	return nil
}

// piped says whether images come from stdin or go to stdout.
func (n *nameFlags) piped(words []string) bool {
	return n.output == "-" || slices.Contains(words, "-")
}

// naming decides whether --output is a file or a folder.
func (n *nameFlags) naming(words []string) (batch.Naming, error) {
	to := batch.Naming{InPlace: n.inPlace, Suffix: n.suffix, Format: n.format.Format}
	switch {
	case n.inPlace:
		return to, nil
	case n.output == "":
		if to.Suffix == "" {
			to.Suffix = cmp.Or(n.plain, batch.DefaultSuffix)
		}
		return to, nil
	}
	info, err := os.Stat(n.output)
	several := len(words) > 1 || !isOneFile(words[0])
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
		return usage("the output %s is not named .png, .jpg, .jpeg, .tif or .tiff", n.output)
	case n.format.Format != 0 && n.format.Format != format:
		return usage("the output %s is not named like a %v file", n.output, n.format.Format)
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

// batchFlags decide which files are done, and how many at a time.
type batchFlags struct {
	recursive bool
	others    bool
	overwrite string
	preserve  bool
	dryRun    bool
	json      bool
	jobs      int
	memory    int64
	history   historyFlag
	report    string
	shard     shardValue
	sweepAge  time.Duration

	part batch.Shard
}

func (b *batchFlags) add(f *pflag.FlagSet) {
	f.BoolVarP(&b.recursive, "recursive", "r", false, "take the images of subfolders too")
	f.BoolVar(&b.others, "copy-others", false,
		"copy files of folders that are no images to their places below -o")
	f.StringVar(&b.overwrite, "overwrite", "never",
		"`WHEN` to replace existing files: never, always, older (than the input), or changed (made with other "+
			"options or from another version of the input)")
	b.history.add(f, "where to remember how outputs were made, for --overwrite changed and 'restore'")
	f.BoolVar(&b.preserve, "preserve", false, "give outputs the time and permissions of their inputs")
	f.BoolVarP(&b.dryRun, "dry-run", "n", false,
		"print what the program would do, and the noise of each file; write nothing but a --report")
	f.BoolVar(&b.json, "json", false,
		"print a JSON object for each file on stdout, or on stderr if images go to stdout")
	f.IntVar(&b.jobs, "jobs", 0, "largest `NUMBER` of files at the same time (default twice --workers)")
	f.StringVar(&b.report, "report", "", "write a report of the run to `FILE`, .html with pictures or .csv")
	f.Var(numberValue{n: &b.memory, unit: "B"}, "max-memory",
		"run only as many files at the same time as fit in `SIZE`, such as 500M or 2G, and refuse larger ones "+
			"(default half of the memory for several files, all for one)")
	f.Var(&b.shard, "shard", "process part `I/N` of the files; auto takes the part from Slurm or Kubernetes")
	f.DurationVar(&b.sweepAge, "sweep-age", 10*time.Minute,
		"remove temporary files of killed runs from output folders if they are older than this `TIME`")
}

func (b *batchFlags) check() (err error) {
	switch batch.Overwrite(b.overwrite) {
	case batch.Never, batch.Older, batch.Always, batch.Changed:
	default:
		return usage("--overwrite must be never, older, always or changed")
	}
	if err := checkReport(b.report); err != nil {
		return err
	}
	if b.jobs < 0 {
		return usage("--jobs must not be negative")
	}
	if b.sweepAge < 0 {
		return usage("--sweep-age must not be negative")
	}
	if b.shard != "" {
		if b.part, err = batch.ParseShard(string(b.shard), os.Getenv); err != nil {
			return usage("--shard: %v", err)
		}
	}
	return nil
}

// shardValue is the flag --shard. Nothing is no part: the variable of a script may be empty.
type shardValue string

func (v *shardValue) String() string { return string(*v) }

func (v *shardValue) Set(text string) error {
	if text == "" {
		return errors.New("must be I/N or auto, and is empty")
	}
	*v = shardValue(text)
	return nil
}

func (v *shardValue) Type() string { return "I/N" }

// formatValue is a flag that takes a kind of file.
type formatValue struct{ imageio.Format }

func (v *formatValue) String() string {
	if v.Format == 0 {
		return ""
	}
	return strings.ToLower(v.Format.String())
}

func (v *formatValue) Set(text string) error {
	format, ok := imageio.OutputFormatOf("." + text)
	if !ok {
		return errors.New("must be png, tiff or jpeg")
	}
	v.Format = format
	return nil
}

func (v *formatValue) Type() string { return "KIND" }
