package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
)

var update = flag.Bool("update", false, "write the picture of the README again")

// The picture of the README is what the demo draws.
func TestContactSheetOfTheReadme(t *testing.T) {
	const picture = "testdata/contact.jpg"
	dir := t.TempDir()
	if code := run(t.Context(), []string{"demo", "-q", "-o", dir}, io.Discard, os.Stderr); code != 0 {
		t.Fatal("exit code", code)
	}
	drawn, err := imageio.Read(filepath.Join(dir, "demo-contact.png"), imageio.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := imageio.Write(picture, drawn, imageio.WriteOptions{Overwrite: true, Format: imageio.JPEG,
			Quality: 88}); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := imageio.Read(picture, imageio.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if kept.Width != drawn.Width || kept.Height != drawn.Height {
		t.Fatalf("%d x %d, not %d x %d", kept.Width, kept.Height, drawn.Width, drawn.Height)
	}
	if dB := metric.PSNRPlanes(rightOf(drawn), rightOf(kept)); dB < 30 { // JPEG keeps noise badly
		t.Errorf("%.1f dB from what the demo draws now: run the test with -update", dB)
	}
}

// rightOf returns the denoised and the clean third of a contact sheet.
func rightOf(sheet *imageio.Image) (planes [][]float32) {
	from := sheet.Width / 3
	for _, p := range sheet.Planes {
		var right []float32
		for y := range sheet.Height {
			right = append(right, p[y*sheet.Width+from:(y+1)*sheet.Width]...)
		}
		planes = append(planes, right)
	}
	return planes
}
