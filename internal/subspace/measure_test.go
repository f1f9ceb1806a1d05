package subspace

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// picture draws a plane with noise of the variance slope*x + floor: smooth, with edges, and with texture of a
// contrast that fills all directions.
func picture(side int, slope, floor, texture float64, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	var p []float32
	for y := range side {
		for x := range side {
			v := 0.3 + 0.25*math.Sin(float64(x)/40)*math.Cos(float64(y)/30)
			if (x/50+y/70)%2 == 0 {
				v += 0.1
			}
			v += texture * r.NormFloat64() * (1 + math.Sin(float64(x)/9)*math.Cos(float64(y)/11))
			p = append(p, float32(v+math.Sqrt(slope*v+floor)*r.NormFloat64()))
		}
	}
	return p
}

func TestMeasure(t *testing.T) {
	const side = 200
	for _, planes := range []int{1, 2, 4} {
		for _, noise := range [][2]float64{{1e-4, 1e-7}, {1e-6, 1e-6}, {3e-3, 1e-4}, {1e-7, 4e-4}}[planes/4*3:] {
			var all [][]float32
			for i := range planes {
				all = append(all, picture(side, noise[0], noise[1], 0, uint64(i)))
			}
			points := Measure(context.Background(), all, side, side, 2, 2)
			slope, floor := Line(points, 0)
			for _, level := range []float64{0.1, 0.3, 0.6} {
				got, want := math.Sqrt(slope*level+floor), math.Sqrt(noise[0]*level+noise[1])
				if math.Abs(math.Log(got/want)) > 0.08 {
					t.Errorf("%d planes, %v: deviation %.4g instead of %.4g at %g", planes, noise, got, want, level)
				}
			}
			if !IsNoise(points) {
				t.Errorf("%d planes, %v: noise counts as texture", planes, noise)
			}
		}
	}
}

// Texture that is as strong everywhere as nowhere cannot be told from noise, but texture that differs falls.
func TestTextureFalls(t *testing.T) {
	points := Measure(context.Background(), [][]float32{picture(200, 1e-6, 1e-8, 0.02, 1)}, 200, 200, 2, 2)
	if IsNoise(points) {
		t.Errorf("texture counts as noise: %v", points)
	}
}

func TestMeasureLeavesOutWhatIsClipped(t *testing.T) {
	p := picture(200, 1e-4, 1e-6, 0, 1)
	clipped := slices.Clone(p)
	for i := range clipped {
		clipped[i] = min(clipped[i], 0.5)
	}
	for _, q := range Measure(context.Background(), [][]float32{clipped}, 200, 200, 0.5, 1) {
		if want := 1e-4*q.Level + 1e-6; math.Abs(math.Log(q.Variance/want)) > 0.2 {
			t.Errorf("variance %.3g instead of %.3g at %.2f", q.Variance, want, q.Level)
		}
	}
}

func TestMeasureOfAlmostNothing(t *testing.T) {
	for _, side := range []int{0, 1, 7, 8, 30} {
		points := Measure(context.Background(), [][]float32{make([]float32, side*side)}, side, side, 1, 1)
		if len(points) > 0 {
			t.Errorf("%d x %d samples have %d points", side, side, len(points))
		}
	}
	if points := Measure(context.Background(), [][]float32{make([]float32, 400*400)}, 400, 400, 0, 1); len(points) > 0 {
		t.Errorf("samples beyond the limit have %d points", len(points))
	}
	for _, p := range Measure(context.Background(), [][]float32{make([]float32, 400*400)}, 400, 400, 1, 1) {
		if p.Variance != 0 || math.IsNaN(p.Falling) {
			t.Errorf("equal samples have %+v", p)
		}
	}
}

func TestMeasureDoesNotDependOnWorkers(t *testing.T) {
	p := [][]float32{picture(200, 1e-4, 1e-6, 0, 1)}
	one := Measure(context.Background(), p, 200, 200, 2, 1)
	if many := Measure(context.Background(), p, 200, 200, 2, 5); !slices.Equal(one, many) {
		t.Errorf("%v and %v", one, many)
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		name         string
		points       []Point
		slope, floor float64
	}{
		{"line", []Point{{1, 12, 1}, {2, 14, 1}, {5, 20, 1}}, 2, 10},
		{"black", []Point{{0.5, 4, 1}, {0.5, 4, 1}}, 0, 4},
		{"falls", []Point{{1, 4, 1}, {2, 2, 1}}, 0, 2.04},
		{"below black", []Point{{-1, 4, 1}, {-2, 4, 1}}, 0, 4},
		{"no floor", []Point{{1, 2, 1}, {3, 8, 1}}, 2.06, 0},
	} {
		slope, floor := Line(c.points, 0)
		if math.Abs(slope-c.slope) > 0.05*c.slope+1e-9 || math.Abs(floor-c.floor) > 0.05*c.floor+1e-9 {
			t.Errorf("%s: %.3g x + %.3g", c.name, slope, floor)
		}
	}
	// A point above the line counts less than one below it.
	base := []Point{{1, 10, 1}, {2, 20, 1}, {3, 30, 1}, {4, 40, 1}}
	high, _ := Line(append(slices.Clone(base), Point{5, 100, 1}), 0)
	if high > 11.5 {
		t.Errorf("texture makes the slope %.2f", high)
	}
}
