package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
	"github.com/blorc-denoise/blorc-denoise/watch"
)

// watchJob is what is done with each file of a watched folder.
type watchJob struct {
	denoise.FileOptions // complete after prepare

	flags fileFlags
}

func (j *watchJob) add(flags *pflag.FlagSet) {
	j.flags.add(flags)
	j.flags.addUnsupported(flags)
	flags.BoolVar(&j.flags.solver.Together, "together", false,
		"denoise the pages of a file together: frames, slices or shots of one scene")
}

// workerArgs are the arguments of the worker process.
func (f *watchFlags) workerArgs(job []byte) []string {
	memory := strconv.FormatInt(f.memory, 10)
	if f.memory > 0 {
		memory += "B"
	}
	return []string{"watch", "--memory", memory, "--worker", string(job), "--", "in", "out"}
}

// prepare completes and checks the options, and returns a digest of everything that outputs depend on besides the
// inputs.
func (j *watchJob) prepare() (fingerprint string, err error) {
	o, err := j.flags.options()
	if err != nil {
		return "", err
	}
	j.FileOptions = j.flags.fileOptions(o)
	j.Write = j.flags.write.options("", j.flags.read.White)
	return j.Fingerprint()
}

// work returns the job for each file.
func work(o denoise.FileOptions) watch.Work {
	return func(ctx context.Context, in string, data []byte, out watch.Output) (string, error) {
		return denoiseInto(ctx, data, out, o)
	}
}

// denoiseInto denoises a file that has been read already. An output that exists with the very bytes is as good as
// written.
func denoiseInto(ctx context.Context, data []byte, out watch.Output, o denoise.FileOptions) (string, error) {
	o.Write.Format, _ = imageio.OutputFormatOf(out.Name)
	o.Write.Root = out.Root
	if o.Data = data; data == nil { // an empty file
		o.Data = []byte{}
	}
	r, err := denoise.File(ctx, "", out.Name, o)
	if errors.Is(err, fs.ErrExist) && holds(ctx, out, data, o) {
		err = nil
	}
	if err != nil && !errors.Is(err, imageio.ErrNotFlushed) {
		return "", verdict(err)
	}
	return withWarnings(describeResult(r), append(r.Warnings, otherFormat(r.Format, out.Name)...)), err
}

// verdict marks errors that another try cannot change, and faults, which get a few tries.
func verdict(err error) error {
	if errors.Is(err, &crash.Error{}) {
		return fmt.Errorf("%w: %w", watch.ErrCrashed, err)
	}
	if errors.Is(err, imageio.ErrFormat) || errors.Is(err, imageio.ErrUnsupported) || errors.Is(err, imageio.ErrLimit) {
		return watch.Refuse(errors.New(reason("", err)))
	}
	return err
}

// holds reports whether a file has the very bytes that denoising data gives.
func holds(ctx context.Context, out watch.Output, data []byte, o denoise.FileOptions) bool {
	f, err := out.Root.Open(out.Name)
	if err != nil {
		return false
	}
	defer f.Close()
	if _, err := denoise.Stream(ctx, &comparer{f}, bytes.NewBuffer(data), o); err != nil {
		return false
	}
	n, err := f.Read(make([]byte, 1))
	return n == 0 && err == io.EOF
}

// comparer is a writer that fails if the bytes differ from those of the reader.
type comparer struct{ r io.Reader }

func (c *comparer) Write(b []byte) (int, error) {
	got := make([]byte, len(b))
	if _, err := io.ReadFull(c.r, got); err != nil {
		return 0, err
	}
	if string(got) != string(b) {
		return 0, errors.New("other bytes")
	}
	return len(b), nil
}
