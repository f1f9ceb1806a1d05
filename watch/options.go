package watch

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"time"
)

// Options say what to watch and how. Zero values mean the defaults.
type Options struct {
	In, Out string                 // the folders; Out is made if it is missing
	Match   func(name string) bool // says which files are inputs, by name with slashes, relative to In; nil means all
	Params  string                 // a digest of everything but the input that the output depends on; see ID
	Runner  Runner                 // does the jobs

	Settle   time.Duration // how long a file must not have changed; default 2 s
	Interval time.Duration // pause between scans; default a minute with events, 5 s without
	Polling  bool          // do not use events of the file system

	OnSuccess Policy // what to do with inputs that are done
	OnFailure Policy // what to do with inputs that failed
	// what a file gets whose content was done under another name: "link" or "copy" of that output, or "skip"; default
	// "link"
	Duplicates string

	Tries    int // crashes after which a content fails; default 3
	Restarts int // deaths of the daemon in the middle of a content after which it fails; default 10

	Once  bool          // return when nothing is left to do
	Grace time.Duration // how long a job may go on after the context has ended; default 10 s
	Log   *slog.Logger  // default: nothing is logged
	Beat  func()        // called about every second while the daemon is alive
}

// Policy says what is done with an input after the verdict. The zero Policy leaves it where it is.
type Policy struct {
	Delete bool
	MoveTo string // a folder
}

func (o *Options) prepare() error {
	for _, path := range []*string{&o.In, &o.Out, &o.OnSuccess.MoveTo, &o.OnFailure.MoveTo} {
		if *path == "" {
			continue
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = abs
	}
	switch {
	case o.In == "" || o.Out == "":
		return failf(ErrOptions, "the input or the output folder is missing")
	case o.Runner == nil:
		return failf(ErrOptions, "nothing to run")
	case o.OnFailure.Delete:
		return failf(ErrOptions, "failed inputs are never deleted")
	case o.OnSuccess.Delete && o.OnSuccess.MoveTo != "":
		return failf(ErrOptions, "an input cannot be deleted and moved")
	}
	for name, d := range map[string]time.Duration{"settle": o.Settle, "interval": o.Interval, "grace": o.Grace} {
		if d < 0 {
			return failf(ErrOptions, "%s is negative", name)
		}
	}
	if o.Duplicates != "" && o.Duplicates != linkDuplicates && o.Duplicates != copyDuplicates &&
		o.Duplicates != skipDuplicates {
		return failf(ErrOptions, "duplicates must be link, copy or skip")
	}
	if o.Tries < 0 || o.Restarts < 0 {
		return failf(ErrOptions, "a number of tries is negative")
	}
	o.fillIn()
	return o.checkFolders()
}

func (o *Options) fillIn() {
	or(&o.Settle, 2*time.Second)
	or(&o.Grace, 10*time.Second)
	or(&o.Tries, 3)
	or(&o.Restarts, 10)
	if o.Match == nil {
		o.Match = func(string) bool { return true }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Beat == nil {
		o.Beat = func() {}
	}
}

// or sets a zero value to the default.
func or[T comparable](v *T, standard T) {
	var zero T
	if *v == zero {
		*v = standard
	}
}

func (o *Options) checkFolders() error {
	folders := []namedFolder{{"input folder", o.In}, {"output folder", o.Out},
		{"folder for done inputs", o.OnSuccess.MoveTo}}
	if o.OnFailure.MoveTo != o.OnSuccess.MoveTo { // one folder may serve for both
		folders = append(folders, namedFolder{"folder for failed inputs", o.OnFailure.MoveTo})
	}
	return apart(folders...)
}

// interval returns the pause between scans.
func (o *Options) interval(polling bool) time.Duration {
	switch {
	case o.Interval > 0:
		return o.Interval
	case polling:
		return pollEvery
	}
	return time.Minute
}

// String returns the policy as on the command line.
func (p Policy) String() string {
	switch {
	case p.Delete:
		return "delete"
	case p.MoveTo != "":
		return fmt.Sprintf("move:%s", p.MoveTo)
	}
	return "keep"
}
