package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// newTestSheet returns the report of a run of n files.
func newTestSheet(n int) *sheet {
	return &sheet{path: "report.html", write: writeHTML, total: n, jobs: n, start: time.Now().Add(-time.Minute),
		written: time.Now(),
		found:   &batch.Found{Passed: map[string]int{".cr2": 2}}}
}

// noisyPicture draws a scene with noise.
func noisyPicture(w, h int) *imageio.Image {
	drawn := scenetest.Draw(w, h)
	img := &imageio.Image{Width: w, Height: h, Planes: drawn[:], Depth: imageio.Depth8, Format: imageio.PNG}
	for _, p := range img.Planes {
		noise.AddGaussian(p, p, 20.0/255, noise.Source(1, "report"))
	}
	return img
}

func page(t *testing.T, s *sheet) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A page of very many files is small enough for a browser.
func TestReportOfManyFiles(t *testing.T) {
	const files = 2000
	s, img := newTestSheet(files), noisyPicture(320, 240)
	shown := thumbnailsFor("a", files)
	shown.look(0, img, false)
	clean := scenetest.Draw(320, 240)
	shown.look(0, &imageio.Image{Width: 320, Height: 240, Planes: clean[:], Depth: imageio.Depth8}, true)
	sigma := 20.0
	for i := range files {
		name := fmt.Sprintf("photos/2024/picture%04d.jpg", i)
		s.add(record{Path: name, Output: "out/" + name, Status: statusDone, Width: 6000, Height: 4000, Bytes: 1 << 23,
			Pages: 1, Noise: &noiseRecord{Kind: denoise.Gaussian},
			Sigma: &sigma, Model: "nonlocal 25.5", Seconds: 12.5, Started: "2024-01-01T00:00:00Z",
			InputSum: strings.Repeat("a", 64), OutputSum: strings.Repeat("b", 64)},
			outcome{Result: denoise.Result{Noise: denoise.Gaussian, Sigma: 20, Estimated: true, Model: "nonlocal 25.5"},
				shown: shown})
	}
	text := page(t, s)
	if n := strings.Count(text, "<img"); n != 2*files || len(text) > 30<<20 {
		t.Errorf("%d pictures, %d MB", n, len(text)>>20)
	}
	if dir := os.Getenv("BLORC_REPORT"); dir != "" { // to be looked at in a browser
		if err := os.WriteFile(filepath.Join(dir, "many.html"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Of more files than a browser can show, some have pictures, and each file always or never.
func TestReportPictures(t *testing.T) {
	n := 0
	for i := range 20_000 {
		if thumbnailsFor(fmt.Sprint("picture", i, ".png"), 20_000) != nil {
			n++
		}
	}
	if n < maxPictures*8/10 || n > maxPictures*12/10 {
		t.Errorf("%d pictures", n)
	}
	a, b := thumbnailsFor("x", 3), thumbnailsFor("x", 3000)
	if a == nil || b == nil || a.width <= b.width {
		t.Errorf("%+v, %+v", a, b)
	}
}

// Names are shown as they are, and cannot become a part of the page.
func TestReportEscapes(t *testing.T) {
	s := newTestSheet(2)
	evil := "a\"><script>alert(1)</script>\u202e\n.png"
	s.add(record{Path: evil, Output: evil, Status: statusFailed, Started: "now",
		Error: &recordError{"format", "<b>no</b>"}}, outcome{})
	s.add(record{Path: "javascript:alert(1)", Output: "javascript:alert(1)", Status: statusDone, Width: 1, Height: 1,
		Started: "now"}, outcome{})
	text := page(t, s)
	for _, bad := range []string{"<script>alert", "<b>no", "\u202e", "href=\"javascript"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if strings.Count(text, "<script>") != 1 || !strings.Contains(text, "Failed</h2>") ||
		!strings.Contains(text, "2 .cr2: convert it to DNG first") {
		t.Errorf("%s", text[len(reportStyle):])
	}
}

// The page says how far the run is.
func TestReportStates(t *testing.T) {
	s := newTestSheet(3)
	s.add(record{Path: "b", Status: statusInterrupted}, outcome{})
	s.add(record{Path: "a", Status: statusDone}, outcome{})
	if text := page(t, s); !strings.Contains(text, "still running") || !strings.Contains(text, "<b>2</b> not done") {
		t.Error(text)
	}
	s.end, s.cut = time.Now(), true
	if text := page(t, s); !strings.Contains(text, "interrupted after 1:00") {
		t.Error(text)
	}
	s.cut = false
	if text := page(t, s); !strings.Contains(text, "ended after 1:00") {
		t.Error(text)
	}
	var none *sheet
	if none.begin() != nil || none.finish(false) != nil {
		t.Error("no report")
	}
}

func TestReportCSV(t *testing.T) {
	s := newTestSheet(3)
	s.write = writeCSV
	offset := 100.0
	s.add(record{Path: "b.png", Status: statusDone, Noise: &noiseRecord{Kind: denoise.Poisson, Gain: 2.5,
		Offset: &offset}}, outcome{})
	s.add(record{Path: "=cmd|' /C calc'!A0", Status: statusDone}, outcome{})
	s.add(record{Path: "c,\"\n.png", Status: statusFailed, Error: &recordError{"io", "no"}}, outcome{})
	lines, err := csv.NewReader(strings.NewReader(page(t, s))).ReadAll()
	if err != nil || len(lines) != 4 {
		t.Fatal(err, lines)
	}
	column := func(line int, name string) string {
		for i, n := range lines[0] {
			if n == name {
				return lines[line][i]
			}
		}
		t.Fatalf("no column %s", name)
		return ""
	}
	if column(1, "path") != "c,\"\n.png" || column(1, "error") != "io" || column(1, "reason") != "no" {
		t.Errorf("the failure does not come first: %q", lines)
	}
	if column(2, "path")[0] != '.' || column(3, "gain") != "2.5" || column(3, "offset") != "100" ||
		column(3, "noise") != "poisson" {
		t.Errorf("%q", lines)
	}
}

// The part that is shown has structure, lies in the picture, and is the same before and after.
func TestThumbnails(t *testing.T) {
	img := &imageio.Image{Width: 400, Height: 300, Depth: imageio.Depth16,
		Planes: [][]float32{make([]float32, 400*300)}}
	for y := 200; y < 280; y++ {
		for x := 300; x < 380; x++ {
			img.Planes[0][y*400+x] = 0.01 + 0.009*float32(math.Sin(float64(x)/9)*math.Cos(float64(y)/11))
		}
	}
	s := thumbnailsFor("a", 2000)
	s.look(0, img, false)
	s.look(1, img, false)
	s.look(0, img, true)
	if !s.complete() || s.x < 200 || s.y < 150 || s.x+s.width > 400 || s.y+s.height > 300 ||
		!bytes.Equal(s.before, s.after) || s.high > 0.1 {
		t.Errorf("%d x %d at %d,%d, shown to %g", s.width, s.height, s.x, s.y, s.high)
	}
	for w := 1; w < 40; w++ { // smaller than the part, and smaller than a block
		for _, planes := range []int{1, 3, 4} {
			img := &imageio.Image{Width: w, Height: 41 - w, Depth: imageio.DepthFloat32}
			for range planes {
				img.Planes = append(img.Planes, make([]float32, w*(41-w)))
			}
			s := thumbnailsFor("a", 1)
			s.look(0, img, false)
			s.look(0, img, true)
			if !s.complete() || s.width != w || s.height != 41-w {
				t.Errorf("%d x %d of %d planes: %d x %d", w, 41-w, planes, s.width, s.height)
			}
		}
	}
	samples := noisyPicture(300, 300).Planes[0]
	for w := 1; w < 300; w += 13 {
		for h := 1; h < 300; h += 17 {
			img := &imageio.Image{Width: w, Height: h, Planes: [][]float32{samples[:w*h]}}
			if x, y := interesting(img, min(w, 128), min(h, 96)); x < 0 || y < 0 || x+min(w, 128) > w ||
				y+min(h, 96) > h {
				t.Fatalf("%d x %d: %d, %d", w, h, x, y)
			}
		}
	}
}
