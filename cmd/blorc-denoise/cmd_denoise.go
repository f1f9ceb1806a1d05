package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/models"
)

type denoiseFlags struct {
	read   readFlags
	write  writeFlags
	solver solverFlags
	sigma  sigmaValue
	model  string
	names  nameFlags
	batch  batchFlags

	unsupported unsupportedValue
	progress    progressValue
	lines       *progressLines // nil without --progress json
	records     io.Writer      // of --json, for images that come or go through pipes; may be nil
	compare     compareFlags
	burst       bool
	shots       []string // of --burst, but the first
}

// newDenoise is the root command.
func newDenoise(u *ui) *cobra.Command {
	f := denoiseFlags{sigma: autoSigma, progress: progressAuto}
	c := &cobra.Command{
		Use:   program + " FILE|FOLDER|PATTERN|@LIST|-...",
		Short: "Remove noise from image files",
		Long: `Remove noise from PNG, JPEG and TIFF files with learned filters. WebP, BMP and PNM files (PBM, PGM, PPM, PAM)
become PNG unless --format or -o chooses another format; PFM files become TIFF.

The program estimates the kind and the strength of the noise in each file. It writes the result of photo.png beside it as
photo-denoised.png, or to the file or folder of -o, and keeps bit depth, alpha, pages and metadata. Only --in-place modifies inputs.
Existing outputs stay: after an interruption the same command does the rest.

Without arguments, on a desktop, it opens a page in the browser where you drop pictures and choose the settings by eye
(see 'blorc-denoise view').`,
		Example: `  blorc-denoise photo.jpg
  blorc-denoise scan.tif -o clean.tif --sigma 12
  blorc-denoise -r photos/ -o cleaned/ --preserve
  blorc-denoise -r archive/ -o cleaned/ --on-unsupported copy --report report.html
  blorc-denoise photo.jpg --strength 70% --overwrite changed
  blorc-denoise photo.jpg --compare photo.html
  ffmpeg -i in.mkv -f image2pipe -c:v png - | blorc-denoise - | ffmpeg -f image2pipe -i - out.mkv`,
		Args: filesOrPage,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return openPage(c.Context(), c)
			}
			return f.run(c.Context(), u, args)
		},
	}
	flags := c.Flags()
	f.names.add(flags)
	flags.VarP(&f.sigma, "sigma", "s", sigmaHelp)
	flags.StringVarP(&f.model, "model", "m", models.Default,
		"`NAME` of a shipped model (see 'model list'), or a model file")
	f.write.add(flags)
	f.batch.add(flags)
	flags.Var(&f.unsupported, "on-unsupported", unsupportedHelp)
	f.compare.add(flags)
	f.solver.add(flags)
	f.read.add(flags)
	f.read.addEmpty(flags)
	flags.BoolVar(&f.solver.Together, "together", false,
		"denoise the pages of a file, or the images of a folder, jointly: frames, slices or shots of one scene")
	flags.BoolVar(&f.burst, "burst", false,
		"merge several shots of one scene into one picture, with the view of the first")
	addCrop(flags, &f.solver.Crop)
	flags.Var(&f.progress, "progress",
		"auto shows the progress on a terminal, json writes an object a line to stderr, none shows nothing")
	return c
}

func (f *denoiseFlags) check(words []string) error {
	if err := f.write.check(); err != nil {
		return err
	}
	if f.names.output == "" && f.write.flags.Changed("output") { // such as a variable of a shell that is not set
		return usage("--output is empty")
	}
	if err := f.names.check(words, f.batch.overwrite); err != nil {
		return err
	}
	if !f.solver.Crop.Empty() {
		if f.names.inPlace {
			return usage("--crop would cut the inputs; it does not go with --in-place")
		}
		if f.compare.page != "" {
			return usage("--compare shows whole pictures; it does not go with --crop")
		}
		f.names.plain = cropSuffix
	}
	if err := f.batch.check(); err != nil {
		return err
	}
	if err := f.checkTogether(); err != nil {
		return err
	}
	if err := f.checkBurst(words); err != nil {
		return err
	}
	if err := f.compare.check(f, words); err != nil {
		return err
	}
	return f.read.check()
}

// options checks the flags and returns the options for denoising.
func (f *denoiseFlags) options(words []string) (o denoise.Options, err error) {
	if err := f.check(words); err != nil {
		return o, err
	}
	chosen, err := chooser(f.model)
	if err != nil {
		return o, err
	}
	return f.solver.options(chosen, f.sigma)
}

func (f *denoiseFlags) run(ctx context.Context, u *ui, words []string) error {
	if err := f.guess(words, u.quiet); err != nil {
		return err
	}
	o, err := f.options(words)
	if err != nil {
		return err
	}
	if words, err = f.takeShots(ctx, words); err != nil {
		return err
	}
	f.showProgress(u)
	signal.Ignore(syscall.SIGPIPE) // a reader that went away gives a write error, which is reported in one line
	if f.names.piped(words) {
		saveMemory(0)
		return f.pipe(ctx, u, words, o)
	}
	p, err := f.plan(ctx, u, words, o)
	if err != nil {
		return err
	}
	if err := f.compare.fits(p); err != nil {
		return err
	}
	if f.batch.dryRun {
		return p.tell(ctx, o)
	}
	defer disk.RemoveEmpty(p.missing()) // if nothing was written into them
	if err := p.prepare(); err != nil {
		return err
	}
	return p.run(ctx, o)
}

// saveMemory makes the garbage collector run so often that garbage takes little beside the memory that a file needs.
// There are few, large blocks, so that costs little time. An estimate of 0 means that it is not known.
func saveMemory(estimate int64) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent(estimate))
	}
}

// garbagePercent returns how much garbage there may be beside an estimate of memory: 64 MB, or 5 % of more.
func garbagePercent(estimate int64) int {
	if estimate <= 0 {
		return 20
	}
	return int(min(max(5, 100*(64<<20)/estimate), 100))
}

// writeOptions returns how the output of a name is written.
func (f *denoiseFlags) writeOptions(out string) imageio.WriteOptions {
	w := f.write.options(out, f.read.White)
	w.KeepInvalid = f.read.KeepInvalid
	if w.Format == 0 {
		w.Format = f.names.format.Format
	}
	return w
}

// showProgress makes the progress go where --progress says.
func (f *denoiseFlags) showProgress(u *ui) {
	switch f.progress {
	case progressJSON:
		f.lines = &progressLines{out: u.err}
		u.err = f.lines
		u.terminal = false
	case progressNone:
		u.terminal = false
	}
}

// outcome is the result of one file.
type outcome struct {
	denoise.Result
	started time.Time
	seconds float64
	out     string // the output, if it is not that of the plan
	kept    string // why that output stays as it is
	made    batch.Made
	shown   *thumbnails
	err     error
}

// file denoises one file.
func (p *plan) file(ctx context.Context, j batch.Job, o denoise.Options) (r outcome) {
	start := time.Now()
	r.started = start
	line := p.lines.start(j.Path)
	defer func() {
		r.seconds = time.Since(start).Seconds()
		if fault := recover(); fault != nil { // costs one file, not the batch
			r.err = faultError{fault, debug.Stack()}
		}
		line.finish(r.err)
	}()
	if j.Other {
		p.copyOther(j, &r)
		return r
	}
	if r.err = j.Size.Check(p.most()); r.err != nil {
		return r
	}
	var pageDone func(done, all int)
	switch {
	case line != nil:
		o.Progress, pageDone = line.share, line.pageDone
	case len(p.jobs) == 1:
		shown := showShare(p.u, j.Path, start, o)
		o.Progress, pageDone = shown.share, shown.pageDone
	case p.share != nil:
		o.Progress = func(share float64) { p.share(j, share) }
	}
	r.made, r.err = p.output.Make(j.Item, p.writeOptions(j.Out), func(t batch.Task) (err error) {
		run := p.fileOptions(o)
		run.Read.Root, run.Write, run.PageDone = t.InRoot, t.Options, pageDone
		if p.output.InPlace && run.CopyUnsupported { // a file that is not read at all is not copied onto itself
			if err := readable(t.In, run.Read); err != nil {
				return err
			}
		}
		if r.shown = p.newThumbnails(j.Path); r.shown != nil {
			run.Look = r.shown.look
		}
		r.Result, err = denoise.File(ctx, t.In, t.Out, run)
		return err
	})
	if c, ok := p.copyOf(j, r.err); ok {
		p.copy(c, &r)
	} else if r.err == nil {
		p.warnOfFormat(&r.Result, j.Path, j.Out)
		r.err = p.compare.write(p, j, r.Result, o)
	}
	return r
}

// readable returns the error of a file that has no page which can be read.
func readable(path string, o imageio.ReadOptions) error {
	o.SkipUnsupported = true
	_, err := imageio.ReadInfo(path, o)
	if errors.Is(err, imageio.ErrUnsupported) {
		return err
	}
	return nil
}

// most returns the bytes of memory above which a file is refused: what --max-memory says, or all the memory of the
// machine.
func (f *denoiseFlags) most() int64 {
	if f.batch.memory > 0 {
		return f.batch.memory
	}
	return 2 * batch.DefaultMemory() // which is half
}

// limits returns how many files run side by side. The default is two for each processor, since a file waits for the
// disk at its end.
func (f *denoiseFlags) limits() batch.Limits {
	workers := parallel.Workers(f.solver.Workers)
	l := batch.Limits{Jobs: f.batch.jobs, Workers: workers, Memory: f.batch.memory}
	if l.Jobs == 0 {
		l.Jobs = 2 * workers
	}
	if l.Memory == 0 {
		l.Memory = batch.DefaultMemory()
	}
	return l
}
