package main

import (
	"bytes"
	"cmp"
	"context"
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
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// pipe is images that come from stdin or go to stdout.
type pipe struct {
	*denoiseFlags
	u       *ui
	options denoise.Options
	name    string // of the input
	images  *batch.Stream
	several bool      // more than one image may come
	toFile  bool      // the only image goes there
	records io.Writer // of --json; may be nil
}

// pipe denoises images that come from stdin or go to stdout, one after the other.
func (f *denoiseFlags) pipe(ctx context.Context, u *ui, o denoise.Options) error {
	if err := f.batch.checkPipe(f.names.recursive); err != nil {
		return err
	}
	p := pipe{denoiseFlags: f, u: u, options: o, name: "stdin", several: true,
		toFile: f.names.output != "" && f.names.output != "-"}
	in := os.Stdin
	if word := f.names.words[0]; word != "-" {
		file, err := openRegular(word)
		if err != nil {
			return fileError{word, err}
		}
		defer file.Close()
		in, p.name, p.several = file, word, false
	}
	if !p.toFile && isTerminal(u.out) {
		return usage("images do not go to a terminal; redirect stdout or give -o")
	}
	if !p.toFile && closedStdout(u.out) {
		return errStdoutClosed
	}
	f.read.Context = ctx
	p.images = batch.NewStream(in, cmp.Or(f.read.MaxBytes, imageio.DefaultMaxBytes))
	if f.batch.json { // stdout may carry images
		p.records = u.err
		if p.toFile {
			p.records = u.out
		}
	}
	if o.Together && p.several && !p.toFile {
		return p.together(ctx)
	}
	return p.oneByOne(ctx)
}

// oneByOne stops at the first image that fails, since the reader of the outputs relies on none being left out.
func (p *pipe) oneByOne(ctx context.Context) error {
	for n := 0; n == 0 || p.several; n++ { // what follows the image in a file is not part of it
		data, err := p.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && p.toFile {
			err = p.onlyImage(ctx, data)
		} else if err == nil {
			err = p.image(ctx, p.u.out, data, p.options, p.writeOptions(""))
		}
		if err != nil {
			p.sayDone(n)
			p.tellFailed(err)
			return pipeError(p.name, err)
		}
	}
	return nil
}

func (p *pipe) sayDone(images int) {
	if images > 0 {
		p.u.say("images done: %d", images)
	}
}

// next reads the next image, but waits no longer than the context.
func (p *pipe) next(ctx context.Context) ([]byte, error) { return batch.Await(ctx, p.images.Next) }

// checkPipe refuses what has no meaning for an image that has no name.
func (b *batchFlags) checkPipe(recursive bool) error {
	older := b.overwrite == string(batch.Older) || b.overwrite == string(batch.Changed)
	return noneGiven("%s is for files, not for stdin and stdout", []given{
		{"--recursive", recursive}, {"--preserve", b.preserve}, {"--shard", b.shard != ""},
		{"--report", b.report != ""}, {"--dry-run", b.dryRun}, {"--overwrite " + b.overwrite, older},
		{"--history", b.history.dir != "" && b.history.dir != "none"},
	})
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

// image denoises an image.
func (p *pipe) image(ctx context.Context, w io.Writer, data []byte, o denoise.Options,
	to imageio.WriteOptions) (err error) {
	defer crash.Catch(&err)
	if info, err := imageio.NewReader(data, p.read.ReadOptions); err == nil {
		size := batch.Size{Width: int64(info.Info().Width), Height: int64(info.Info().Height),
			Memory: denoise.Memory(info.Info(), int64(len(data)), o)}
		info.Close()
		if err := size.Check(p.most()); err != nil {
			return err
		}
		saveMemory(size.Memory)
	}
	started := time.Now()
	run := p.fileOptions(o)
	run.Write = to
	end := p.follow(p.u, p.name, &run)
	r, err := denoise.Stream(ctx, w, bytes.NewBuffer(data), run)
	end(err)
	if err != nil {
		return err
	}
	p.u.show("%s: %s", p.name, p.u.result(r))
	p.u.warn(p.name, r.Warnings)
	v := record{Path: p.name, Bytes: int64(len(data)), Status: statusDone, Seconds: time.Since(started).Seconds()}
	v.result(r)
	p.tell(v)
	return nil
}

// tellFailed writes the record of an image that could not be denoised.
func (p *pipe) tellFailed(err error) {
	code := exitCode(err)
	v := record{Path: p.name, Status: statusFailed, Error: &recordError{errorKind(code), reason(p.name, err)}}
	if code == exitInterrupted {
		v.Status, v.Error = statusInterrupted, nil
	}
	p.tell(v)
}

func (p *pipe) tell(v record) {
	if p.records == nil {
		return
	}
	v.PathBytes, v.Version = oddBytes(v.Path), version()
	if out := p.names.output; out != "-" {
		v.Output, v.OutputByte = out, oddBytes(out)
	}
	jsonLines(p.records).Encode(v) // whoever has closed stderr wants no records
}

// onlyImage denoises the only image of stdin into a file.
func (p *pipe) onlyImage(ctx context.Context, data []byte) error {
	if p.several {
		if _, err := p.next(ctx); err == nil {
			return usage("several images do not go into one file; leave out -o")
		} else if !errors.Is(err, io.EOF) {
			return err
		}
	}
	out, replace := p.names.output, p.batch.overwrite == string(batch.Always)
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		return usage("the output %s of stdin is a folder", out)
	}
	if err := p.names.checkFile(); err != nil {
		return err
	}
	if _, err := os.Lstat(out); err == nil && !replace {
		p.u.say("%s: skipped, %s exists (see --overwrite)", p.name, out)
		p.tell(record{Path: p.name, Status: statusSkipped, Reason: out + " exists"})
		return nil
	}
	to := p.writeOptions(out)
	return writeFile(filepath.Clean(out), replace, func(w io.Writer) error {
		return p.image(ctx, w, data, p.options, to)
	})
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
