package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/series"
)

// sequence is files that are denoised together. Files whose outputs exist take part, so that the outputs of the others
// do not depend on an interruption.
type sequence struct {
	*plan
	ctx    context.Context
	o      denoise.Options
	jobs   []batch.Job
	due    []bool // whether the output of a job is to be made
	reach  int    // how many files before and after a file take part in its output
	report func(batch.Job, outcome)
}

// runTogether does the jobs of sequences of files as series, one after the other.
func (p *plan) runTogether(ctx context.Context, o denoise.Options, report func(batch.Job, outcome)) {
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
		if !k.Other {
			all = append(all, p.job(k.Item, o))
		}
	}
	for _, jobs := range batch.Sequences(all) {
		s := sequence{p, ctx, o, jobs, make([]bool, len(jobs)), o.SeriesReach(), report}
		files := 0
		for i, j := range jobs {
			if s.due[i] = due[j.Path]; s.due[i] {
				files++
			}
		}
		switch {
		case files == 0 || ctx.Err() != nil:
		case len(jobs) == 1:
			report(jobs[0], p.file(ctx, jobs[0], o))
		default:
			p.lines.begin(files)
			p.fileOptions(o).Series(ctx, s.measured(), s.at)
			p.lines.end()
		}
	}
}

// at returns what is done with a file, or nil after the last one.
func (s sequence) at(i int) func(ctx context.Context) {
	if i == len(s.jobs) || s.ctx.Err() != nil {
		return nil
	}
	return func(ctx context.Context) {
		if s.due[i] {
			s.report(s.jobs[i], s.file(ctx, s.jobs[i], s.o))
			return
		}
		if !slices.Contains(s.due[max(0, i-s.reach):min(len(s.due), i+s.reach+1)], true) {
			return
		}
		if f, err := os.Open(s.jobs[i].Path); err == nil {
			defer f.Close()
			_, _ = denoise.Stream(ctx, io.Discard, f, s.fileOptions(s.o)) // it was told when its output was made
		}
	}
}

// measured reads the files that the noise is measured on. What is wrong with them is told later.
func (s sequence) measured() (images []*imageio.Image) {
	for _, i := range series.Measured(len(s.jobs), int(s.jobs[0].Size.Width*s.jobs[0].Size.Height)) {
		img, err := firstPage(s.jobs[i].Path, s.read.ReadOptions)
		if err != nil {
			return nil
		}
		images = append(images, img)
	}
	return images
}

// pipedSequence is images of stdin that are denoised together. The outputs come in the order of the inputs.
type pipedSequence struct {
	*pipe
	ctx     context.Context
	waiting [][]byte // images that were read to measure the noise
	end     error    // why no more come
	out     inOrder
}

// together denoises images of stdin together. The noise is measured on the first of them.
func (p *pipe) together(ctx context.Context) error {
	s := &pipedSequence{pipe: p, ctx: ctx, out: inOrder{w: p.u.out, done: map[int][]byte{}}}
	some := s.measured()
	p.lines.begin(0)
	p.fileOptions(p.options).Series(ctx, some, s.at)
	if s.out.err == nil && !errors.Is(s.end, io.EOF) {
		s.out.err = s.end
	}
	if s.out.err != nil {
		p.sayDone(s.out.next)
		return pipeError(p.name, s.out.err)
	}
	return nil
}

// measured reads the first images.
func (s *pipedSequence) measured() (some []*imageio.Image) {
	var data []byte
	for range series.Measured(1<<20, 1) {
		if data, s.end = s.next(s.ctx); s.end != nil {
			break
		}
		s.waiting = append(s.waiting, data)
		if img, err := imageio.Decode(data, s.read.ReadOptions); err == nil {
			some = append(some, img)
		}
	}
	return some
}

// at returns what is done with an image, or nil after the last one.
func (s *pipedSequence) at(i int) func(ctx context.Context) {
	if len(s.waiting) == 0 && s.end == nil {
		var data []byte
		if data, s.end = s.next(s.ctx); s.end == nil {
			s.waiting = append(s.waiting, data)
		}
	}
	if s.out.err != nil || len(s.waiting) == 0 {
		return nil
	}
	data := s.waiting[0]
	s.waiting = s.waiting[1:]
	return func(ctx context.Context) {
		var b bytes.Buffer
		if err := s.image(ctx, &b, data, s.options, s.writeOptions("")); err != nil {
			s.out.fail(err)
			return
		}
		s.out.write(i, b.Bytes())
	}
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
