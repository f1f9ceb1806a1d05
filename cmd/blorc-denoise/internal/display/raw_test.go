package display

import (
	"fmt"
	"image"
	"math"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/matrix3"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic/dngtest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// aCamera is a matrix of a usual sensor.
var aCamera = matrix3.Matrix{{0.9, -0.29, -0.07}, {-0.45, 1.24, 0.23}, {-0.09, 0.19, 0.71}}

// cameraTag is aCamera as a file has it.
var cameraTag = slices.Concat(aCamera[0][:], aCamera[1][:], aCamera[2][:])

// neutral is what such a sensor sees of white.
var neutral = [3]float64{0.45, 0.9, 0.6}

// shownColour returns the colour of a pixel of a drawn picture, 0 to 1, as it is to be shown.
func shownColour(x, y int) matrix3.Vector {
	u, v := float64(x)/60, float64(y)/50
	return matrix3.Vector{0.35 + 0.3*u, 0.6 - 0.2*v, 0.3 + 0.2*u + 0.2*v}
}

// seen returns what the sensor sees of a colour, if white is what is clipped.
func seen(colour matrix3.Vector) (out matrix3.Vector) {
	for c, v := range colour {
		colour[c] = math.Pow((v+0.055)/1.055, 2.4)
	}
	white := aCamera.Times(xyz.Times(matrix3.Vector{1, 1, 1}))
	for c, v := range aCamera.Times(xyz.Times(colour)) {
		out[c] = v / white[c] * neutral[c] / 0.9
	}
	return out
}

// drawnRaw returns a clean file of a scene. Its upright picture is turned back by the function at.
func drawnRaw(f *dngtest.File, at func(x, y int) (int, int), scene func(x, y int) matrix3.Vector) {
	const black, white = 512, 15000
	f.Width, f.Height, f.White = 60, 50, white
	if f.Black == nil {
		f.Black = []uint32{black}
	}
	if f.Colours == [4]byte{} {
		f.Colours = [4]byte{0, 1, 1, 2}
	}
	left, top := 0, 0
	if f.Active != nil {
		left, top = int(f.Active[1]), int(f.Active[0])
	}
	for y := range f.Height {
		for x := range f.Width {
			k := 2*((y+top)%2) + (x+left)%2 // of the active area
			low := float64(f.Black[k%len(f.Black)])
			colour := scene(at(x-left, y-top))
			v := colour[1]
			if f.Raw[262] == nil {
				v = seen(colour)[f.Colours[k]]
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			f.Samples = append(f.Samples, uint16(math.Round(low+v*(white-float64(slices.Max(f.Black))))))
		}
	}
	f.First = with(f.First, f, map[uint16][]float64{50721: cameraTag, 50728: neutral[:]})
}

// with adds tags of numbers that are not there.
func with(tags map[uint16]*dngtest.Tag, f *dngtest.File, more map[uint16][]float64) map[uint16]*dngtest.Tag {
	out := map[uint16]*dngtest.Tag{}
	for id, v := range more {
		out[id] = f.Doubles(v...)
	}
	for id, t := range tags {
		out[id] = t
	}
	return out
}

func decoded(t *testing.T, f *dngtest.File) *imageio.Image {
	t.Helper()
	return must.Get(imageio.Decode(f.Bytes(), imageio.ReadOptions{}))(t)
}

func same(x, y int) (int, int) { return x, y }

// A clean mosaic is shown in the colours that were drawn, whatever its pattern and place.
func TestRaw(t *testing.T) {
	for name, c := range map[string]struct {
		f    dngtest.File
		at   func(x, y int) (int, int)
		size image.Point
	}{
		"usual":      {dngtest.File{}, same, image.Pt(60, 50)},
		"green red":  {dngtest.File{Colours: [4]byte{1, 0, 2, 1}}, same, image.Pt(60, 50)},
		"green blue": {dngtest.File{Colours: [4]byte{1, 2, 0, 1}}, same, image.Pt(60, 50)},
		"blue":       {dngtest.File{Colours: [4]byte{2, 1, 1, 0}}, same, image.Pt(60, 50)},
		"odd": {dngtest.File{Active: []uint32{3, 5, 49, 58}, Black: []uint32{512, 530, 500, 508}}, same,
			image.Pt(53, 46)},
		"on its side": {dngtest.File{Active: []uint32{1, 2, 50, 59}, First: map[uint16]*dngtest.Tag{
			274: dngtest.File{}.Shorts(6)}}, func(x, y int) (int, int) { return 48 - y, x }, image.Pt(49, 57)},
		"upside down": {dngtest.File{First: map[uint16]*dngtest.Tag{274: dngtest.File{}.Shorts(3)}},
			func(x, y int) (int, int) { return 59 - x, 49 - y }, image.Pt(60, 50)},
		"other side": {dngtest.File{First: map[uint16]*dngtest.Tag{274: dngtest.File{}.Shorts(8)}},
			func(x, y int) (int, int) { return y, 59 - x }, image.Pt(50, 60)},
		"gray": {dngtest.File{Raw: map[uint16]*dngtest.Tag{262: dngtest.File{}.Shorts(34892)}}, same, image.Pt(60, 50)},
		"two matrices": {dngtest.File{First: map[uint16]*dngtest.Tag{
			50721: dngtest.File{}.Doubles(1, 0, 0, 0, 1, 0, 0, 0, 1), 50722: dngtest.File{}.Doubles(cameraTag...),
			50778: dngtest.File{}.Shorts(17), 50779: dngtest.File{}.Shorts(21)}}, same, image.Pt(60, 50)},
	} {
		drawnRaw(&c.f, c.at, shownColour)
		img := decoded(t, &c.f)
		r := NewRaw(img)
		if r.Bounds().Max != c.size {
			t.Errorf("%s: a picture of %v", name, r.Bounds())
			continue
		}
		for _, area := range []image.Rectangle{r.Bounds(), image.Rect(9, 14, 30, 41)} {
			from := r.Source(area)
			for where, out := range map[string]*imageio.Image{"whole": r.Developed(img, image.Point{}, area),
				"part": r.Developed(Part(img, from), from.Min, area)} {
				checkShown(t, fmt.Sprint(name, ", ", where, " ", area), out, area)
			}
		}
	}
}

// checkShown checks the colours of an area, but for its edges: beyond those of a mosaic nothing is known.
func checkShown(t *testing.T, name string, out *imageio.Image, area image.Rectangle) {
	t.Helper()
	if out.Width != area.Dx() || out.Height != area.Dy() {
		t.Errorf("%s: %d x %d pixels", name, out.Width, out.Height)
		return
	}
	for c, p := range out.Planes {
		for i, v := range p {
			x, y := i%out.Width, i/out.Width
			if min(x, y) < 4 || x >= out.Width-4 || y >= out.Height-4 {
				continue
			}
			colour := shownColour(area.Min.X+x, area.Min.Y+y)
			want := colour[c]
			if len(out.Planes) == 1 {
				want = colour[1]
			}
			if 255*math.Abs(float64(v)-want) > 1 {
				t.Fatalf("%s: colour %d at %d, %d is %.1f, want %.1f", name, c, x, y, 255*v, 255*want)
			}
		}
	}
}

// Files whose tags are missing or absurd are shown, too: gray as gray, and clipped samples as white.
func TestRawOfAbsurdTags(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	none := map[uint16][]float64{50721: nil, 50728: nil}
	for name, tags := range map[string]map[uint16][]float64{
		"none":         none,
		"zeros":        {50721: make([]float64, 9), 50728: make([]float64, 3)},
		"no numbers":   {50721: slices.Repeat([]float64{nan}, 9), 50728: {nan, inf, 1}, 50730: {nan}},
		"huge":         {50721: slices.Repeat([]float64{1e30}, 9), 50728: {1e-300, 1, 1e300}, 50730: {1e9}},
		"singular":     {50721: {1, 0, 0, 1, 0, 0, 0, 0, 1}, 50728: {-1, 1, 1}, 274: {99}},
		"short":        {50721: {1, 2}, 50728: {0.5}},
		"no white":     {50721: {1, -1, 0, 0, 1, -1, -1, 0, 1}, 50728: {0.5, 0, 0.5}},
		"a dark shift": {50730: {-7}},
	} {
		f := dngtest.File{First: map[uint16]*dngtest.Tag{}}
		for id, v := range tags {
			if f.First[id] = f.Doubles(v...); v == nil {
				f.First[id] = nil
			}
		}
		drawnRaw(&f, same, func(x, y int) matrix3.Vector { return matrix3.Vector{0.5, 0.5, 0.5} })
		for i := range f.Samples {
			if i%f.Width >= 45 {
				f.Samples[i] = 15000
			}
		}
		img := decoded(t, &f)
		r := NewRaw(img)
		out := r.Developed(img, image.Point{}, r.Bounds())
		for c, p := range out.Planes {
			gray, green, white := p[20*out.Width+20], out.Planes[1][20*out.Width+20], p[20*out.Width+55]
			if math.Abs(float64(gray-green)) > 0.02 || gray < 0.3 || gray > 0.8 || white < 0.99 {
				t.Errorf("%s: colour %d is %.2f, and white %.2f", name, c, gray, white)
			}
		}
	}
	black := dngtest.File{Width: 20, Height: 20, Samples: make([]uint16, 400)}
	img := decoded(t, &black)
	for _, p := range NewRaw(img).Developed(img, image.Point{}, image.Rect(0, 0, 20, 20)).Planes {
		if slices.Max(p) != 0 {
			t.Error("a black picture is not black")
		}
	}
}

// An active area may have no sample of some colours.
func TestSmallRaw(t *testing.T) {
	for _, active := range [][]uint32{{3, 5, 4, 6}, {0, 0, 1, 20}, {0, 1, 20, 2}, {1, 1, 3, 4}} {
		f := dngtest.File{Active: active, Colours: [4]byte{2, 1, 1, 0}}
		drawnRaw(&f, same, shownColour)
		f.First[50728] = nil
		img := decoded(t, &f)
		r := NewRaw(img)
		out := r.Developed(img, image.Point{}, r.Bounds())
		if size := img.Mosaic.Active.Size(); image.Pt(out.Width, out.Height) != size || slices.Max(out.Planes[1]) == 0 {
			t.Errorf("%v: %d x %d pixels, %v", active, out.Width, out.Height, out.Planes)
		}
	}
}

// A picture that is to be lighter is.
func TestExposureOfRaw(t *testing.T) {
	f := dngtest.File{First: map[uint16]*dngtest.Tag{50730: dngtest.File{}.Doubles(1)}}
	drawnRaw(&f, same, func(x, y int) matrix3.Vector { return matrix3.Vector{0.5, 0.5, 0.5} })
	img := decoded(t, &f)
	out := NewRaw(img).Developed(img, image.Point{}, image.Rect(20, 20, 21, 21))
	want := 1.055*math.Pow(2*math.Pow(0.555/1.055, 2.4), 1/2.4) - 0.055
	for c, p := range out.Planes {
		if math.Abs(float64(p[0])-want) > 0.01 {
			t.Errorf("colour %d is %.3f, want %.3f", c, p[0], want)
		}
	}
}
