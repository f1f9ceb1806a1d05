package denoise

import (
	"context"
	goimage "image"
	"math"

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

// maxBytes returns the limit of the size of a file. There is always a larger number.
func maxBytes(o imageio.ReadOptions) int64 {
	if o.MaxBytes <= 0 {
		return imageio.DefaultMaxBytes
	}
	return min(o.MaxBytes, math.MaxInt64-1)
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
