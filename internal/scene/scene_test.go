package scene

import (
	"fmt"
	"image"
	"math"
	"slices"
	"testing"
)

func TestDrawAnySize(t *testing.T) {
	sizes := []image.Point{{1, 1}, {1, 2}, {2, 1}, {1, 300}, {300, 1}, {7, 5}, {64, 48}, {33, 90}}
	for _, size := range sizes {
		planes := Draw(size.X, size.Y)
		for i, plane := range planes {
			if len(plane) != size.X*size.Y {
				t.Fatalf("%v: plane %d has %d samples", size, i, len(plane))
			}
			for at, sample := range plane {
				if !(sample >= 0 && sample <= 1) {
					t.Fatalf("%v: sample %d of plane %d is %g", size, at, i, sample)
				}
			}
		}
	}
}

func TestDrawIsDeterministic(t *testing.T) {
	first, second := Draw(61, 47), Draw(61, 47)
	for i := range first {
		if !slices.Equal(first[i], second[i]) {
			t.Errorf("plane %d differs between two drawings", i)
		}
	}
}

func TestDrawRefusesEmptyImages(t *testing.T) {
	for _, size := range []image.Point{{0, 1}, {1, 0}, {-1, 5}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v: no panic", size)
				}
			}()
			Draw(size.X, size.Y)
		}()
	}
}

// A drawing at half the size must nearly equal the large one averaged over 2 x 2 pixels. Drawing one point per pixel
// fails this test.
func TestDrawIsAntiAliased(t *testing.T) {
	const width, height = 96, 72
	small, large := Draw(width, height)[1], Draw(2*width, 2*height)[1]
	sum := 0.0
	for y := range height {
		for x := range width {
			at := 2*y*2*width + 2*x
			mean := (large[at] + large[at+1] + large[at+2*width] + large[at+2*width+1]) / 4
			difference := float64(mean - small[y*width+x])
			sum += difference * difference
		}
	}
	if rms := math.Sqrt(sum / (width * height)); rms > 0.01 {
		t.Errorf("half the size differs by %.4f rms, want at most 0.01", rms)
	}
}

// The scene must keep its smooth places, its busy places, its colour and its contrast.
func TestDrawHasSmoothAndBusyPlaces(t *testing.T) {
	const size, block = 128, 4
	planes := Draw(size, size)
	luma := planes[1] // green is most of it
	smooth, busy := 0, 0
	for top := 0; top < size; top += block {
		for left := 0; left < size; left += block {
			switch std := blockStd(luma, size, left, top, block); {
			case std < 0.015:
				smooth++
			case std > 0.1:
				busy++
			}
		}
	}
	const blocks = size * size / block / block
	if smooth < blocks/10 || busy < blocks/4 {
		t.Errorf("of %d blocks %d are smooth and %d busy, want a tenth and a quarter", blocks, smooth, busy)
	}
	if low, high := slices.Min(luma), slices.Max(luma); low > 0.15 || high < 0.9 {
		t.Errorf("luma goes from %.2f to %.2f, want nearly full contrast", low, high)
	}
	colourful := 0
	for i := range luma {
		if math.Abs(float64(planes[0][i]-planes[2][i])) > 0.2 {
			colourful++
		}
	}
	if colourful < len(luma)/10 {
		t.Errorf("%d of %d pixels have a strong colour, want a tenth", colourful, len(luma))
	}
}

func blockStd(plane []float32, width, left, top, size int) float64 {
	sum, squares := 0.0, 0.0
	for y := top; y < top+size; y++ {
		for _, sample := range plane[y*width+left : y*width+left+size] {
			sum += float64(sample)
			squares += float64(sample) * float64(sample)
		}
	}
	count := float64(size * size)
	return math.Sqrt(max(0, squares/count-sum*sum/count/count))
}

func TestLetteringIsReadable(t *testing.T) {
	line := newLettering("I.")
	const width, height = 18, 16
	if got := line.length(); got != width/float64(height) {
		t.Fatalf("length is %g, want %g", got, width/float64(height))
	}
	var picture string
	for y := range height {
		for x := range width {
			if line.covers((float64(x)+0.5)/height, (float64(y)+0.5)/height) {
				picture += "#"
			} else {
				picture += "."
			}
		}
		picture += "\n"
	}
	const want = `..................
..................
..................
..................
.######...........
..####............
...##.............
...##.............
...##.............
...##.............
...##.............
...##.............
..####......##....
.######.....##....
..................
..................
`
	if picture != want {
		t.Errorf("got\n%swant\n%s", picture, want)
	}
	if line.covers(-1, 0.5) || line.covers(5, 0.5) || line.covers(0.2, -1) || line.covers(0.2, 2) {
		t.Error("points outside the line are on letters")
	}
}

func ExampleDraw() {
	planes := Draw(80, 60)
	fmt.Println(len(planes), len(planes[0]))
	// Output: 3 4800
}
