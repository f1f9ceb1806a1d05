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
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

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
		n, err := p.output.Sweep(dir, p.batch.sweepAge)
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
		o.Workers = limits.Workers
		p.runTogether(ctx, o, report)
		return r.finish(ctx.Err() != nil)
	}
	batch.Run(ctx, p.jobs, limits, func(ctx context.Context, j batch.Job, workers int) outcome {
		o := o
		o.Workers = workers
		return p.file(ctx, j, o)
	}, report)
	return r.finish(ctx.Err() != nil)
}
