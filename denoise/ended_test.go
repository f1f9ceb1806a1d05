package denoise_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	goimage "image"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// looks is a context that is done when it was looked at a number of times. It counts how often it is looked at.
type looks struct {
	context.Context
	done, n atomic.Int64
}

func (l *looks) Err() error {
	if l.n.Add(1) > l.done.Load() {
		return context.Canceled
	}
	return nil
}

// TestEndsWithItsContext ends the work at the first look at the context, at the second and so on. Whoever sees it ends,
// and so does whoever called: there are next to no further looks.
func TestEndsWithItsContext(t *testing.T) {
	const width, height = 96, 80
	for name, c := range map[string]struct {
		planes int
		o      denoise.Options
		format imageio.Format
	}{
		"gray PNG":          {1, denoise.Options{}, imageio.PNG},
		"colour JPEG":       {3, denoise.Options{}, imageio.JPEG},
		"colour TIFF":       {3, denoise.Options{Quality: denoise.Fast}, imageio.TIFF},
		"white noise":       {3, denoise.Options{Sigma: 20}, imageio.PNG},
		"noise of cameras":  {3, denoise.Options{Sigma: 20, Noise: denoise.Camera}, imageio.PNG},
		"noise of photons":  {1, denoise.Options{Noise: denoise.Poisson}, imageio.PNG},
		"a share of before": {3, denoise.Options{Sigma: 20, Quality: denoise.Fast, Keep: 0.2, Grain: 0.3}, imageio.PNG},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drawn := scenetest.Draw(width, height)
			img := &imageio.Image{Width: width, Height: height, Planes: drawn[:c.planes], Depth: imageio.Depth8,
				Format: c.format}
			for i, p := range img.Planes {
				noise.AddGaussian(p, p, 20.0/255, noise.Source(1, fmt.Sprint(i)))
			}
			var file bytes.Buffer
			must.Do(t, imageio.Encode(&file, img, imageio.WriteOptions{}))
			o := denoise.FileOptions{Options: c.o}
			o.Workers = 1
			run := func(done int64) (int64, error) {
				ctx := &looks{Context: t.Context()}
				ctx.done.Store(done)
				_, err := denoise.Stream(ctx, &bytes.Buffer{}, bytes.NewReader(file.Bytes()), o)
				return ctx.n.Load(), err
			}
			all, err := run(1 << 40)
			if err != nil || all < 20 {
				t.Fatalf("%d looks, %v", all, err)
			}
			for at := int64(0); at < all; at += 1 + all/12 {
				if n, err := run(at); !errors.Is(err, context.Canceled) || n > at+16 {
					t.Errorf("done at look %d of %d: %d more, %v", at, all, n-at, err)
				}
			}
		})
	}
}

// TestPartAfterAnEnd ends a part of a picture anywhere, and asks for it again: what was ended leaves nothing behind.
func TestPartAfterAnEnd(t *testing.T) {
	const width, height = 96, 80
	drawn := scenetest.Draw(width, height)
	img := &imageio.Image{Width: width, Height: height, Planes: drawn[:], Depth: imageio.Depth8, Format: imageio.PNG}
	for i, p := range img.Planes {
		noise.AddGaussian(p, p, 20.0/255, noise.Source(1, fmt.Sprint(i)))
	}
	o := denoise.FileOptions{Options: denoise.Options{Sigma: 20, Noise: denoise.Camera, Workers: 1}}
	part := func(a *denoise.Analysis, ctx context.Context) (*imageio.Image, error) {
		return a.Part(ctx, img, goimage.Rect(0, 0, width, height), 0, o.Options)
	}
	analyse := func() *denoise.Analysis {
		return must.Get(denoise.Analyse(t.Context(), img, o))(t)
	}
	all := &looks{Context: t.Context()}
	all.done.Store(1 << 40)
	want := must.Get(part(analyse(), all))(t)
	for i := range int64(6) {
		a := analyse()
		ctx := &looks{Context: t.Context()}
		ctx.done.Store(all.n.Load() * i / 6)
		if _, err := part(a, ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		got := must.Get(part(a, t.Context()))(t)
		for c, p := range want.Planes {
			if !slices.Equal(p, got.Planes[c]) {
				t.Fatalf("ended at %d of 6, plane %d has other samples", i, c)
			}
		}
	}
}
