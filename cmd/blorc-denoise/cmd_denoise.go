package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

type denoiseFlags struct {
	fileFlags
	names    nameFlags
	batch    batchFlags
	compare  compareFlags
	progress string
	lines    *progressLines // nil without --progress json
}

// newDenoise is the root command.
func newDenoise(u *ui) *cobra.Command {
	f := denoiseFlags{progress: progressAuto}
	c := &cobra.Command{
		Use:   program + " FILE|FOLDER|PATTERN|@LIST|-...",
		Short: "Remove noise from image files",
		Long: `Remove noise from PNG, JPEG, TIFF and DNG files with learned filters. WebP, BMP and PNM files (PBM, PGM, PPM, PAM)
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
	f.names.add(flags, "; - is stdout")
	f.names.addSuffix(flags)
	f.names.addPlaces(flags)
	f.batch.add(flags)
	f.compare.add(flags)
	f.addImage(flags)
	flags.Var(choice(&f.progress, "KIND", progressWays, progressWays), "progress",
		"auto shows the progress on a terminal, json writes an object a line to stderr, none shows nothing")
	return c
}

// addImage adds the flags for the work on a single image.
func (f *denoiseFlags) addImage(flags *pflag.FlagSet) {
	f.fileFlags.add(flags)
	f.addUnsupported(flags)
	flags.BoolVar(&f.solver.Together, "together", false,
		"denoise the pages of a file, or the images of a folder, jointly: frames, slices or shots of one scene")
	flags.Var(cropValue(&f.solver.Crop), "crop",
		"write only this part of the image, in pixels, with the same samples as in the full result; the noise "+
			"estimate uses the whole image")
}

// options checks the flags and returns the options for denoising.
func (f *denoiseFlags) options() (o denoise.Options, err error) {
	for _, check := range []func() error{f.checkNames, f.checkCrop, f.batch.check, f.checkTogether, f.checkBurst,
		f.checkCompare} {
		if err := check(); err != nil {
			return o, err
		}
	}
	return f.fileFlags.options()
}

func (f *denoiseFlags) checkNames() error {
	for name, value := range map[string]string{"output": f.names.output, "suffix": f.names.suffix} {
		if value == "" && f.solver.flags.Changed(name) { // such as a variable of a shell that is not set
			return usage("--%s is empty", name)
		}
	}
	return f.names.check(f.batch.overwrite)
}

// checkCrop keeps a crop from taking the name of the whole result.
func (f *denoiseFlags) checkCrop() error {
	switch {
	case f.solver.Crop.Empty():
		return nil
	case f.names.inPlace:
		return usage("--crop would cut the inputs; it does not go with --in-place")
	case f.compare.page != "":
		return usage("--compare shows whole pictures; it does not go with --crop")
	}
	f.names.plain = "-crop"
	return nil
}

// checkTogether refuses what would take the other images of a sequence away.
func (f *denoiseFlags) checkTogether() error {
	switch {
	case !f.solver.Together:
		return nil
	case f.names.inPlace:
		return usage("--together needs the images before and after as they were; it does not go with --in-place")
	case f.batch.shard != "":
		return usage("--shard would cut the sequences of --together")
	}
	return nil
}

// checkBurst refuses what has no meaning for several shots that become one picture.
func (f *denoiseFlags) checkBurst() error {
	if !f.names.burst {
		return nil
	}
	return noneGiven("--burst does not go with %s", []given{
		{"--together", f.solver.Together}, {"--in-place", f.names.inPlace}, {"--crop", !f.solver.Crop.Empty()},
		{"--shard", f.batch.shard != ""}, {"--on-unsupported copy", f.copies},
		{"--overwrite changed", f.batch.overwrite == string(batch.Changed)}, {"-", f.names.piped},
	})
}

// given says whether a flag was given.
type given struct {
	flag string
	is   bool
}

// noneGiven refuses the first flag that was given.
func noneGiven(refusal string, flags []given) error {
	for _, f := range flags {
		if f.is {
			return usage(refusal, f.flag)
		}
	}
	return nil
}

func (f *denoiseFlags) run(ctx context.Context, u *ui, words []string) error {
	f.names.take(words)
	if err := f.guess(u.quiet); err != nil {
		return err
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	f.showProgress(u)
	signal.Ignore(syscall.SIGPIPE) // a reader that went away gives a write error, which is reported in one line
	if f.names.piped {
		return f.pipe(ctx, u, o)
	}
	p, err := f.plan(ctx, u, o)
	if err != nil {
		return err
	}
	if err := p.mayCompare(); err != nil {
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
		w.Format = f.names.format
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
	r.started = time.Now()
	end := func(error) {}
	defer func() {
		r.seconds = time.Since(r.started).Seconds()
		end(r.err)
	}()
	defer crash.Catch(&r.err) // it costs one file, not the batch
	run := p.shotOptions(o)
	switch {
	case p.lines != nil || len(p.jobs) == 1:
		end = p.follow(p.u, j.Path, &run)
	case p.share != nil:
		run.Progress = func(share float64) { p.share(j, share) }
	}
	if j.Other {
		p.copyOther(j, &r)
		return r
	}
	if r.err = j.Size.Check(p.most()); r.err != nil {
		return r
	}
	r.made, r.err = p.output.Make(j.Item, p.writeOptions(j.Out), func(t batch.Task) (err error) {
		run.Read.Root, run.Write = t.InRoot, t.Options
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
		r.err = p.writeCompare(j, r.Result, o)
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
