package patchify

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestValidateChecksSizes(t *testing.T) {
	six := []float32{1, 2, 3, 4, 5, 6}
	p := Plane{3, 2, six}
	if err := p.Validate(); err != nil || !slices.Equal(p.Row(1), six[3:]) {
		t.Fatalf("%v, %v", p, err)
	}
	for _, c := range []struct {
		width, height int
		pix           []float32
	}{{3, 2, six[:5]}, {2, 2, six}, {0, 0, nil}, {0, 6, nil}, {-2, -3, six}, {-3, 2, six}, {math.MaxInt, 2, six},
		{1 << (bits.UintSize / 2), 1 << (bits.UintSize / 2), nil}, {6, 0, six}} {
		if err := (Plane{c.width, c.height, c.pix}).Validate(); !errors.Is(err, ErrArgument) {
			t.Errorf("%d samples as a plane of %d x %d: error %v, want ErrArgument", len(c.pix), c.width, c.height, err)
		}
	}
}

func TestNewPlanePanicsWithBadSizes(t *testing.T) {
	for _, size := range [][2]int{{-1, 1}, {1, -1}, {-2, -3}, {1 << (bits.UintSize / 2), 1 << (bits.UintSize / 2)}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d x %d: no panic", size[0], size[1])
				}
			}()
			NewPlane(size[0], size[1])
		}()
	}
}

func TestPadOfAPlaneWithoutSamplesIsZero(t *testing.T) {
	for _, p := range []Plane{{}, {Width: 5}, {Height: 3}, {Width: -1, Height: -2}} {
		out := Pad(p, 4)
		if err := out.Validate(); err != nil || out.Width < 4 || out.Height < 4 {
			t.Errorf("%v padded to %d x %d: %v", p, out.Width, out.Height, err)
		}
		if slices.ContainsFunc(out.Pix, func(v float32) bool { return v != 0 }) {
			t.Errorf("%v: padded with other samples than zeros", p)
		}
	}
}

func TestCropStaysInsideThePlane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPlane(rapid.IntRange(1, 5).Draw(t, "w"), rapid.IntRange(1, 5).Draw(t, "h"), 1)
		place := rapid.OneOf(rapid.IntRange(-7, 7), rapid.SampledFrom([]int{math.MinInt, math.MaxInt}))
		x, y := place.Draw(t, "x"), place.Draw(t, "y")
		width, height := place.Draw(t, "width"), place.Draw(t, "height")
		inside := func(i, start, length int) bool { return i >= start && float64(i) < float64(start)+float64(length) }
		var want []float32
		for v := range p.Height {
			for u := range p.Width {
				if inside(u, x, width) && inside(v, y, height) {
					want = append(want, p.Row(v)[u])
				}
			}
		}
		got := Crop(p, x, y, width, height)
		if len(got.Pix) != got.Width*got.Height || !slices.Equal(got.Pix, want) {
			t.Fatalf("%d x %d at (%d, %d) of %d x %d: got %v, want %v", width, height, x, y, p.Width, p.Height, got,
				want)
		}
	})
}

// badGrids are grids that do not belong to a plane of 20 x 20 samples.
var badGrids = map[string]Grid{
	"zero":         {},
	"no columns":   {8, 4, nil, []int{0, 12}},
	"no rows":      {8, 4, []int{0, 12}, nil},
	"patch size":   {0, 1, []int{0}, []int{0}},
	"large patch":  {33, 1, []int{0}, []int{0}},
	"stride":       {8, 0, []int{0, 12}, []int{0, 12}},
	"large stride": {8, 9, []int{0, 12}, []int{0, 12}},
	"negative":     {8, 8, []int{-1, 12}, []int{0, 12}},
	"order":        {8, 8, []int{12, 0, 12}, []int{0, 12}},
	"repeated":     {8, 8, []int{0, 12}, []int{0, 12, 12}},
	"too wide":     {8, 8, []int{0, 13}, []int{0, 12}},
	"too narrow":   {8, 8, []int{0, 11}, []int{0, 12}},
	"too high":     {8, 8, []int{0, 12}, []int{0, 13}},
	"far away":     {8, 8, []int{0, math.MaxInt}, []int{0, math.MaxInt - 8}},
}

// eachAggregation calls all functions that take a plane and a grid, and reports those that return no ErrArgument.
func eachAggregation(t *testing.T, name string, p Plane, g Grid) {
	t.Helper()
	ctx := context.Background()
	never := func(int, Band, *Accumulator) { t.Errorf("%s: work was called", name) }
	m := Matching{PatchSize: max(1, min(g.PatchSize, MaxPatchSize)), Count: 4, Window: 8}
	for function, err := range map[string]error{
		"Average": Average(ctx, p, g, 2, never),
		"High":    AverageHighBands(ctx, p, g, 2, never),
		"AggregateGroups": AggregateGroups(ctx, p, g, 5, 2, func(int, Band,
			*Scatter) {
			t.Errorf("%s: work was called", name)
		}),
		"Find": m.Find(ctx, new(Groups), p, g, 2),
	} {
		if !errors.Is(err, ErrArgument) {
			t.Errorf("%s: %s returns %v, want ErrArgument", name, function, err)
		}
	}
}

func TestBadGridsAndPlanesAreRefused(t *testing.T) {
	for name, g := range badGrids {
		eachAggregation(t, name, NewPlane(20, 20), g)
	}
	good, err := NewGrid(20, 20, 8, 4)
	must(t, err)
	for name, p := range map[string]Plane{
		"no samples":    {},
		"short":         {20, 20, make([]float32, 399)},
		"long":          {20, 20, make([]float32, 401)},
		"negative":      {-20, -20, make([]float32, 400)},
		"other size":    NewPlane(21, 20),
		"overflow":      {math.MaxInt, math.MaxInt, make([]float32, 1)},
		"no pixels yet": {Width: 20, Height: 20},
	} {
		eachAggregation(t, name, p, good)
	}
}

func TestBadMatchingsAreRefused(t *testing.T) {
	p := NewPlane(20, 20)
	g, _ := NewGrid(20, 20, 8, 4)
	good := Matching{PatchSize: 8, Count: 4, Window: 3}
	for name, change := range map[string]func(m *Matching){
		"patch size":  func(m *Matching) { m.PatchSize = 0 },
		"other size":  func(m *Matching) { m.PatchSize = 7 },
		"no patches":  func(m *Matching) { m.Count = 0 },
		"many":        func(m *Matching) { m.Count = math.MaxInt },
		"window":      func(m *Matching) { m.Window = -1 },
		"wide window": func(m *Matching) { m.Window = MaxWindow + 1 },
		"offsets":     func(m *Matching) { m.CoarseOffsets = -1 },
	} {
		m := good
		change(&m)
		if err := m.Find(context.Background(), new(Groups), p, g, 1); !errors.Is(err, ErrArgument) {
			t.Errorf("%s: error %v, want ErrArgument", name, err)
		}
	}
	for _, window := range []int{-1, MaxWindow + 1} {
		if err := AggregateGroups(context.Background(), p, g, window, 1, func(int, Band, *Scatter) {}); !errors.Is(err,
			ErrArgument) {
			t.Errorf("window %d: error %v, want ErrArgument", window, err)
		}
	}
}

// Whatever the sizes, NewGridAt returns an ErrArgument or a valid grid.
func TestGridsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.OneOf(rapid.IntRange(-3, 60), rapid.SampledFrom([]int{math.MinInt, math.MaxInt,
			min(math.MaxInt32+1, math.MaxInt)}))
		w, h := size.Draw(t, "w"), size.Draw(t, "h")
		small := rapid.OneOf(rapid.IntRange(-1, 9), rapid.IntRange(0, 40),
			rapid.SampledFrom([]int{math.MinInt, math.MaxInt}))
		g, err := NewGridAt(small.Draw(t, "offset"), w, h, small.Draw(t, "size"), small.Draw(t, "stride"))
		if err != nil {
			if !errors.Is(err, ErrArgument) {
				t.Fatal(err)
			}
			return
		}
		must(t, g.check(NewPlane(w, h)))
		rows, err := g.WithRows(small.Draw(t, "row offset"), small.Draw(t, "row stride"))
		if err != nil {
			return
		}
		if err := rows.check(NewPlane(w, h)); err != nil || !slices.Equal(rows.Xs, g.Xs) {
			t.Fatal(err, rows.Xs)
		}
	})
}

// What is missing is an error, and no memory is taken for workers without work.
func TestMissingArgumentsAndTooManyWorkers(t *testing.T) {
	dst := NewPlane(20, 20)
	g, err := NewGrid(20, 20, 8, 4)
	must(t, err)
	m := Matching{PatchSize: 8, Count: 2, Window: 5}
	var none context.Context
	work, groupWork := func(int, Band, *Accumulator) {}, func(int, Band, *Scatter) {}
	for name, call := range map[string]func(ctx context.Context, missing bool, workers int) error{
		"Average": func(ctx context.Context, missing bool, workers int) error {
			if missing {
				return Average(ctx, dst, g, workers, nil)
			}
			return Average(ctx, dst, g, workers, work)
		},
		"AverageHighBands": func(ctx context.Context, missing bool, workers int) error {
			if missing {
				return AverageHighBands(ctx, dst, g, workers, nil)
			}
			return AverageHighBands(ctx, dst, g, workers, work)
		},
		"AggregateGroups": func(ctx context.Context, missing bool, workers int) error {
			if missing {
				return AggregateGroups(ctx, dst, g, 5, workers, nil)
			}
			return AggregateGroups(ctx, dst, g, 5, workers, groupWork)
		},
		"Find": func(ctx context.Context, missing bool, workers int) error {
			if missing {
				return m.Find(ctx, nil, dst, g, workers)
			}
			return m.Find(ctx, new(Groups), dst, g, workers)
		},
	} {
		for _, err := range []error{call(none, false, 1), call(t.Context(), true, 1)} {
			if !errors.Is(err, ErrArgument) {
				t.Errorf("%s: error %v, want ErrArgument", name, err)
			}
		}
		if err := call(t.Context(), false, math.MaxInt); err != nil {
			t.Errorf("%s with many workers: %v", name, err)
		}
	}
}
