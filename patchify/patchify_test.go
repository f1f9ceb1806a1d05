package patchify

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func randomPlane(w, h int, seed uint64) Plane {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := NewPlane(w, h)
	for i := range p.Pix {
		p.Pix[i] = rng.Float32()
	}
	return p
}

// putBack extracts every patch and averages the patches, which did not change.
func putBack(t testing.TB, p Plane, size, stride int) Plane {
	padded := Pad(p, size)
	out := average(t, padded, size, stride, 2, func(b Band, acc *Accumulator) {
		patch := make([]float32, size*size)
		for i := range b.Grid.Len() {
			x, y := b.Grid.At(i)
			ExtractLane(patch, 1, 0, padded, x, y, size)
			acc.AddLane(patch, 1, 0, x, y)
		}
	})
	return Crop(out, 0, 0, p.Width, p.Height)
}

func TestEveryPixelIsCoveredForAllSizesAndStrides(t *testing.T) {
	const size = 8
	for w := 1; w <= 40; w++ {
		for h := 1; h <= 40; h++ {
			pw, ph := max(w, size), max(h, size)
			for stride := 1; stride <= size; stride++ {
				for offset := range stride {
					g, err := NewGridAt(offset, pw, ph, size, stride)
					must(t, err)
					if !covers(g.Xs, pw, size) || !covers(g.Ys, ph, size) {
						t.Fatalf("%d x %d, stride %d, offset %d: corners %v and %v leave samples uncovered", w, h,
							stride, offset, g.Xs, g.Ys)
					}
					if !offsets(g.Xs, offset, stride) || !offsets(g.Ys, offset, stride) {
						t.Fatalf("%d x %d, stride %d, offset %d: corners %v and %v", w, h, stride, offset, g.Xs, g.Ys)
					}
				}
			}
		}
	}
}

// offsets reports whether corners ascend and all except those at the edges have the right remainder.
func offsets(corners []int, offset, stride int) bool {
	for i, c := range corners {
		if i > 0 && c <= corners[i-1] || i > 0 && i < len(corners)-1 && c%stride != offset {
			return false
		}
	}
	return true
}

// covers reports whether patches at the corners fill [0, length) and stay inside. If this holds for both axes, every
// sample is covered.
func covers(corners []int, length, size int) bool {
	end := 0
	for _, c := range corners {
		if c > end || c < 0 || c+size > length {
			return false
		}
		end = c + size
	}
	return end == length && slices.IsSorted(corners)
}

func TestAverageOfExtractIsTheImage(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 40}, {7, 3}, {8, 8}, {9, 8}, {16, 24}, {37, 40}} {
		for stride := 1; stride <= 8; stride++ {
			p := randomPlane(size[0], size[1], 3)
			out := putBack(t, p, 8, stride)
			for i := range p.Pix {
				if math.Abs(float64(out.Pix[i]-p.Pix[i])) > 1e-5 {
					t.Fatalf("%v stride %d: sample %d is %g, want %g", size, stride, i, out.Pix[i], p.Pix[i])
				}
			}
		}
	}
}

func TestGridRefusesWhatItCannotCover(t *testing.T) {
	for _, c := range [][4]int{{7, 8, 8, 1}, {8, 7, 8, 1}, {8, 8, 8, 0}, {20, 20, 8, 9}, {8, 8, 0, 1},
		{99, 99, 33, 1}} {
		if _, err := NewGrid(c[0], c[1], c[2], c[3]); !errors.Is(err, ErrArgument) {
			t.Errorf("NewGrid(%v): error %v, want ErrArgument", c, err)
		}
	}
	for _, offset := range []int{-1, 3} {
		if _, err := NewGridAt(offset, 20, 20, 8, 3); !errors.Is(err, ErrArgument) {
			t.Errorf("offset %d of stride 3: error %v, want ErrArgument", offset, err)
		}
	}
	if _, err := (Grid{}).WithRows(0, 1); !errors.Is(err, ErrArgument) {
		t.Errorf("rows of no grid: error %v, want ErrArgument", err)
	}
}

func TestPadReflects(t *testing.T) {
	p := Plane{3, 1, []float32{1, 2, 3}}
	out := Pad(p, 6)
	for y := range 6 {
		if want := []float32{1, 2, 3, 2, 1, 2}; !slices.Equal(out.Row(y), want) {
			t.Fatalf("row %d is %v, want %v", y, out.Row(y), want)
		}
	}
}

func TestAverageStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g, _ := NewGrid(64, 64, 8, 1)
	if err := Average(ctx, NewPlane(64, 64), g, 2, func(int, Band, *Accumulator) {}); !errors.Is(err,
		context.Canceled) || errors.Is(err, ErrArgument) {
		t.Fatalf("a cancelled context gives the error %v", err)
	}
}
