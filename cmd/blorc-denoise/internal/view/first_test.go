package view

import (
	goimage "image"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// The visible part of a large picture is denoised before the noise of the whole is known. In the end, all tiles equal
// what the program makes.
func TestFirstLook(t *testing.T) {
	data := encoded(t, noisyScene(480, 360))
	v := start(t, data, data)
	events, _ := v.listen()
	v.run(0, plainSettings)
	wait(t, events, "picture", nil)
	v.do("POST", "api/look", `{"X":0,"Y":0,"W":60,"H":40}`) // the next picture is looked at in this size, in the middle
	v.run(1, plainSettings)
	wait(t, events, "picture", func(e map[string]any) bool { return e["file"] == 1.0 })
	second := func(e map[string]any) bool { return e["run"] == 2.0 }
	for _, want := range []float64{0, 0, 1} { // two parts right of the slider, and what is left of it
		if e := wait(t, events, "tiles", second); e["state"] != float64(rough) {
			t.Fatal(e)
		}
		if e := wait(t, events, "progress", second); e["rough"].(float64) < want || e["visible"] != 0.0 {
			t.Fatal(e)
		}
	}
	wait(t, events, "noise", second)
	wait(t, events, "progress", func(e map[string]any) bool { return second(e) && isDone(e) })

	img, err := imageio.Decode(data, imageio.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := denoise.Decoded(t.Context(), img,
		denoise.FileOptions{Options: denoise.Options{Quality: denoise.Fast}}); err != nil {
		t.Fatal(err)
	}
	_, text := v.do("GET", "api/tile?run=2&level=0&x=1&y=1&side=after", "")
	for _, at := range []goimage.Point{{10, 10}, {100, 20}, {115, 95}} {
		for c := range 3 {
			want := 255 * img.Planes[c][(tileSide+at.Y)*480+tileSide+at.X]
			if got := float32(text[4*(at.Y*tileSide+at.X)+c]); got-want > 2 || want-got > 2 {
				t.Errorf("at %v: %g, want %g", at, got, want)
			}
		}
	}
}

// A tile is partly denoised where an area has a part of it, and as good as denoised while nothing else of it is
// visible.
func TestPutPartOfTile(t *testing.T) {
	img := noisyScene(2*tileSide, tileSide)
	r := newRun(1, newPicture(0, 0, 1, img), settings{}, denoise.Options{}, 1)
	area := goimage.Rect(tileSide-20, 10, tileSide+30, 40)
	part := cut(img, area)
	clear(part.Planes[0])
	r.first = area
	if changed := r.put(r.picture.before(area), part, area, rough); changed != goimage.Rect(0, 0, 2, 1) {
		t.Fatal(changed)
	}
	before, after := r.picture.tile(place{0, 1, 0}), r.tile(place{0, 1, 0})
	for y := range tileSide {
		for x := range tileSide {
			i, inside := 4*(y*tileSide+x), goimage.Pt(x+tileSide, y).In(area)
			if red := after[i]; inside && red != 0 || !inside && red != before[i] || after[i+1] != before[i+1] {
				t.Fatalf("(%d, %d) is %d of %d", x, y, after[i:i+3], before[i:i+3])
			}
		}
	}
	for seen, want := range map[goimage.Rectangle]byte{area: rough, area.Inset(-1): partly,
		goimage.Rect(0, 10, tileSide+5, 40): rough} {
		if got := r.stateOf(1, 0, seen); got != want {
			t.Errorf("%v: %d, want %d", seen, got, want)
		}
	}
	// All of the tile is denoised later.
	whole := r.picture.area(1, 0)
	r.put(r.picture.before(whole), cut(img, whole), whole, rough)
	if r.stateOf(1, 0, whole) != rough {
		t.Error(r.state)
	}
	r.put(r.picture.before(area), part, area, rough)
	if at := 4 * 10 * tileSide; r.state[1] != rough || r.tile(place{0, 1, 0})[at] != before[at] {
		t.Error("a part has replaced a tile")
	}
}

func TestAlike(t *testing.T) {
	camera := denoise.Result{Noise: denoise.Camera, Sigma: 5}
	for _, c := range []struct {
		other denoise.Result
		want  bool
	}{
		{camera, true}, {denoise.Result{Noise: denoise.Camera, Sigma: 6}, true},
		{denoise.Result{Noise: denoise.Camera, Sigma: 7}, false},
		{denoise.Result{Noise: denoise.Gaussian, Sigma: 5}, false}, {denoise.Result{Noise: denoise.Camera}, false},
	} {
		if alike(camera, c.other) != c.want || alike(c.other, camera) != c.want {
			t.Error(c.other)
		}
	}
}

// What is denoised stays a rectangle of which no pixel is denoised twice, until it has all that is visible. The first
// rows come first.
func TestWidenFirst(t *testing.T) {
	visible := goimage.Rect(30, 40, 90, 900)
	next, first := widenFirst(goimage.Rectangle{}, visible)
	if want := goimage.Rect(60, 40, 90, 40+firstRows); next != want || first != want {
		t.Fatalf("%v of %v at first", next, visible)
	}
	for _, visible := range []goimage.Rectangle{visible, goimage.Rect(30, 40, 31, 41), goimage.Rect(0, 20, 70, 1000),
		goimage.Rect(50, 300, 200, 400),
		goimage.Rect(1000, 30, 1100, 33)} {
		if !first.Overlaps(visible) {
			first = goimage.Rectangle{}
		}
		for range 5 {
			next, both := widenFirst(first, visible)
			if next.Empty() {
				break
			}
			if pixels(both) != pixels(first)+pixels(next) || both != first.Union(next) {
				t.Fatalf("%v after %v", next, first)
			}
			first = both
		}
		if !visible.In(first) {
			t.Errorf("%v is not all of %v", first, visible)
		}
	}
}

// A first look follows what is visible, and ends when that is denoised or when too much of the picture is visible.
func TestFirstJob(t *testing.T) {
	img := noisyScene(1200, 900)
	r := newRun(1, newPicture(0, 0, 1, img), settings{}, denoise.Options{}, 1)
	here, there := goimage.Rect(500, 400, 600, 450), goimage.Rect(20, 10, 120, 60)
	if _, ok := r.firstJob(here); ok {
		t.Fatal("a part without a noise")
	}
	r.guess = new(denoise.Analysis)
	parts := 0
	for _, visible := range []goimage.Rectangle{here, there, goimage.Rect(20, 10, 140, 80)} {
		for {
			j, ok := r.firstJob(visible)
			if !ok {
				break
			}
			if parts++; !j.isFirst() || !j.area.In(visible) || j.noise != r.guess {
				t.Fatalf("%+v of %v", j, visible)
			}
			r.first = j.first
		}
		if !visible.In(r.first) {
			t.Errorf("%v is not all of %v", r.first, visible)
		}
		<-r.looked
	}
	if parts != 3+3+2 {
		t.Errorf("%d parts", parts)
	}
	if j, ok := r.firstJob(r.picture.bounds()); ok {
		t.Errorf("%+v of the whole picture", j)
	}
}

func pixels(r goimage.Rectangle) int { return r.Dx() * r.Dy() }

// cut returns a copy of a part of an image.
func cut(img *imageio.Image, area goimage.Rectangle) *imageio.Image {
	out := *img
	out.Width, out.Height, out.Planes = area.Dx(), area.Dy(), nil
	for _, p := range img.Planes {
		q := make([]float32, 0, area.Dx()*area.Dy())
		for y := area.Min.Y; y < area.Max.Y; y++ {
			q = append(q, p[y*img.Width+area.Min.X:][:area.Dx()]...)
		}
		out.Planes = append(out.Planes, q)
	}
	return &out
}
