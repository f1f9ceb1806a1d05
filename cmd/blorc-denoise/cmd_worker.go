package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// newWorker is for programs that have many images: a process for each would take longer to start than to denoise a
// small one.
func newWorker(u *ui) *cobra.Command {
	var idle time.Duration
	most := int64(imageio.DefaultMaxBytes)
	c := &cobra.Command{
		Use:    "worker",
		Short:  "Denoise the images of another program",
		Long:   workerHelp,
		Hidden: true,
		Args:   noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			// Ctrl-C reaches all processes of a terminal; what it means is decided by the one that asks.
			signal.Ignore(os.Interrupt, syscall.SIGHUP)
			// Nothing is left to tidy up.
			defer context.AfterFunc(c.Context(), func() { os.Exit(exitInterrupted) })()
			w := &worker{out: &answers{w: u.out}, most: most, idle: idle, exit: os.Exit}
			return w.serve(c.Context(), os.Stdin)
		},
	}
	c.Flags().DurationVar(&idle, "idle", 0, "end after this `TIME` without a request (default never)")
	c.Flags().Var(numberValue(&most, "B"), "max-bytes", "refuse images of more bytes than this `SIZE`")
	return c
}

const workerHelp = `Denoise images that come on stdin one after the other, and answer on stdout, until stdin ends.

A request is a line of JSON with the flags of 'blorc-denoise' for one image and its number of bytes, and then these
bytes:
  {"flags":["--quality=fast"],"bytes":12345}
The answer has lines of --progress json and --json, and the result in parts, each a line with its number of bytes and
then these bytes. The last line has the exit code, which is not 0 if the image could not be denoised:
  {"part":12345}
  {"code":0}
  {"code":2,"error":"unknown flag: --output"}
There are no flags that write other files.`

// worker denoises the images of another program.
type worker struct {
	out  *answers
	most int64         // bytes of an image
	idle time.Duration // 0 = no end
	exit func(code int)
}

// serve answers requests until there are no more. Whoever asks sends an image as a whole before reading the answer.
func (w *worker) serve(ctx context.Context, in io.Reader) error {
	r := bufio.NewReaderSize(in, longestRequest)
	for {
		q, err := w.next(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil { // where the next request begins is not known
			return w.out.end(err)
		}
		data, err := q.read(r, w.most)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return w.out.end(err)
		}
		if err == nil {
			err = w.denoise(ctx, q.Flags, data)
		}
		if err := w.out.end(err); err != nil {
			return err
		}
	}
}

// next waits for the next request.
func (w *worker) next(r *bufio.Reader) (request, error) {
	if w.idle > 0 {
		defer time.AfterFunc(w.idle, func() { w.exit(exitOK) }).Stop()
	}
	return readRequest(r)
}

// denoise answers one request, as a pipe does, up to the line with the exit code.
func (w *worker) denoise(ctx context.Context, args []string, data []byte) (err error) {
	defer crash.Catch(&err)
	lines := &progressLines{out: w.out}
	f := &denoiseFlags{lines: lines}
	c := &cobra.Command{}
	f.addImage(c.Flags())
	if err := c.ParseFlags(args); err != nil {
		return flagError(c, err)
	}
	if words := c.Flags().Args(); len(words) > 0 {
		return usage("unexpected argument %q", words[0])
	}
	o, err := f.fileFlags.options()
	if err != nil {
		return err
	}
	f.read.Context = ctx
	p := pipe{denoiseFlags: f, u: &ui{out: w.out, err: lines, quiet: true}, options: o, name: "stdin", records: lines}
	parts := bufio.NewWriterSize(w.out.parts(), longestPart)
	if err := p.image(ctx, parts, data, o, f.writeOptions("")); err != nil {
		return err
	}
	return parts.Flush()
}
