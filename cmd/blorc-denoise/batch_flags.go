package main

import (
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
)

// batchFlags decide which files are done, and how many at a time.
type batchFlags struct {
	overwrite string
	preserve  bool
	dryRun    bool
	json      bool
	jobs      int
	memory    int64
	history   historyFlag
	report    string
	shard     string
	sweepAge  time.Duration

	part batch.Shard
}

func (b *batchFlags) add(f *pflag.FlagSet) {
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
	f.Var(numberValue(&b.memory, "B"), "max-memory",
		"run only as many files at the same time as fit in `SIZE`, such as 500M or 2G, and refuse larger ones "+
			"(default half of the memory for several files, all for one)")
	f.Var(shardValue(&b.shard), "shard",
		"process part `I/N` of the files; auto takes the part from Slurm or Kubernetes")
	f.DurationVar(&b.sweepAge, "sweep-age", 10*time.Minute,
		"remove temporary files of killed runs from output folders if they are older than this `TIME`")
}

func (b *batchFlags) check() (err error) {
	switch batch.Overwrite(b.overwrite) {
	case batch.Never, batch.Older, batch.Always, batch.Changed:
	default:
		return usage("--overwrite must be never, older, always or changed")
	}
	switch {
	case !isReport(b.report):
		return usage("the report %s is not named .html or .csv", b.report)
	case b.jobs < 0:
		return usage("--jobs must not be negative")
	case b.sweepAge < 0:
		return usage("--sweep-age must not be negative")
	}
	if b.shard != "" {
		if b.part, err = batch.ParseShard(b.shard, os.Getenv); err != nil {
			return usage("--shard: %v", err)
		}
	}
	return nil
}

// historyFlag is the folder with the record of how outputs were made. It is not beside the outputs, whose folders
// belong to the user.
type historyFlag struct{ dir string }

func (h *historyFlag) add(f *pflag.FlagSet, what string) {
	f.StringVar(&h.dir, "history", "", what+" (`FOLDER`, or none; default in the user's cache folder)")
}

// open returns the history. An error says that there can be none.
func (h *historyFlag) open() (*batch.History, error) {
	switch h.dir {
	case "none":
		return nil, nil
	case "":
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		return batch.OpenHistory(filepath.Join(cache, program, "history")), nil
	}
	return batch.OpenHistory(h.dir), nil
}
