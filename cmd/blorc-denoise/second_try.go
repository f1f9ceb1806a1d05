package main

import (
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// overwriteAdvice says what helps if an output exists.
const overwriteAdvice = "see --overwrite"

// adviceFor says what helps if the only output of a call exists: it may be of an earlier try with other settings.
func (p *plan) adviceFor(it batch.Item) string {
	if p.output.Overwrite != batch.Never || p.output.InPlace || p.output.History == nil {
		return overwriteAdvice
	}
	made, known := p.output.History.Find(it.Out)
	about := p.about()
	if !known || about.err != nil {
		return overwriteAdvice
	}
	again := p.output
	again.Overwrite, again.Options = batch.Changed, about.fingerprint
	switch due, _ := again.Due(it); {
	case due && made.Options != about.fingerprint:
		return "made with other settings: add --overwrite changed"
	case due:
		return "made of another version of the input: add --overwrite changed"
	}
	return overwriteAdvice
}

// whySkipped says why files of a batch are skipped, if none is done, or if outputs are of an earlier try with other
// settings. A batch that goes on where it was interrupted needs no advice.
func (r *report) whySkipped() string {
	if len(r.kept) == 0 || r.output.Overwrite != batch.Never || r.output.InPlace {
		return ""
	}
	advice := r.adviceFor(r.kept[0].Item)
	if advice == overwriteAdvice && r.tally.done > r.skipped {
		return ""
	}
	return fmt.Sprintf(" because outputs exist (%s)", advice)
}

// tellKept reports, in a dry run for one file, that its output exists, and the noise all the same.
func (r *report) tellKept(ctx context.Context, k skipped, o denoise.Options) {
	found, err := r.foresee(ctx, r.job(k.Item, o), o)
	if err != nil { // what exists stays, so that this does not matter
		r.skip(k)
		return
	}
	r.skipped++
	r.tally.done++
	r.json(record{Path: k.Path, Output: k.Out, Status: statusSkipped, Reason: k.why, Noise: noiseOf(found),
		Sigma: &found.Sigma, Estimated: &found.Estimated})
	if !r.batch.json && r.broken == nil {
		_, r.broken = fmt.Fprintln(r.u.out, oneLine(fmt.Sprintf("%s: %s; skipped, %s (%s)", k.Path,
			describeNoise(found), k.why, k.advice)))
	}
}
