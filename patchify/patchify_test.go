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
<<<<<<< HEAD
	out := average(t, padded, size, stride, 2, func(b Band, acc *Accumulator) {
=======
	g, err := NewGrid(padded.Width, padded.Height, size, stride)
	must(t, err)
	out := NewPlane(padded.Width, padded.Height)
	err = Aggregate(context.Background(), out, g, workers, func(_ int, b Band, acc *Accumulator) {
>>>>>>> h-files
		patch := make([]float32, size*size)
		for i := range b.Grid.Len() {
			x, y := b.Grid.At(i)
			ExtractLane(patch, 1, 0, padded, x, y, size)
			acc.AddLane(patch, 1, 0, x, y)
		}
	})
<<<<<<< HEAD
=======
	must(t, err)
>>>>>>> h-files
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

<<<<<<< HEAD
=======
func TestAggregateWithWeights(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 50).Draw(rt, "w"), rapid.IntRange(1, 70).Draw(rt, "h")
		size := rapid.IntRange(1, 12).Draw(rt, "size")
		stride := rapid.IntRange(1, size).Draw(rt, "stride")
		p := randomPlane(w, h, rapid.Uint64().Draw(rt, "seed"))
		out := putBack(t, p, size, stride, 2, func(x, y int) float32 { return 0.1 + float32((x*7+y*3)%5) })
		for i := range p.Pix {
			if math.Abs(float64(out.Pix[i]-p.Pix[i])) > 1e-5 {
				rt.Fatalf("sample %d is %g, want %g", i, out.Pix[i], p.Pix[i])
			}
		}
	})
}

func TestAggregateSameBytesForAnyWorkers(t *testing.T) {
	p := randomPlane(120, 150, 5)
	weight := func(x, y int) float32 { return 1 / float32(1+(x+y)%7) }
	want := putBack(t, p, 8, 1, 1, weight)
	for _, workers := range []int{2, 3, 8} {
		if got := putBack(t, p, 8, 1, workers, weight); !slices.Equal(got.Pix, want.Pix) {
			t.Fatalf("%d workers give other bytes than one", workers)
		}
	}
}

func TestAggregateIsTheWeightedMean(t *testing.T) {
	// Two patches of side 2 on a plane of 3 x 2 samples both cover the middle column.
	out, g := NewPlane(3, 2), Grid{2, 1, []int{0, 1}, []int{0}}
	err := Aggregate(context.Background(), out, g, 1, func(_ int, _ Band, acc *Accumulator) {
		acc.Add([]float32{1, 2, 3, 4}, 0, 0, 1)
		acc.Add([]float32{6, 7, 8, 9}, 1, 0, 3)
	})
	must(t, err)
	want := []float32{1, (2 + 18) / 4.0, 7, 3, (4 + 24) / 4.0, 9}
	if !slices.Equal(out.Pix, want) {
		t.Fatalf("got %v, want %v", out.Pix, want)
	}
}

>>>>>>> h-files
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
<<<<<<< HEAD
=======

func ExampleAggregate() {
	p := Plane{4, 1, []float32{10, 20, 30, 40}}
	padded := Pad(p, 2)
	g, _ := NewGrid(padded.Width, padded.Height, 2, 1)
	out := NewPlane(padded.Width, padded.Height)
	err := Aggregate(context.Background(), out, g, 1, func(_ int, b Band, acc *Accumulator) {
		patch := make([]float32, 4)
		for i := range b.Grid.Len() {
			x, y := b.Grid.At(i)
			Extract(patch, padded, x, y, 2)
			acc.Add(patch, x, y, 1)
		}
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(Crop(out, 0, 0, 4, 1).Pix)
	// Output: [10 20 30 40]
}

// must ends a test that cannot go on after an error.
func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fataler is a test, of package testing or of rapid.
type fataler interface {
	Helper()
	Fatal(args ...any)
}
>>>>>>> h-files
