package denoise

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// pages denoises the pages of a file one after the other.
type pages struct {
	in     *imageio.Reader
	o      FileOptions
	first  Result
	each   []Result    // of all pages, if there are several
	series *fileSeries // nil if each page is denoised alone, or none was yet
	bytes  []byte      // of a JPEG file, which is written as it is if nothing changes

	unseen []float64 // given levels of missing values that no sample has had so far

	copied int    // pages that were copied because they cannot be denoised
	why    string // the first of them was
}

// newPages prepares to denoise the pages of a reader. Unless the options say otherwise, float samples are written on
// the scale on which they were read.
func newPages(r *imageio.Reader, o FileOptions) *pages {
	if o.Write.White == 0 {
		o.Write.White = o.Read.White
	}
	if o.Write.Workers == 0 {
		o.Write.Workers = o.Workers
	}
	o.Write.Context = o.Read.Context
	p := &pages{in: r, o: o, unseen: o.Read.NoData}
	p.bytes = p.original()
	return p
}

// write returns the options for the pages, which bring the note with them.
func (p *pages) write() imageio.WriteOptions {
	o := p.o.Write
	o.Note = ""
	return o
}

func (p *pages) page(ctx context.Context, i int) (*imageio.Image, error) {
	if p.in.Pages() == 1 {
		return p.one(ctx, i, p.o)
	}
	if p.series == nil {
		p.series = p.newSeries(ctx)
	}
	return p.series.page(i)
}

// one denoises a page.
func (p *pages) one(ctx context.Context, i int, o FileOptions) (*imageio.Image, error) {
	img, err := p.in.Page(i)
	if err == nil {
		err = ctx.Err() // reading may have taken seconds
	}
	if err != nil {
		return nil, err
	}
	if err := p.o.Write.Check(img, p.in.Pages()); err != nil { // before the work, not only after it
		return nil, err
	}
	if skipped, _ := p.in.Skipped(); p.in.Pages() == 1 && skipped == 0 {
		p.in.Close() // its bytes may be as many as the image's
	}
	if img.Width*img.Height > hugePixels {
		debug.FreeOSMemory() // what reading has left behind
	}
	p.unseen = img.LacksNoData(p.unseen, p.o.Read.White)
	if p.o.Write.Strip { // what would be lost of metadata is to be left out
		lost := img.Meta.Lost()
		img.Warnings = slices.DeleteFunc(img.Warnings, func(w string) bool { return slices.Contains(lost, w) })
	}
	o.look(i, img, false)
	r, err := o.decoded(ctx, img, p.in.Pages())
	if r, err = p.orKeep(r, err); err != nil && p.in.Pages() > 1 {
		err = fmt.Errorf("page %d: %w", i+1, err)
	}
	if i == 0 && p.o.Write.Note != "" {
		img.Meta = img.Meta.WithNote(p.o.Write.Note + ": " + o.history(r, seriesPage(ctx)))
	}
	if p.in.Pages() > 1 {
		p.each = append(p.each, r)
	}
	if warnings := p.first.Warnings; i == 0 || p.first.Noise == None && r.Noise != None {
		p.first = r
		p.first.Warnings = slices.Concat(warnings, r.Warnings)
	}
	for _, w := range img.Warnings {
		if p.in.Pages() > 1 {
			w = fmt.Sprintf("page %d: %s", i+1, w)
		}
		if len(p.first.Warnings) < maxWarnings {
			p.first.Warnings = append(p.first.Warnings, w)
		}
	}
	if err == nil {
		o.look(i, img, true)
	}
	if err == nil && p.isOriginal(img, r) {
		return nil, errUnchanged
	}
	return img, err
}

// maxWarnings limits the warnings about a file, which may have one for each of many pages.
const maxWarnings = 20

// hugePixels is the size of images for which the garbage of reading matters: it may be as large as the image.
const hugePixels = 4_000_000
