package denoise

import (
	"context"
	"runtime/debug"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// File is the one job that everything else is built of: read, denoise, write. Nothing is written under the name out
// unless all of it worked.
func File(ctx context.Context, in, out string, o Options, read imageio.ReadOptions, write imageio.WriteOptions) (Result, error) {
	img, err := imageio.Read(in, read)
	if err != nil {
		return Result{}, err
	}
	if img.Width*img.Height > hugePixels {
		debug.FreeOSMemory() // the bytes of the file
	}
	r, err := Planes(ctx, img.Planes, img.Width, img.Height, o.InUnitsOf(img, read.White))
	if err != nil {
		return Result{}, err
	}
	return r, imageio.Write(out, img, write)
}

// hugePixels is where it counts that what reading leaves behind may be as large as the image.
const hugePixels = 4_000_000
