package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/batch"
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

	compare compareFlags
}

// newDenoise is the root command.
func newDenoise(u *ui) *cobra.Command {
	f := denoiseFlags{sigma: autoSigma}
	c := &cobra.Command{
		Use:   program + " FILE|FOLDER|PATTERN|@LIST|-...",
		Short: "Remove noise from image files",
		Long: `Remove noise from PNG, JPEG and TIFF files with learned analysis operators.

The noise level is found in each file unless --sigma gives it. Without -o, the result of photo.png is written beside it as
photo-denoised.png. Bit depth, alpha, pages and metadata are kept. Inputs are changed by --in-place only.

A folder means all images in it, in order of name. With -r, images in subfolders as well; the tree comes back below -o.
Hidden files, unfinished files (.part, .tmp, ~ and the like) and links are left out. A file that you name yourself is
used whatever its name, also through a link. A quoted PATTERN may use ** for any number of folders. @LIST is a file with
one name on each line, @- reads such a list from stdin. - reads one image of any kind from stdin, or several PNG images,
and writes to stdout unless -o names a file.

Outputs that exist are kept and counted as skipped. So after an interruption the same command does the rest.

` + exitHelp,
		Example: `  blorc-denoise photo.jpg
  blorc-denoise scan.tif -o clean.tif --sigma 12
  blorc-denoise -r photos/ -o cleaned/ --preserve
  blorc-denoise 'scans/**/page*.tif' -o cleaned/ --format png --strength 0.8
  blorc-denoise -r photos/ -o cleaned/ --shard 2/8 --json
  blorc-denoise photo.jpg --compare photo.html
  ffmpeg -i in.mkv -f image2pipe -c:v png - | blorc-denoise - | ffmpeg -f image2pipe -i - out.mkv`,
		Args: atLeastOne("file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), u, args) },
	}
	flags := c.Flags()
	f.names.add(flags)
	flags.VarP(&f.sigma, "sigma", "s", "standard deviation of the noise in grey levels of 0-255, whatever the bit depth, or auto")
	flags.StringVarP(&f.model, "model", "m", models.Default, "`NAME` of a shipped model (see 'model list'), or a model file")
	f.write.add(flags)
	f.batch.add(flags)
	f.compare.add(flags)
	f.solver.add(flags)
	f.read.add(flags)
	return c
}

func (f *denoiseFlags) check(words []string) error {
	if err := f.write.check(); err != nil {
		return err
	}
	if err := f.names.check(words); err != nil {
		return err
	}
	if err := f.batch.check(); err != nil {
		return err
	}
	if err := f.compare.check(f, words); err != nil {
		return err
	}
	return f.read.check()
}

func (f *denoiseFlags) run(ctx context.Context, u *ui, words []string) error {
	if err := f.check(words); err != nil {
		return err
	}
	chosen, err := chooser(f.model)
	if err != nil {
		return err
	}
	o, err := f.solver.options(chosen, f.sigma)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // a reader that went away gives a write error, which is reported in one line
	if f.names.piped(words) {
		saveMemory()
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
		return p.tell()
	}
	if err := p.prepare(); err != nil {
		return err
	}
	return p.run(ctx, o)
}

// saveMemory makes the garbage collector run more often. There are few, large blocks, so that costs little time.
func saveMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(20)
	}
}

// writeOptions returns how the output of a name is written.
func (f *denoiseFlags) writeOptions(out string) imageio.WriteOptions {
	w := f.write.options(out, f.read.White)
	if w.Format == 0 {
		w.Format = f.names.format.Format
	}
	return w
}

// outcome is the result of one file.
type outcome struct {
	denoise.Result
	seconds float64
	err     error
}

// file denoises one file.
func (p *plan) file(ctx context.Context, j batch.Job, o denoise.Options) (r outcome) {
	start := time.Now()
	defer func() {
		r.seconds = time.Since(start).Seconds()
		if fault := recover(); fault != nil { // costs one file, not the batch
			r.err = faultError{fault, debug.Stack()}
		}
	}()
	if r.err = j.Size.Check(p.most()); r.err != nil {
		return r
	}
	if len(p.jobs) == 1 {
		o.Progress = p.showShare(j.Path, start)
	}
	r.err = p.output.Make(j.Item, p.writeOptions(j.Out), func(t batch.Task) (err error) {
		read := p.read.ReadOptions
		read.Root = t.InRoot
		r.Result, err = denoise.File(ctx, t.In, t.Out, denoise.FileOptions{Options: o, Read: read, Write: t.Options})
		return err
	})
	if r.err == nil {
		r.err = p.compare.write(p, j, r.Result, o)
	}
	return r
}

// most returns the bytes of memory above which a file is refused: what --max-memory says, or all the memory of the machine.
func (f *denoiseFlags) most() int64 {
	if f.batch.memory > 0 {
		return int64(f.batch.memory)
	}
	return 2 * batch.DefaultMemory() // which is half
}

// limits returns how many files run side by side. The default is two for each processor, since a file waits for the disk at its
// end.
func (f *denoiseFlags) limits() batch.Limits {
	workers := parallel.Workers(f.solver.Workers)
	l := batch.Limits{Jobs: f.batch.jobs, Workers: workers, Memory: int64(f.batch.memory)}
	if l.Jobs == 0 {
		l.Jobs = 2 * workers
	}
	if l.Memory == 0 {
		l.Memory = batch.DefaultMemory()
	}
	return l
}
