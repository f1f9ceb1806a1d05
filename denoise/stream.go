package denoise

import (
	"context"
	"io"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Bytes is File for a file that has been read already.
func Bytes(ctx context.Context, data []byte, out string, o Options, read imageio.ReadOptions, write imageio.WriteOptions) (Result, error) {
	r, err := imageio.NewReader(data, read)
	if err != nil {
		return Result{}, err
	}
	return toFile(ctx, r, out, o, read, write)
}

// Stream is File for an image that has no name: it decodes data, denoises it, and writes it to w as one file. Nothing
// is written if the first page cannot be decoded or denoised.
func Stream(ctx context.Context, w io.Writer, data []byte, o Options, read imageio.ReadOptions, write imageio.WriteOptions) (Result, error) {
	r, err := imageio.NewReader(data, read)
	if err != nil {
		return Result{}, err
	}
	defer r.Close()
	job := pages{r, o, read.White, write, Result{}}
	err = imageio.EncodePages(w, r.Pages(), write, func(i int) (*imageio.Image, error) { return job.page(ctx, i) })
	return job.first, err
}
