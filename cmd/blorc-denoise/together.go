package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/series"
)

// runTogether does the jobs of sequences of files as series, one after the other. Files whose outputs exist take part,
// so that the outputs of the others do not depend on an interruption.
func (p *plan) runTogether(ctx context.Context, o denoise.Options, workers int, report func(batch.Job, outcome)) {
	due := map[string]bool{}
	var all []batch.Job
	for _, j := range p.jobs {
		if j.Other {
			report(j, p.file(ctx, j, o))
			continue
		}
		due[j.Path] = true
		all = append(all, j)
	}
	for _, k := range p.kept {
		if k.Other {
			continue
		}
		all = append(all, batch.Job{Item: k.Item, Size: batch.Measure(k.Item, p.read.ReadOptions,
			memoryFor(o, len(p.shots)))})
	}
	o.Workers = workers
	reach := o.SeriesReach()
	for _, s := range batch.Sequences(all) {
		isDue := func(i int) bool { return due[s[i].Path] }
		files := count(len(s), isDue)
		if files == 0 || ctx.Err() != nil {
			continue
		}
		if len(s) == 1 {
			report(s[0], p.file(ctx, s[0], o))
			continue
		}
		p.lines.begin(files)
		p.fileOptions(o).Series(ctx, p.some(s), func(i int) func(ctx context.Context) {
			if i == len(s) || ctx.Err() != nil {
				return nil
			}
			return func(ctx context.Context) {
				if isDue(i) {
					report(s[i], p.file(ctx, s[i], o))
					return
				}
				if !anyWithin(max(0, i-reach), min(len(s), i+reach+1), isDue) {
					return
				}
				if f, err := os.Open(s[i].Path); err == nil {
					defer f.Close()
					_, _ = denoise.Stream(ctx, io.Discard, f, p.fileOptions(o)) // it was told when its output was made
				}
			}
		})
		p.lines.end()
	}
}

// count returns for how many numbers below n something holds.
func count(n int, holds func(i int) bool) (some int) {
	for i := range n {
		if holds(i) {
			some++
		}
	}
	return some
}

// anyWithin reports whether something holds for a number from one on and below another.
func anyWithin(from, to int, holds func(i int) bool) bool {
	for i := from; i < to; i++ {
		if holds(i) {
			return true
		}
	}
	return false
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

// some reads the files of a sequence that its noise is measured on. What is wrong with them is told later.
func (p *plan) some(s []batch.Job) (images []*imageio.Image) {
	for _, i := range series.Measured(len(s), int(s[0].Size.Width*s[0].Size.Height)) {
		r, err := imageio.Open(s[i].Path, p.read.ReadOptions)
		if err != nil {
			return nil
		}
		img, err := r.Page(0)
		r.Close()
		if err != nil {
			return nil
		}
		images = append(images, img)
	}
	return images
}

// pipeTogether is pipe for images of stdin that are denoised together. The noise is measured on the first of them. The
// outputs come in the order of the inputs.
func (f *denoiseFlags) pipeTogether(ctx context.Context, u *ui, images *batch.Stream, o denoise.Options) error {
	var waiting [][]byte // images that were read to measure the noise
	var some []*imageio.Image
	var failed error
	for range series.Measured(1<<20, 1) {
		data, err := nextImage(ctx, images)
		if err != nil {
			failed = err
			break
		}
		waiting = append(waiting, data)
		if img, err := imageio.Decode(data, f.read.ReadOptions); err == nil {
			some = append(some, img)
		}
	}
	next := func() ([]byte, error) {
		if len(waiting) > 0 {
			data := waiting[0]
			waiting = waiting[1:]
			return data, nil
		}
		if failed != nil {
			return nil, failed
		}
		return nextImage(ctx, images)
	}
	f.lines.begin(0)
	out := &inOrder{w: u.out, done: map[int][]byte{}}
	f.fileOptions(o).Series(ctx, some, func(i int) func(ctx context.Context) {
		if out.err != nil {
			return nil
		}
		data, err := next()
		if err != nil {
			if failed = err; errors.Is(err, io.EOF) {
				failed = nil
			}
			return nil
		}
		return func(ctx context.Context) {
			var b bytes.Buffer
			if err := f.oneImage(ctx, u, &b, "stdin", data, o, f.writeOptions("")); err != nil {
				out.fail(err)
				return
			}
			out.write(i, b.Bytes())
		}
	})
	if out.err == nil {
		out.err = failed
	}
	if out.err != nil {
		if out.next > 0 {
			u.say("images done: %d", out.next)
		}
		return pipeError("stdin", out.err)
	}
	return nil
}

// inOrder writes numbered pieces in the order of their numbers.
type inOrder struct {
	w    io.Writer
	done map[int][]byte // that wait for others
	next int
	err  error // the first
}

func (o *inOrder) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

func (o *inOrder) write(i int, data []byte) {
	for o.done[i] = data; o.done[o.next] != nil && o.err == nil; o.next++ {
		if _, err := o.w.Write(o.done[o.next]); err != nil {
			o.fail(err)
		}
		delete(o.done, o.next)
	}
}
