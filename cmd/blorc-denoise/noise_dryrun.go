package main

import (
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// foresee returns the noise that would be removed from a file: that of its first page, as with the files that are done.
func (p *plan) foresee(ctx context.Context, j batch.Job, o denoise.Options) (found denoise.Result, err error) {
	defer crash.Catch(&err)
	if err := j.Size.Check(p.most()); err != nil {
		return found, err
	}
	if err := p.output.Blocked(j.Item); err != nil || j.Other {
		return otherFile, err
	}
	r, err := imageio.Open(j.Path, p.readAny())
	if err != nil {
		return found, err
	}
	defer r.Close()
	write := p.writeOptions(j.Out)
	skipped, why := r.Skipped()
	if skipped > 0 && write.Format != 0 && write.Format != imageio.TIFF {
		return found, why
	}
	img, err := r.Page(0)
	if err != nil {
		return found, err
	}
	if err := write.Check(img, r.Pages()); err != nil {
		return found, err
	}
	analysis, err := denoise.Analyse(ctx, img, denoise.FileOptions{Options: o, Read: p.read.ReadOptions})
	if analysis != nil {
		found = analysis.Result()
	}
	found.Format, found.Pages = img.Format, r.Pages()+skipped
	if skipped > 0 {
		found.Copied, found.CopyReason = skipped, why.Error()
	}
	warnings := img.Warnings
	switch {
	case write.Strip: // what would be lost of metadata is to be left out
		warnings = faults(img)
	case !o.Crop.Empty():
		_, lost := img.Meta.Cropped(o.Crop)
		warnings = append(warnings, lost...)
	}
	for _, w := range warnings {
		if r.Pages() > 1 {
			w = "page 1: " + w
		}
		found.Warnings = append(found.Warnings, w)
	}
	p.warnOfFormat(&found, j.Path, j.Out)
	return found, err
}

// planned reports what would be done with a file.
func (r *report) planned(j batch.Job, found denoise.Result) {
	r.tally.done++
	r.meter.end(j)
	v := recordOf(j, statusPlanned)
	v.Reason = found.CopyReason
	if found.Copied > 0 && found.Copied >= found.Pages {
		r.left++
	} else {
		v.Pages, v.Copied = found.Pages, found.Copied
		v.Noise, v.Sigma, v.Estimated = noiseOf(found), &found.Sigma, &found.Estimated
	}
	v.Warnings = found.Warnings
	r.json(v)
	if !r.batch.json && r.broken == nil {
		r.u.clearLive()
		_, r.broken = fmt.Fprintln(r.u.out, oneLine(fmt.Sprintf("%s -> %s: %s", j.Path, j.Out, describePlanned(found))))
	}
	r.u.warn(j.Path, found.Warnings)
	r.progress()
}
