package denoise

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// stackFile encodes pages as a TIFF file of 16 bits.
func stackFile(t *testing.T, pages [][]float32, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	err := imageio.EncodePages(&b, len(pages), imageio.WriteOptions{Format: imageio.TIFF},
		func(i int) (*imageio.Image, error) {
			return &imageio.Image{Width: width, Height: height, Planes: [][]float32{slices.Clone(pages[i])},
				Depth: imageio.Depth16}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pagesOf(t *testing.T, data []byte) (pages [][]float32) {
	t.Helper()
	r, err := imageio.NewReader(data, imageio.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Pages() {
		img, err := r.Page(i)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, img.Planes[0])
	}
	return pages
}

func TestPagesOfAFileTogether(t *testing.T) {
	const w, h = 80, 64
	clean, noisy := panSeries(5, w, h, 25, pan)
	data := stackFile(t, noisy, w, h)
	run := func(together bool) [][]float32 {
		var out bytes.Buffer
		r, err := Stream(context.Background(), &out, bytes.NewBuffer(data),
			FileOptions{Options: Options{Together: together}, Write: imageio.WriteOptions{Note: "test"}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Pages != 5 {
			t.Errorf("%d pages", r.Pages)
		}
		if told := strings.Contains(out.String(), "together with pages"); told != together {
			t.Errorf("together %v: the history says so: %v", together, told)
		}
		return pagesOf(t, out.Bytes())
	}
	alone, both := run(false), run(true)
	for i := range clean {
		if gain := decibels(both[i], clean[i]) - decibels(alone[i], clean[i]); gain < 0.8 {
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
	var out bytes.Buffer
	if _, err := Stream(ctx, &out, bytes.NewBuffer(stackFile(t, noisy, w, h)), o); err == nil {
		t.Error("no error")
	}
}

func TestTogetherNeedsPasses(t *testing.T) {
	if err := (Options{Together: true, Quality: Fast}).Check(); err == nil {
		t.Error("pages together at the quality fast")
	}
}
