package imageio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"sync/atomic"
	"testing"
)

// looks is a context that is done when it was looked at a number of times.
type looks struct {
	context.Context
	done int64
	n    atomic.Int64
}

func (l *looks) Err() error {
	if l.n.Add(1) > l.done {
		return context.Canceled
	}
	return nil
}

// TestEndsWithItsContext ends reading and writing at each look at the context. There are many, all over the picture.
func TestEndsWithItsContext(t *testing.T) {
	packed := func(img *Image) *Image {
		img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: binary.LittleEndian},
			packing: packing{compression: compressionDeflate}, tile: [2]int{128, 128}}}
		return img
	}
	big := func() *Image { return noise(300, 400, 3, false, Depth8, 1) }
	for name, c := range map[string]struct {
		img   *Image
		o     WriteOptions
		least int64 // looks in writing
	}{
		"PNG":               {big(), WriteOptions{Format: PNG, Workers: 2}, 10},
		"JPEG":              {big(), WriteOptions{Format: JPEG, Workers: 2}, 40},
		"TIFF":              {big(), WriteOptions{Format: TIFF}, 5},
		"TIFF with Deflate": {packed(big()), WriteOptions{Format: TIFF}, 22},
	} {
		t.Run(name, func(t *testing.T) {
			ends := func(what string, least int64, f func(ctx context.Context) error) {
				for done := int64(0); ; done++ {
					ctx := &looks{Context: t.Context(), done: done}
					err := f(ctx)
					if err == nil && done >= least {
						return
					}
					if !errors.Is(err, context.Canceled) || ctx.n.Load() > done+8 {
						t.Fatalf("%s, done at look %d: %d more, %v", what, done, ctx.n.Load()-done, err)
					}
				}
			}
			ends("writing", c.least, func(ctx context.Context) error {
				o := c.o
				o.Context = ctx
				return Encode(&bytes.Buffer{}, c.img, o)
			})
			data := encoded(t, c.img, c.o)
			ends("reading", 25, func(ctx context.Context) error {
				_, err := Decode(data, ReadOptions{Context: ctx, Workers: 2})
				return err
			})
		})
	}
}
