package denoise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	goimage "image"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// FileOptions say how to denoise a file. The zero value reads and writes as the program does without flags; see
// imageio.ReadOptions and imageio.WriteOptions. Write.Note should be the name and version of the program; the noise and
// what was done about it are appended.
//
// Reading the JSON form gives the same options again. Fingerprint is a digest of it.
type FileOptions struct {
	Options
	Read  imageio.ReadOptions  `json:"read"`
	Write imageio.WriteOptions `json:"write"`

	// CopyUnsupported copies pages that are read but cannot be denoised, and files that cannot be read for their kind,
	// instead of refusing the file. A file is not copied into another format. Result.Copied counts the pages.
	CopyUnsupported bool `json:"copy_unsupported,omitempty"`

	// Data is the content of the input if it has been read already. Then File opens no input.
	Data []byte `json:"-"`

	// Shots are paths of other shots of the scene of the file. Together they become one picture; see Burst.
	Shots []string `json:"shots,omitempty"`

	// Seen, if it is not the zero rectangle, is where Analyse measures the noise. In a small part of a large image that
	// takes less time, and the noise of cameras is measured less surely.
	Seen goimage.Rectangle `json:"-"`

	// NoDither leaves smooth areas of pictures of 8 bits as rounding makes them, with steps of one level. Without it
	// they are dithered where noise was removed, except in JPEG files, whose coding loses dither.
	NoDither bool `json:"no_dither,omitempty"`

	// Look, if it is not nil, is called with each page before and after it is denoised. It must not change the page.
	Look func(page int, img *imageio.Image, denoised bool) `json:"-"`

	// PageDone, if it is not nil, is called before the work on a file of several pages, and after each of them, with
	// the number of pages that are done and the number of all. Several pages may be at work: see Options.Together.
	PageDone func(done, all int) `json:"-"`
}

// File reads the file in, denoises it, and writes the result to the file out. Nothing appears under the name out unless
// all of it worked. The output has the format of the input unless o.Write.Format says otherwise, whatever its name.
// Pages are denoised one after the other, with one page in memory at a time; the result describes the first page that
// has noise. A JPEG file of which nothing changes is copied byte for byte, unless the options ask for another coding.
func File(ctx context.Context, in, out string, o FileOptions) (Result, error) {
	if err := o.checkFile(ctx, out); err != nil {
		return Result{}, err
	}
	o.Read.SkipUnsupported = o.CopyUnsupported
	r, err := o.open(in)
	if err != nil {
		return o.orCopy(Result{}, err, o.input(in), o.intoFile(out))
	}
	result, err := toFile(ctx, r, out, o)
	return o.orCopy(result, err, o.input(in), o.intoFile(out))
}

func (o FileOptions) open(in string) (*imageio.Reader, error) {
	if o.Data != nil {
		return imageio.NewReader(o.Data, o.Read)
	}
	return imageio.Open(in, o.Read)
}

// Stream reads one image file from r to its end, denoises it, and writes the result to w as one file. Nothing is
// written if the first page cannot be decoded or denoised. What a *bytes.Buffer holds is not copied, and the limit of
// bytes does not apply to it.
func Stream(ctx context.Context, w io.Writer, r io.Reader, o FileOptions) (Result, error) {
	switch {
	case r == nil:
		return Result{}, badArgument("no reader")
	case w == nil:
		return Result{}, badArgument("no writer")
	}
	if err := o.check(ctx); err != nil { // before anything is read
		return Result{}, err
	}
	data, err := allOf(r, maxBytes(o.Read))
	if err != nil {
		return Result{}, err
	}
	o.Read.SkipUnsupported = o.CopyUnsupported
	begun := &counter{Writer: w}
	result, err := o.bytes(ctx, begun, data)
	if begun.n > 0 { // too late to begin again
		return result, err
	}
	return o.orCopy(result, err, inMemory(data), func(r io.Reader) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// allOf reads r to its end.
func allOf(r io.Reader, limit int64) ([]byte, error) {
	if b, ok := r.(*bytes.Buffer); ok {
		return b.Bytes(), nil
	}
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w: more than %d bytes", imageio.ErrLimit, limit)
	}
	return data, err
}

// maxBytes returns the limit of the size of a file. There is always a larger number.
func maxBytes(o imageio.ReadOptions) int64 {
	if o.MaxBytes <= 0 {
		return imageio.DefaultMaxBytes
	}
	return min(o.MaxBytes, math.MaxInt64-1)
}

func (o FileOptions) bytes(ctx context.Context, w io.Writer, data []byte) (Result, error) {
	r, err := imageio.NewReader(data, o.Read)
	if err != nil {
		return Result{}, err
	}
	defer r.Close()
	job := newPages(r, o)
	defer job.close()
	err = job.encode(ctx, w)
	if errors.Is(err, errUnchanged) {
		_, err = job.reader().WriteTo(w)
	}
	return job.result(), err
}

// encode writes all pages. Those that r has left out are put between the others in memory.
func (p *pages) encode(ctx context.Context, w io.Writer) error {
	to, memory := w, &bytes.Buffer{}
	skipped, why := p.in.Skipped()
	switch {
	case skipped > 0 && !p.o.writesTIFF():
		return why
	case skipped > 0:
		to = memory
	}
	err := imageio.EncodePages(to, p.in.Pages(), p.write(), func(i int) (*imageio.Image,
		error) {
		return p.page(ctx, i)
	})
	if err != nil || skipped == 0 {
		return err
	}
	data, err := p.in.WithSkipped(memory.Bytes())
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

func (o *FileOptions) check(ctx context.Context) error {
	if err := checkContext(ctx); err != nil {
		return err
	}
	if w := o.Read.White; w != 0 && !(w > 0 && w <= math.MaxFloat64) {
		return badArgument("white %g is not a positive number", w)
	}
	if o.Read.Workers == 0 {
		o.Read.Workers = o.Workers
	}
	o.Read.Context = ctx
	o.KeepInvalid = o.KeepInvalid || o.Read.KeepInvalid
	o.Read.KeepInvalid, o.Write.KeepInvalid = o.KeepInvalid, o.KeepInvalid
	return o.Options.Check()
}

// checkFile is check for an output that is a file.
func (o *FileOptions) checkFile(ctx context.Context, out string) error {
	if out == "" {
		return badArgument("no name for the output")
	}
	return o.check(ctx)
}

// toFile denoises all pages of r into a file, and closes r.
func toFile(ctx context.Context, r *imageio.Reader, out string, o FileOptions) (Result, error) {
	defer r.Close()
	if err := o.withSkipped(r); err != nil {
		return Result{}, err
	}
	before := o.Write.BeforeRename
	o.Write.BeforeRename = func(f *os.File) error { // what was ended leaves no output
		if err := ctx.Err(); err != nil || before == nil {
			return err
		}
		return before(f)
	}
	job := newPages(r, o)
	defer job.close()
	err := imageio.WritePages(out, r.Pages(), job.write(), func(i int) (*imageio.Image,
		error) {
		return job.page(ctx, i)
	})
	if errors.Is(err, errUnchanged) {
		err = o.intoFile(out)(job.reader())
	}
	return job.result(), err
}

// pages denoises the pages of a file one after the other.
type pages struct {
	in     *imageio.Reader
	o      FileOptions
	first  Result
	each   []Result    // of all pages, if there are several
	series *fileSeries // nil if each page is denoised alone, or none was yet
	bytes  []byte      // of a JPEG file, which is written as it is if nothing changes

	copied int    // pages that were copied because they cannot be denoised
	why    string // the first of them was
}

// newPages prepares to denoise the pages of a reader. Unless told otherwise, float samples are written on the scale on
// which they were read.
func newPages(r *imageio.Reader, o FileOptions) *pages {
	if o.Write.White == 0 {
		o.Write.White = o.Read.White
	}
	if o.Write.Workers == 0 {
		o.Write.Workers = o.Workers
	}
	o.Write.Context = o.Read.Context
	p := &pages{in: r, o: o}
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
		img.Meta = img.Meta.WithNote(p.o.Write.Note + ": " + o.history(r, placeOf(ctx).page))
	}
	if p.in.Pages() > 1 {
		p.each = append(p.each, r)
	}
	if warnings := p.first.Warnings; i == 0 || p.first.Noise == None && r.Noise != None {
		p.first = r
		p.first.Warnings = warnings
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
