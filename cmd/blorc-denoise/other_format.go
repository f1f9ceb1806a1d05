package main

import (
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// otherFormat returns a warning if an input becomes a file of another format only because of its name. Formats that are
// only read have to become another one: that loses something only if it is JPEG.
func otherFormat(is imageio.Format, out string) []string {
	to, ok := imageio.OutputFormatOf(out)
	_, written := imageio.OutputFormatOf("." + is.String())
	if !ok || is == 0 || is == to || !written && to != imageio.JPEG {
		return nil
	}
	return []string{fmt.Sprintf("it is a %v file; the output is a %v file, as its name says", is, to)}
}

// otherName returns a warning if an output has another extension than its input because that is no image's.
func otherName(is imageio.Format, in, out string) []string {
	_, named := imageio.InputFormatOf(in)
	if to, ok := imageio.OutputFormatOf(out); named || !ok || is != to {
		return nil
	}
	return []string{fmt.Sprintf("it is a %v file, whatever its name says; so is the output", is)}
}

// warnOfFormat adds that warning to a result, unless the format was asked for.
func (p *plan) warnOfFormat(r *denoise.Result, in, out string) {
	if p.naming.File == "" && p.naming.Format == 0 {
		r.Warnings = append(append(r.Warnings, otherFormat(r.Format, out)...), otherName(r.Format, in, out)...)
	}
}
