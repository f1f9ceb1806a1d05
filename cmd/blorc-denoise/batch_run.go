package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/burst"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// plan is what a call will do.
type plan struct {
	*denoiseFlags
	u      *ui
	output batch.Output
	found  *batch.Found
	naming batch.Naming
	jobs   []batch.Job
	kept   []skipped
	about  func() runOptions
	share  func(batch.Job, float64) // is told how much of a file is done; may be nil

	forgets bool // the history cannot be written
}

// skipped is an item whose output exists.
type skipped struct {
	batch.Item
	why, advice string
}

// memoryFor returns what estimates the memory that a file takes, and the other shots of its scene with it.
func memoryFor(o denoise.Options, shots int) batch.Estimate {
	return func(i imageio.Info, fileBytes int64) int64 {
		all := denoise.Memory(i, fileBytes, o)
		if shots > 0 { // one at a time is laid over the mean
			all += burst.PixelBytes * int64(i.Width) * int64(i.Height)
		}
		return all
	}
}

// plan finds inputs, names outputs and refuses conflicts. It does so for all shards, since all must refuse the same.
func (f *denoiseFlags) plan(ctx context.Context, u *ui, words []string, o denoise.Options) (*plan, error) {
	naming, err := f.names.naming(words)
	if err != nil {
		return nil, err
	}
	suffixes := []string{batch.DefaultSuffix}
	if naming.Suffix != "" {
		suffixes = append(suffixes, naming.Suffix)
	}
	if f.batch.others && naming.Folder == "" {
		return nil, usage("--copy-others copies what a folder holds besides images; it needs a folder and -o FOLDER")
	}
	found, err := batch.Find(ctx, words, batch.FindOptions{Recursive: f.batch.recursive, Others: f.batch.others,
		Stdin: os.Stdin, Suffixes: suffixes})
	if err != nil {
		return nil, err
	}
	items, err := naming.Name(found)
	if err != nil {
		return nil, err
	}
	p := &plan{denoiseFlags: f, u: u, found: found, naming: naming, about: f.describeRun(o),
		output: batch.Output{Folder: naming.Folder, InPlace: naming.InPlace,
			Overwrite: batch.Overwrite(f.batch.overwrite), Backup: !f.names.noBackup, Preserve: f.batch.preserve}}
	if err := p.openHistory(); err != nil {
		return nil, err
	}
	f.read.Context = ctx
	read := f.read.ReadOptions
	read.SkipUnsupported = bool(f.unsupported)
	for _, it := range items {
		if !f.batch.part.Takes(it.Rel) {
			continue
		}
		if due, why := p.output.Due(it); due {
			p.jobs = append(p.jobs, batch.Job{Item: it, Size: batch.Measure(it, read, memoryFor(o, len(p.shots)))})
		} else {
			advice := overwriteAdvice
			if naming.InPlace && batch.HasBackup(it.Out) {
				advice = "it was done before"
			} else if len(items) == 1 {
				advice = p.adviceFor(it)
			}
			p.kept = append(p.kept, skipped{it, why, advice})
		}
	}
	return p, nil
}

// openHistory opens what is remembered about outputs. Only --overwrite changed needs it.
func (p *plan) openHistory() (err error) {
	needed := p.output.Overwrite == batch.Changed
	if p.output.History, err = p.batch.history.open(); err != nil || p.output.History == nil {
		if needed {
			return usage("--overwrite changed needs --history FOLDER, which remembers how outputs were made")
		}
		return nil
	}
	if needed || p.output.InPlace && !p.output.Backup { // which is written down before a file is replaced
		about := p.about()
		p.output.Options = about.fingerprint
		return about.err
	}
	return nil
}

// remember adds what was made to the history. An error is told once, and only if the history was asked for.
func (p *plan) remember(it batch.Item, made batch.Made) {
	if p.forgets || p.output.History == nil || made.Out.SHA256 == "" || made.In.SHA256 == "" {
		return
	}
	about, to := p.about(), p.output // which other files are being written with
	to.Options = about.fingerprint
	err := about.err
	if err == nil {
		err = to.Remember(it, made)
	}
	if err == nil {
		return
	}
	if p.output.Overwrite == batch.Changed || p.batch.history.dir != "" {
		p.u.fail("", fmt.Errorf("how outputs were made cannot be remembered: %w", err))
	}
	p.forgets = true
}

// missing returns the folders that the outputs go to and that are not there. Other shards may need them, so with shards
// it returns none.
func (p *plan) missing() []string {
	if p.output.Folder == "" || p.batch.part.Count > 1 { // without a folder, each output makes its own
		return nil
	}
	items := make([]batch.Item, len(p.jobs))
	for i, j := range p.jobs {
		items[i] = j.Item
	}
	return missingFolders(p.output.Folder, items)
}

// missingFolders returns those of a folder and the folders of outputs below it that are not there.
func missingFolders(folder string, items []batch.Item) []string {
	dirs := []string{folder}
	for _, it := range items {
		if dir := filepath.Dir(it.Out); dir != dirs[len(dirs)-1] { // most follow one of the same folder
			dirs = append(dirs, dir)
		}
	}
	return disk.Missing(dirs...)
}

// prepare makes the output folder and removes what killed runs left.
func (p *plan) prepare() error {
	if p.output.Folder != "" {
		if err := os.MkdirAll(p.output.Folder, 0o777); err != nil {
			return err
		}
	}
	if p.output.Folder != "" && len(p.jobs) > 0 {
		if err := disk.Writable(p.output.Folder); err != nil && !disk.IsFull(err) { // else each file would end so
			return fmt.Errorf("nothing can be written there: %w", err)
		}
	}
	folders := map[string]bool{}
	if p.output.Folder != "" { // disk.Writable may have been killed there
		folders[p.output.Folder] = true
	}
	for _, j := range p.jobs {
		folders[filepath.Dir(j.Out)] = true
	}
	for _, k := range p.kept { // a killed run may have left something beside them too
		folders[filepath.Dir(k.Out)] = true
	}
	swept := 0
	for dir := range folders {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() { // writing will tell
			continue
		}
		n, err := p.sweep(dir)
		swept += n
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.u.fail(dir, fmt.Errorf("temporary files cannot be removed: %w", err))
		}
	}
	if swept > 0 {
		p.u.say("%d temporary files of killed runs removed", swept)
	}
	return nil
}

// sweep removes what killed runs left in a folder of outputs, but not where a link in the output folder leads out of
// it.
func (p *plan) sweep(dir string) (int, error) {
	if p.output.Folder == "" {
		return disk.SweepTemp(dir, p.batch.sweepAge)
	}
	root, err := disk.Open(p.output.Folder)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	rel, err := filepath.Rel(p.output.Folder, dir)
	if err != nil {
		return 0, err
	}
	folder, err := root.Below(rel)
	if err != nil {
		return 0, err
	}
	defer folder.Close()
	return folder.SweepTemp(p.batch.sweepAge)
}

// tell prints what would be done.
func (p *plan) tell(ctx context.Context, o denoise.Options) error {
	r := newReport(p)
	r.refused()
	for _, k := range p.kept {
		if r.total == 1 {
			r.tellKept(ctx, k, o)
			continue
		}
		r.skip(k)
	}
	r.progress()
	for _, j := range p.jobs {
		if ctx.Err() != nil || r.broken != nil {
			break
		}
		found, err := p.foresee(ctx, j, o)
		if ctx.Err() != nil {
			break
		}
		c, isCopied := p.copyOf(j, err)
		if isCopied {
			j.Item, found, err = c.Item, c.result, nil
		}
		switch {
		case err != nil:
			r.failed(j.Path, recordOf(j, statusFailed), err)
		case c.kept != "":
			r.skip(skipped{Item: j.Item, why: c.kept, advice: overwriteAdvice})
		default:
			r.planned(j, found)
		}
	}
	return r.finish(ctx.Err() != nil)
}

// keepWithin sets the garbage collector to keep the limit of memory. With one large file it keeps the garbage small;
// with many, or one that is soon done, it collects rarely, until the limit is near.
func (p *plan) keepWithin(l batch.Limits) {
	if len(p.jobs) == 1 {
		saveMemory(p.jobs[0].Size.Memory)
		return
	}
	const program = 160 << 20 // with all models
	limit := l.Memory
	for _, j := range p.jobs {
		limit = max(limit, program+j.Size.Memory)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
}

func (p *plan) run(ctx context.Context, o denoise.Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := newReport(p)
	r.ended = ctx.Done()
	r.refused()
	for _, k := range p.kept {
		r.skip(k)
	}
	if err := r.sheet.begin(); err != nil {
		return fileError{r.batch.report, err}
	}
	if r.broken != nil {
		return r.broken
	}
	if p.u.terminal {
		p.share = r.meter.share
	}
	r.progress()
	limits := p.limits()
	p.keepWithin(limits)
	if limits.Workers < runtime.GOMAXPROCS(0) { // more files may run than workers, but on no more processors
		runtime.GOMAXPROCS(limits.Workers)
	}
	report := func(j batch.Job, out outcome) {
		r.done(j, out)
		switch {
		case r.broken != nil: // nobody can be told what is done
			cancel(r.broken)
		case r.full != nil: // what else is computed could not be written
			cancel(r.full)
		}
	}
	if o.Together {
		p.runTogether(ctx, o, limits.Workers, report)
		return r.finish(ctx.Err() != nil)
	}
	batch.Run(ctx, p.jobs, limits, func(ctx context.Context, j batch.Job, workers int) outcome {
		o := o
		o.Workers = workers
		return p.file(ctx, j, o)
	}, report)
	return r.finish(ctx.Err() != nil)
}
