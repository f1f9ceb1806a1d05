package denoise

import (
	"context"
	"io"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Stream is File for an image that has no name: it decodes data, denoises it, and writes it to w as one file. Nothing
// is written if decoding or denoising fails.
func Stream(ctx context.Context, w io.Writer, data []byte, o Options, read imageio.ReadOptions, write imageio.WriteOptions) (Result, error) {
	img, err := imageio.Decode(data, read)
	if err != nil {
		return Result{}, err
	}
	r, err := Planes(ctx, img.Planes, img.Width, img.Height, o)
	if err != nil {
		return Result{}, err
	}
	return r, imageio.Encode(w, img, write)
}
