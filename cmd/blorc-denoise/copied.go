package main

import (
	"errors"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// copied is a file that is to be copied as it is, because it cannot be denoised.
type copied struct {
	batch.Item
	kept   string // why the output stays as it is
	result denoise.Result
}

// copyOf says whether a file is to be copied because of an error. The copy has the name of a file of the format of the
// input, which is another output than that of the plan if files are converted. With --in-place the file stays where it
// is.
func (p *plan) copyOf(j batch.Job, err error) (c copied, ok bool) {
	regular := j.Info == nil || j.Info.Mode().IsRegular()
	if !p.copies || !regular || !errors.Is(err, imageio.ErrUnsupported) {
		return c, false
	}
	c = copied{Item: j.Item, result: denoise.Result{Noise: denoise.None, Copied: 1, CopyReason: err.Error()}}
	if p.output.InPlace {
		return c, true
	}
	if c.Item, ok = p.naming.Unconverted(j.Item); !ok || c.Out == j.Out {
		return c, ok
	}
	if due, why := p.output.Due(c.Item); !due {
		c.kept = why
	}
	return c, true
}

// copy copies a file.
func (p *plan) copy(c copied, r *outcome) {
	switch {
	case p.output.InPlace:
		r.Result, r.err = c.result, nil
		return
	case c.kept != "":
		r.out, r.kept, r.err = c.Out, c.kept, nil
		return
	}
	r.out = c.Out
	if r.made, r.err = p.output.Copy(c.Item); r.err == nil {
		r.Result = c.result
	}
}

// otherFile is the result of a file that is no image by its name.
var otherFile = denoise.Result{Noise: denoise.None, Copied: 1, CopyReason: "not named like an image that can be read"}

// copyOther copies a file of --copy-others.
func (p *plan) copyOther(j batch.Job, r *outcome) {
	if r.made, r.err = p.output.Copy(j.Item); r.err == nil {
		r.Result = otherFile
	}
}
