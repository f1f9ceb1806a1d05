package imageio

import (
	"context"
	"io"
)

// ended returns the error of a context that is done. No context never is.
func ended(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}

// running returns a context that is not nil.
func running(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// endedReader fails when its context is done: decoders of other packages know of none, but they all read.
type endedReader struct {
	io.Reader
	ctx context.Context
}

// endedWriter fails when its context is done.
type endedWriter struct {
	io.Writer
	ctx context.Context
}

func (w endedWriter) Write(p []byte) (int, error) {
	if err := ended(w.ctx); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

func (r endedReader) Read(p []byte) (int, error) {
	if err := ended(r.ctx); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
