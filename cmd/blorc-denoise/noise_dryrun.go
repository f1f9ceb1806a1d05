package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/batch"
)

// foresee returns the noise that would be removed from a file: that of its first page, as with the files that are done.
func (p *plan) foresee(ctx context.Context, j batch.Job, o denoise.Options) (found denoise.Result, err error) {
	defer func() {
		if fault := recover(); fault != nil { // costs one file, not the batch
			err = faultError{fault, debug.Stack()}
		}
	}()
	if err := j.Size.Check(p.most()); err != nil {
		return found, err
	}
	defer func() {
		if bool(p.unsupported) && errors.Is(err, imageio.ErrUnsupported) {
			found, err = denoise.Result{Noise: denoise.None, Copied: 1, Why: err.Error()}, nil
		}
	}()
	read := p.read.ReadOptions
	read.SkipUnsupported = bool(p.unsupported)
	r, err := imageio.Open(j.Path, read)
	if err != nil {
		return found, err
	}
	defer r.Close()
	img, err := r.Page(0)
	if err != nil {
		return found, err
	}
	if err := p.writeOptions(j.Out).Check(img, r.Pages()); err != nil {
		return found, err
	}
	found, err = denoise.Measure(ctx, img, denoise.FileOptions{Options: o, Read: p.read.ReadOptions})
	found.Format = img.Format
	warnings := img.Warnings
	if !o.Crop.Empty() {
		_, lost := img.Meta.Cropped(o.Crop)
		warnings = append(warnings, lost...)
	}
	for _, w := range warnings {
		if r.Pages() > 1 {
			w = "page 1: " + w
		}
		found.Warnings = append(found.Warnings, w)
	}
	p.warnOfFormat(&found, j.Out)
	return found, err
}

// planned reports what would be done with a file.
func (r *report) planned(j batch.Job, found denoise.Result) {
	r.tally.done++
	r.meter.end(j)
	v := recordOf(j, statusPlanned)
	if v.Reason = found.Why; found.Copied == 0 {
		v.Noise, v.Sigma, v.Estimated = noiseOf(found), &found.Sigma, &found.Estimated
	}
	v.Warnings = found.Warnings
	r.json(v)
	if !r.batch.json && r.broken == nil {
		r.u.clearLive()
		_, r.broken = fmt.Fprintln(r.u.out, oneLine(fmt.Sprintf("%s -> %s (%s)", j.Path, j.Out, describePlanned(found))))
	}
	r.u.warn(j.Path, found.Warnings)
	r.progress()
}

// describePlanned says what would be removed.
func describePlanned(r denoise.Result) string {
	switch {
	case r.Copied > 0:
		return "to be copied as it is: " + r.Why
	case r.Noise == denoise.None && r.Estimated:
		return "no noise found, to be copied"
	case r.Noise == denoise.None:
		return "to be copied"
	case r.Estimated:
		return fmt.Sprintf("%v found", r)
	}
	return fmt.Sprintf("%v given", r)
}
