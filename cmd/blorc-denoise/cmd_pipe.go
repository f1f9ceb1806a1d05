package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// pipe denoises images that come from stdin or go to stdout, one after the other. It stops at the first that
// fails, since the reader of the outputs relies on none being left out.
func (f *denoiseFlags) pipe(ctx context.Context, u *ui, words []string, o denoise.Options) error {
	if err := f.batch.checkPipe(); err != nil {
		return err
	}
	name, in := "stdin", os.Stdin
	if words[0] != "-" {
		name = words[0]
		file, err := openRegular(name)
		if err != nil {
			return fileError{name, err}
		}
		defer file.Close()
		in = file
	}
	toFile := f.names.output != "" && f.names.output != "-"
	if !toFile && isTerminal(u.out) {
		return usage("images do not go to a terminal; redirect stdout or give -o")
	}
	if !toFile && closedStdout(u.out) {
		return errStdoutClosed
	}
	f.read.Context = ctx
	images := batch.NewStream(in, cmp.Or(f.read.MaxBytes, imageio.DefaultMaxBytes))
	if f.batch.json { // stdout may carry images
		f.records = u.err
		if toFile {
			f.records = u.out
		}
	}
	if o.Together && in == os.Stdin && !toFile {
		return f.pipeTogether(ctx, u, images, o)
	}
	for n := 0; ; n++ {
		data, err := nextImage(ctx, images)
		switch {
		case errors.Is(err, io.EOF), n > 0 && in != os.Stdin: // what follows the image in a file is not part of it
			return nil
		case err == nil && toFile:
			if err = noFurther(ctx, images, in); err == nil {
				err = f.intoFile(ctx, u, name, data, o)
			}
		case err == nil:
			err = f.oneImage(ctx, u, u.out, name, data, o, f.writeOptions(""))
		}
		if err != nil {
			if n > 0 {
				u.say("images done: %d", n)
			}
			f.tellFailed(name, err)
			return pipeError(name, err)
		}
	}
}

// noFurther returns an error if another image follows on stdin, before the first goes into the one file.
func noFurther(ctx context.Context, images *batch.Stream, in *os.File) error {
	if in != os.Stdin {
		return nil
	}
	_, err := nextImage(ctx, images)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return usage("several images do not go into one file; leave out -o")
	}
	return err
}

// checkPipe refuses what has no meaning for an image that has no name.
func (b *batchFlags) checkPipe() error {
	older := b.overwrite == string(batch.Older) || b.overwrite == string(batch.Changed)
	for _, flag := range []struct {
		text  string
		given bool
	}{
		{"--recursive", b.recursive}, {"--preserve", b.preserve}, {"--shard", b.shard != ""},
		{"--report", b.report != ""},
		{"--dry-run", b.dryRun}, {"--overwrite " + b.overwrite, older},
		{"--history", b.history.dir != "" && b.history.dir != "none"},
	} {
		if flag.given {
			return usage("%s is for files, not for stdin and stdout", flag.text)
		}
	}
	return nil
}

// errStdoutClosed is for results that would go nowhere.
var errStdoutClosed = &fs.PathError{Op: "write", Path: "stdout", Err: errors.New("it is closed")}

// pipeError adds the name of the input, unless the error is about another file.
func pipeError(name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) || errors.Is(err, errUsage) || errors.Is(err, context.Canceled) {
		return err
	}
	return fileError{name, err}
}

func (f *denoiseFlags) oneImage(ctx context.Context, u *ui, w io.Writer, name string, data []byte, o denoise.Options,
	to imageio.WriteOptions) error {
	if info, err := imageio.NewReader(data, f.read.ReadOptions); err == nil {
		size := batch.Size{Width: int64(info.Info().Width), Height: int64(info.Info().Height),
			Memory: denoise.Memory(info.Info(), int64(len(data)), o)}
		info.Close()
		if err := size.Check(f.most()); err != nil {
			return err
		}
	}
	started := time.Now()
	line := f.lines.start(name)
	run := f.fileOptions(o)
	run.Write = to
	switch {
	case line != nil:
		run.Progress, run.PageDone = line.share, line.pageDone
	case u.terminal:
		shown := showShare(u, name, started, o)
		run.Progress, run.PageDone = shown.share, shown.pageDone
	}
	r, err := denoise.Stream(ctx, w, bytes.NewBuffer(data), run)
	line.finish(err)
	if err == nil {
		u.show("%s: %s", name, u.result(r))
		u.warn(name, r.Warnings)
		f.tellPiped(name, int64(len(data)), r, started)
	}
	return err
}

// tellPiped writes the record of an image that came through a pipe.
func (f *denoiseFlags) tellPiped(name string, size int64, r denoise.Result, started time.Time) {
	v := record{Path: name, Bytes: size, Status: statusDone, Seconds: time.Since(started).Seconds()}
	v.result(r)
	f.tellRecord(v)
}

// tellFailed writes the record of an image that could not be denoised.
func (f *denoiseFlags) tellFailed(name string, err error) {
	code := exitCode(err)
	v := record{Path: name, Status: statusFailed, Error: &recordError{errorKind(code), reason(name, err)}}
	if code == exitInterrupted {
		v.Status, v.Error = statusInterrupted, nil
	}
	f.tellRecord(v)
}

func (f *denoiseFlags) tellRecord(v record) {
	if f.records == nil {
		return
	}
	v.PathBytes, v.Version = oddBytes(v.Path), version()
	if out := f.names.output; out != "-" {
		v.Output, v.OutputByte = out, oddBytes(out)
	}
	e := json.NewEncoder(f.records)
	e.SetEscapeHTML(false)
	e.Encode(v) // whoever has closed stderr wants no records
}

// intoFile denoises the only image of stdin into a file.
func (f *denoiseFlags) intoFile(ctx context.Context, u *ui, name string, data []byte, o denoise.Options) error {
	out := f.names.output
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		return usage("the output %s of stdin is a folder", out)
	}
	if err := f.names.checkFile(); err != nil {
		return err
	}
	if _, err := os.Lstat(out); err == nil && f.batch.overwrite != string(batch.Always) {
		u.say("%s: skipped, %s exists (see --overwrite)", name, out)
		f.tellRecord(record{Path: name, Status: statusSkipped, Reason: out + " exists"})
		return nil
	}
	to := f.writeOptions(out)
	return writeFile(filepath.Clean(out), f.batch.overwrite == string(batch.Always), func(w io.Writer) error {
		return f.oneImage(ctx, u, w, name, data, o, to)
	})
}

// nextImage reads the next image, but waits no longer than the context.
func nextImage(ctx context.Context, s *batch.Stream) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	next := make(chan result, 1)
	go func() {
		data, err := s.Next()
		next <- result{data, err}
	}()
	select {
	case r := <-next:
		return r.data, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// openRegular opens a regular file; anything else is refused.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: not a regular file", imageio.ErrUnsupported)
	}
	return os.Open(path)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
