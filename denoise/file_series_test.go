package denoise

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// stackFile encodes pages of a plane as a TIFF file.
func stackFile(t *testing.T, pages [][]float32, width, height int, depth imageio.Depth) []byte {
	t.Helper()
	var list []*imageio.Image
	for i := range pages {
		list = append(list, &imageio.Image{Width: width, Height: height, Planes: pages[i : i+1], Depth: depth})
	}
	return tiffOf(t, list...)
}

func TestPagesOfAFileTogether(t *testing.T) {
	const w, h = 80, 64
	clean, noisy := panSeries(5, w, h, 25, pan)
	data := stackFile(t, noisy, w, h, imageio.Depth16)
	run := func(together bool) []*imageio.Image {
		out, r := streamed(t, data,
			FileOptions{Options: Options{Together: together}, Write: imageio.WriteOptions{Note: "test"}})
		if r.Pages != 5 {
			t.Errorf("%d pages", r.Pages)
		}
		if told := bytes.Contains(out, []byte("together with pages")); told != together {
			t.Errorf("together %v: the history says so: %v", together, told)
		}
		return pagesOf(t, out)
	}
	alone, both := run(false), run(true)
	for i, p := range clean {
		if gain := decibels(both[i].Planes[0], p) - decibels(alone[i].Planes[0], p); gain < 0.8 {
			t.Errorf("page %d gains %.2f dB", i, gain)
		}
	}
}

func TestTogetherStopsWithTheContext(t *testing.T) {
	const w, h = 64, 48
	_, noisy := panSeries(6, w, h, 25, pan)
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	o := FileOptions{Options: Options{Noise: Gaussian, Sigma: 25, Together: true},
		Look: func(int, *imageio.Image, bool) {
			if calls++; calls == 4 {
				cancel()
			}
		}}
	file := bytes.NewReader(stackFile(t, noisy, w, h, imageio.Depth16))
	if _, err := Stream(ctx, io.Discard, file, o); err == nil {
		t.Error("no error")
	}
}

func TestTogetherNeedsPasses(t *testing.T) {
	if err := (Options{Together: true, Quality: Fast}).Check(); err == nil {
		t.Error("pages together at the quality fast")
	}
}
