package compare

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	goimage "image"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

// quarters is an image whose quarters are flat, an edge, texture, and flat but much changed.
func quarters(side int) (before, after *imageio.Image) {
	n := 2 * side
	p, q := make([]float32, n*n), make([]float32, n*n)
	for i := range p {
		x, y := i%n, i/n
		v := float32(0.5)
		switch {
		case x >= side && y >= side: // a slope
			v = 0.4 + 0.2*float32(x)/float32(n)
		case x >= side && y < side: // an edge
			v = 0.3
			if x-side+y > side {
				v = 0.7
			}
		case x < side && y >= side: // texture
			v = 0.5 + 0.2*float32(math.Sin(float64(x)/2.5)*math.Sin(float64(y)/2.5))
		}
		q[i] = v
		p[i] = v + 0.01*float32((x*7+y*13)%5-2)
		if x >= side && y >= side {
			p[i] += 0.1 * float32(x%2)
		}
	}
	image := func(p []float32) *imageio.Image {
		return &imageio.Image{Width: n, Height: n, Planes: [][]float32{p}, Depth: imageio.Depth8, Format: imageio.PNG}
	}
	return image(p), image(q)
}

func TestSpotsFindWhatTheyAreNamedFor(t *testing.T) {
	const side = 320
	before, after := quarters(side)
	want := map[string]goimage.Rectangle{
		"flat":            goimage.Rect(0, 0, side, side),
		"edge":            goimage.Rect(side, 0, 2*side, side),
		"texture":         goimage.Rect(0, side, side, 2*side),
		"greatest change": goimage.Rect(side, side, 2*side, 2*side),
	}
	spots := chooseSpots(before, after, 160, 128)
	if len(spots) != 4 {
		t.Fatalf("%d spots", len(spots))
	}
	for _, s := range spots {
		if s.Area.Dx() != 160 || s.Area.Dy() != 128 {
			t.Errorf("%s has %v", s.Name, s.Area.Size())
		}
		common := s.Area.Intersect(want[s.Name]).Size()
		if common.X*common.Y < 160*128*3/5 {
			t.Errorf("%s at %v, not in %v", s.Name, s.Area, want[s.Name])
		}
	}
}

func TestSpotsStayInTheImage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 200).Draw(t, "w"), rapid.IntRange(1, 200).Draw(t, "h")
		p := make([]float32, w*h)
		seed := rapid.Uint32().Draw(t, "seed")
		for i := range p {
			seed = seed*1664525 + 1013904223
			p[i] = float32(seed>>8) / (1 << 24)
		}
		img := &imageio.Image{Width: w, Height: h, Planes: [][]float32{p}, Depth: imageio.Depth8}
		spots := chooseSpots(img, img, rapid.IntRange(1, 300).Draw(t, "sw"), rapid.IntRange(1, 300).Draw(t, "sh"))
		if len(spots) == 0 || len(spots) > 4 {
			t.Fatalf("%d spots", len(spots))
		}
		for _, s := range spots {
			if s.Area.Empty() || !s.Area.In(goimage.Rect(0, 0, w, h)) {
				t.Fatalf("%v in an image of %d x %d", s, w, h)
			}
		}
	})
}

func drawn(w, h int) (clean, noisy *imageio.Image) {
	planes := scene.Draw(w, h)
	clean = &imageio.Image{Width: w, Height: h, Planes: planes[:], Depth: imageio.Depth8, Format: imageio.PNG}
	other := *clean
	other.Planes = nil
	for _, p := range planes {
		q := make([]float32, len(p))
		noise.AddGaussian(q, p, 0.08, noise.Source(1, "a"))
		other.Planes = append(other.Planes, q)
	}
	return clean, &other
}

var (
	style  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	script = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	source = regexp.MustCompile(`src="([^"]*)"`)
)

// checkPage reports a page that is not self-contained.
func checkPage(t *testing.T, html string, pictures int) {
	t.Helper()
	for _, part := range []*regexp.Regexp{style, script} {
		m := part.FindAllStringSubmatch(html, -1)
		if len(m) != 1 {
			t.Fatalf("%d of %v", len(m), part)
		}
		sum := sha256.Sum256([]byte(m[0][1]))
		hash := "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
		if !strings.Contains(html, hash) {
			t.Errorf("the policy does not allow %v", part)
		}
	}
	sources := source.FindAllStringSubmatch(html, -1)
	if len(sources) != pictures {
		t.Errorf("%d pictures, want %d", len(sources), pictures)
	}
	for _, s := range sources {
		uri := s[1]
		_, text, _ := strings.Cut(uri, ";base64,")
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !strings.HasPrefix(uri, "data:image/") {
			t.Fatalf("%.40s: %v", uri, err)
		}
		if _, err := imageio.Decode(data, imageio.ReadOptions{}); err != nil {
			t.Errorf("%.40s: %v", uri, err)
		}
	}
	html = source.ReplaceAllString(html, "")
	for _, bad := range []string{"http:", "https:", "//cdn", "<link", "@import", "ZgotmplZ", "NaN"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

func TestRunPage(t *testing.T) {
	clean, noisy := drawn(800, 600)
	r := Run{Name: `<b>"it's".png`, Out: "out.png", Before: noisy, After: clean,
		Result:   denoise.Result{Noise: denoise.Gaussian, Sigma: 20.4, Estimated: true},
		Settings: []Setting{{"quality", "best"}}, Command: "blorc-denoise '<b>'"}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	html := b.String()
	checkPage(t, html, 10)
	for _, want := range []string{"White noise, strong", "greatest change", "texture", "&lt;b&gt;", "<circle",
		`<polygon class="fill-0"`, "best"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(html, "<b>\"it") {
		t.Error("a name is taken for HTML")
	}
	r.After = &imageio.Image{Width: 1, Height: 1, Planes: [][]float32{{0}}, Depth: imageio.Depth8}
	if err := r.Write(io.Discard); err == nil {
		t.Error("images of different sizes are compared")
	}
}

func TestRunPageOfOddImages(t *testing.T) {
	for name, img := range map[string]*imageio.Image{
		"a pixel": {Width: 1, Height: 1, Planes: [][]float32{{0.5}}, Depth: imageio.Depth8},
		"a line":  {Width: 3000, Height: 1, Planes: [][]float32{make([]float32, 3000)}, Depth: imageio.Depth16},
		"inks": {Width: 20, Height: 9, Planes: [][]float32{make([]float32, 180), make([]float32, 180),
			make([]float32, 180), make([]float32, 180)}, Depth: imageio.Depth8},
	} {
		var b bytes.Buffer
		if err := (Run{Name: name, Before: img, After: img,
			Result: denoise.Result{Noise: denoise.None}}).Write(&b); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkPage(t, b.String(), strings.Count(b.String(), "<img"))
	}
}

func TestEvalPage(t *testing.T) {
	clean, noisy := drawn(500, 400)
	e := Eval{Title: "set", Models: []string{"a", "b"}, Settings: []Setting{{"noise", "sigma 20"}}}
	for _, name := range []string{"1.png", "2.png"} {
		err := e.Add(name, clean, noisy, []*imageio.Image{noisy, clean},
			denoise.Result{Noise: denoise.Gaussian, Sigma: 20},
			Score{22, 0.5}, []Score{{30, 0.8}, {math.Inf(1), 1}})
		if err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := e.Write(&b); err != nil {
		t.Fatal(err)
	}
	html := b.String()
	checkPage(t, html, strings.Count(html, "<img"))
	for _, want := range []string{"1.png", "2.png", `<tr class="mean">`, "30.00", "+8.00", "greatest error",
		`<option value="3">clean</option>`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(html, "<img"); n < 2*2*4 {
		t.Errorf("%d pictures", n)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteFails(t *testing.T) {
	clean, noisy := drawn(64, 48)
	if err := (Run{Before: noisy, After: clean}).Write(full{}); err == nil {
		t.Error("no error")
	}
}

// A flat area with letters in it is less flat than one with faint texture everywhere.
func TestFlatHasNoLetters(t *testing.T) {
	const w, h = 640, 480
	img := &imageio.Image{Width: w, Height: h, Planes: [][]float32{make([]float32, w*h)}}
	for i := range img.Planes[0] {
		x, y := i%w, i/w
		v := float32(0.5)
		switch {
		case x >= w/2:
			v += 0.01 * float32((x/2+y/2)%2) // faint, everywhere
		case y%160 > 70 && y%160 < 90 && x%80 > 35 && x%80 < 40:
			v = 0.1 // a stroke of a letter
		}
		img.Planes[0][i] = v
	}
	spots := choose(img, img, 240, 180, flat)
	if len(spots) != 1 || spots[0].Area.Min.X < w/2-40 { // the last letter
		t.Errorf("%+v", spots)
	}
}
