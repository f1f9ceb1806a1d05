package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/watch"
)

type watchFlags struct {
	job       watchJob
	options   watch.Options
	child     *watch.Child
	onSuccess string
	onFailure string
	poll      bool
	timeout   time.Duration
	memory    int64
	logFormat string
	metrics   string
	worker    string
	workerTry bool
	passed    *passedFiles
}

const watchExitHelp = `Exit codes:
  0  ended by SIGTERM or Ctrl-C, or with --once, everything was done
  1  with --once, some files failed, now or in an earlier run, or are left
  2  the command line is wrong
  6  a folder could not be opened, or is gone, or a folder or an address is in use`

func newWatch(u *ui) *cobra.Command {
	f := watchFlags{passed: newPassedFiles()}
	c := &cobra.Command{
		Use:   "watch IN OUT",
		Short: "Denoise every image that comes into a folder",
		Long: `Denoise every new image in the folder IN or its subfolders, to the same place under OUT, until interrupted.

'watch' takes a file when it has not changed for --settle. Hidden files, and files with names like x.part, wait for a new name.
It processes each content once, whatever its name and however often you restart the program; OUT/.blorc-watch has the record.
A second file with the same content gets the output of the first under its own name (see --duplicates). With another model or
other flags, 'watch' processes it again, and the new output gets a longer name. If another file has the name of an output, the
output gets some digits before its extension. If a file changes afterwards, the output of the new content gets the plain name,
and the older output gets the digits.

If 'watch' cannot read or write a file, it tries again without limit. A file that is not a valid image, or that crashes the program
--tries times, fails. 'watch' follows no links in IN, and reads, moves and deletes nothing outside IN.

After SIGTERM or Ctrl-C, 'watch' finishes the current job and ends; a second signal ends it at once. SIGHUP makes it scan IN at
once. 'status' shows the state. 'watch' names the first file of each other kind that could be converted, and prints at
the end how many files of other kinds it has ignored.

` + watchExitHelp,
		Example: `  blorc-denoise watch scans/ clean/
  blorc-denoise watch /mnt/microscope /data/denoised --poll --on-success move:/data/originals --on-failure move:/data/bad
  blorc-denoise watch scans/ clean/ --once --quality best`,
		Args: exactly(2, "an input and an output folder are needed"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), u, args) },
	}
	flags := c.Flags()
	f.job.add(flags)
	flags.DurationVar(&f.options.Settle, "settle", 2*time.Second, "`TIME` that a file must not have changed")
	flags.DurationVar(&f.options.Interval, "interval", 0,
		"`TIME` between scans of IN (default 1m, or 5s without events of the file system)")
	flags.BoolVar(&f.poll, "poll", false,
		"look for new files at intervals, not by events of the file system (on Linux always so on network mounts)")
	flags.StringVar(&f.onSuccess, "on-success", "keep", "`WHAT` to do with done inputs: keep, delete or move:FOLDER")
	flags.StringVar(&f.onFailure, "on-failure", "keep", "`WHAT` to do with failed inputs: keep or move:FOLDER")
	flags.StringVar(&f.options.Duplicates, "duplicates", "link",
		"`WHAT` to do with a file of the same content as another: link to its output, copy that, or skip the file")
	flags.IntVar(&f.options.Tries, "tries", 3,
		"`NUMBER` of crashes after which a file fails; raise this number or change the time of the file (touch) to "+
			"retry")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Minute, "`TIME` after which a job counts as crashed")
	f.memory = plentyOfMemory
	flags.Var(numberOrNoneValue(&f.memory, "B"), "memory",
		"largest address space of the process that does the jobs, a `SIZE` such as 4G, at least 1Gi; a file may have "+
			"half of it; 0 for no limit; not on Windows")
	flags.DurationVar(&f.options.Grace, "grace", 10*time.Second, "`TIME` for the current job to end after SIGTERM")
	flags.BoolVar(&f.options.Once, "once", false, "end when nothing is left to do")
	flags.StringVar(&f.logFormat, "log", "text", "`FORMAT` of the log on stderr, text or json")
	flags.StringVar(&f.metrics, "metrics", "",
		"serve /metrics and /healthz on this `ADDRESS`; without a host, on this machine only")
	flags.StringVar(&f.worker, "worker", "", "internal: be the worker of a daemon, with these options as JSON")
	flags.MarkHidden("worker")
	flags.BoolVar(&f.workerTry, "worker-try", false, "internal: be a worker that ends once it could begin")
	flags.MarkHidden("worker-try")
	return c
}

// plentyOfMemory is more than the worker takes without any picture on any machine.
const plentyOfMemory = 8 << 30

// minMemory is less than the address space that the worker takes without any picture.
const minMemory = 1 << 30

func (f *watchFlags) run(ctx context.Context, u *ui, args []string) error {
	if f.worker != "" {
		return f.work()
	}
	params, err := f.job.prepare()
	if err != nil {
		return err
	}
	if err := f.fill(u, args, params); err != nil {
		return err
	}
	if err := f.tryMemory(ctx); err != nil {
		return err
	}
	metrics, err := f.listen()
	if err != nil {
		return err
	}
	d, err := watch.New(f.options)
	if errors.Is(err, watch.ErrFolders) || errors.Is(err, watch.ErrOptions) {
		return usage("%v", err)
	}
	if err != nil {
		return err
	}
	defer d.Close()
	f.child.Start() // if it fails, the first job will report it
	return f.live(ctx, d, metrics)
}

// tryMemory refuses a bound that the worker cannot begin with: how much it takes depends on the processors and the
// models.
func (f *watchFlags) tryMemory(ctx context.Context) error {
	if f.memory == 0 || f.memory >= plentyOfMemory {
		return nil
	}
	cmd := f.child.Command()
	cmd.Args = slices.Insert(cmd.Args, 2, "--worker-try")
	if err := cmd.Start(); err != nil {
		return nil // the first job will report it
	}
	stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
	defer stop()
	if err := cmd.Wait(); err != nil && ctx.Err() == nil {
		return usage("--memory %v is too little for the program itself on this machine; give more, or 0 for no bound",
			numberText(f.memory))
	}
	return ctx.Err()
}

// work runs the worker process. It ends with its standard input and ignores signals, which the daemon handles.
func (f *watchFlags) work() error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	var o denoise.FileOptions
	if err := json.Unmarshal([]byte(f.worker), &o); err != nil {
		return err
	}
	if err := watch.LimitMemory(f.memory); err != nil {
		return err
	}
	saveMemory(0)
	if f.workerTry {
		warm(o.Options, o.Options.Workers)
		return nil
	}
	go warm(o.Options, 1) // the jobs come first
	return watch.Serve(os.Stdin, os.Stdout, work(o), maxBytes(f.memory, o.Read.MaxBytes))
}

// maxBytes returns the size of files above which the worker reads none: it has the file in memory and the picture too,
// in what memory it may take, or with 0 in that of the machine. Most is the limit that was given; 0 means that there is
// none.
func maxBytes(memory, most int64) int64 {
	if memory == 0 {
		memory = 2 * batch.DefaultMemory() // which is half
	}
	if most > 0 {
		return min(most, memory/2)
	}
	return memory / 2
}

func (f *watchFlags) fill(u *ui, args []string, params string) (err error) {
	o := &f.options
	o.In, o.Out, o.Params, o.Polling, o.Match = args[0], args[1], params, f.poll, f.passed.match
	if o.OnSuccess, err = policy("--on-success", f.onSuccess, true); err != nil {
		return err
	}
	if o.OnFailure, err = policy("--on-failure", f.onFailure, false); err != nil {
		return err
	}
	switch {
	case o.Settle <= 0 || f.timeout <= 0 || o.Grace <= 0:
		return usage("--settle, --timeout and --grace must be positive")
	case o.Interval < 0:
		return usage("--interval must not be negative")
	case o.Tries < 1:
		return usage("--tries must be positive")
	}
	if f.memory > 0 && f.memory < minMemory {
		return usage("--memory must be 0, or at least 1Gi: the program itself needs that much address space")
	}
	level := &slog.HandlerOptions{}
	if u.quiet {
		level.Level = slog.LevelWarn
	}
	switch f.logFormat {
	case "text":
		o.Log = slog.New(slog.NewTextHandler(u.err, level))
	case "json":
		o.Log = slog.New(slog.NewJSONHandler(u.err, level))
	default:
		return usage("--log must be text or json")
	}
	f.passed.log = o.Log
	job, err := json.Marshal(f.job.FileOptions)
	if err != nil {
		return err
	}
	exe, err := ownProgram()
	if err != nil { // on Linux where /proc is not mounted
		return fmt.Errorf("the program, which is to be the worker, is not found: %w", err)
	}
	f.child = &watch.Child{Timeout: f.timeout, Command: func() *exec.Cmd {
		cmd := exec.Command(exe, f.workerArgs(job)...)
		cmd.Args[0] = os.Args[0]
		return cmd
	}}
	o.Runner = f.child
	o.Beat = watch.Watchdog()
	return nil
}

// ownProgram is the path of this program. On Linux it stays right if the file is removed or another version takes its
// place: the worker is of the version of its daemon.
func ownProgram() (string, error) {
	exe, err := os.Executable()
	if runtime.GOOS == "linux" && err == nil {
		return "/proc/self/exe", nil
	}
	return exe, err
}

func policy(flag, text string, mayDelete bool) (watch.Policy, error) {
	folder, isMove := strings.CutPrefix(text, "move:")
	switch {
	case text == "keep":
		return watch.Policy{}, nil
	case isMove && folder != "":
		return watch.Policy{MoveTo: folder}, nil
	case text == "delete" && mayDelete:
		return watch.Policy{Delete: true}, nil
	case mayDelete:
		return watch.Policy{}, usage("%s must be keep, delete or move:FOLDER", flag)
	}
	return watch.Policy{}, usage("%s must be keep or move:FOLDER", flag)
}
