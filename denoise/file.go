package denoise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// File reads the file in, denoises it, and writes the result to the file out. Nothing appears under the name out unless
// all of it worked. The output has the format of the input unless o.Write.Format says otherwise, whatever its name; the
// result has a warning if the name has the extension of another format. Pages are denoised one after the other, with
// one page in memory at a time; the result describes the first page that has noise. A JPEG file of which nothing
// changes is copied byte for byte, unless the options ask for another coding.
func File(ctx context.Context, in, out string, o FileOptions) (result Result, err error) {
	defer crash.Catch(&err)
	if err := o.checkFile(ctx, out); err != nil {
		return Result{}, err
	}
	o.Read.SkipUnsupported = o.CopyUnsupported
	r, err := o.open(in)
	if err != nil {
		return o.orCopy(Result{}, err, o.input(in), o.intoFile(out))
	}
	result, err = toFile(ctx, r, out, o)
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
func Stream(ctx context.Context, w io.Writer, r io.Reader, o FileOptions) (result Result, err error) {
	defer crash.Catch(&err)
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
	result, err = o.bytes(ctx, begun, data)
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
	result := job.result()
	result.Warnings = append(slices.Clip(result.Warnings), o.warnOfName(out, result.Format)...)
	return result, err
}

// warnOfName warns of an output that keeps the format of its input, and is named like another one.
func (o FileOptions) warnOfName(out string, is imageio.Format) []string {
	named, ok := imageio.OutputFormatOf(out)
	_, kept := imageio.OutputFormatOf("." + is.String())
	if !ok || !kept || o.Write.Format != 0 || named == is {
		return nil
	}
	return []string{fmt.Sprintf("%s is a %v file, as the input is: WriteOptions.Format chooses another format",
		filepath.Base(out), is)}
}
