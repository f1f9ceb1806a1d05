package denoise

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// A panic below a function of the package, in whatever goroutine, is its error, and leaves no file.
func TestPanicsAreErrors(t *testing.T) {
	const w, h = 64, 48
	_, noisy := panSeries(3, w, h, 25, pan)
	ctx := context.Background()
	for page := range 2 {
		pages := noisy[:1+2*page]
		in, out := tiffIn(t, pagesOf(t, stackFile(t, pages, w, h, imageio.Depth16))...)
		for name, o := range map[string]FileOptions{
			"at once":      {Look: func(int, *imageio.Image, bool) { panic("a fault") }},
			"at the end":   {Look: func(i int, _ *imageio.Image, after bool) { panics(after && i == 2*page) }},
			"in a step":    {Options: Options{Progress: func(share float64) { panics(share > 0.1) }}},
			"in the write": {Write: imageio.WriteOptions{BeforeRename: func(*os.File) error { panic("a fault") }}},
		} {
			for _, o.Together = range []bool{false, true} {
				_, err := File(ctx, in, out, o)
				isFault(t, name+" of a file", err)
				if _, err := os.Stat(out); err == nil {
					t.Errorf("%s: there is an output", name)
				}
				if o.Write.BeforeRename != nil {
					continue
				}
				_, err = Stream(ctx, io.Discard, bytes.NewReader(must.Get(os.ReadFile(in))(t)), o)
				isFault(t, name+" of a stream", err)
			}
		}
	}
	o := Options{Workers: 3, Progress: func(float64) { panic("a fault") }}
	_, err := Planes(ctx, noisy[:1], w, h, o)
	isFault(t, "planes", err)
	img := &imageio.Image{Width: w, Height: h, Planes: noisy[1:2], Depth: imageio.Depth16}
	_, err = Decoded(ctx, img, FileOptions{Options: o})
	isFault(t, "an image", err)
}

func panics(now bool) {
	if now {
		panic("a fault")
	}
}

func isFault(t *testing.T, what string, err error) {
	t.Helper()
	var fault *FaultError
	if !errors.As(err, &fault) || !strings.Contains(string(fault.Stack), "errors_test.go") {
		t.Errorf("%s: %v", what, err)
	}
}
