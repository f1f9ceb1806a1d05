package guided

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// wholePrediction returns all rows of a prediction.
func wholePrediction(p predictor, in Input) patchify.Plane {
	var s predictionRows
	s.start(p, in, 0)
	s.extend(in.Noisy.Height)
	return s.kept
}

func drawnInput(rng *rand.Rand, w, h int) Input {
	return Input{Noisy: drawn(rng, w, h, 2), Pilot: drawn(rng, w, h, 1),
		Guides: []patchify.Plane{drawn(rng, w, h, 3), drawn(rng, w, h, 2)}}
}

// A plane that is a linear function of its guides is predicted exactly, but for the ridge and the rounding.
func TestPredictionOfALinearFunction(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	in := drawnInput(rng, 61, 45)
	for i := range in.Noisy.Pix {
		in.Guides[0].Pix[i] *= 20
		in.Guides[1].Pix[i] *= 20
		in.Noisy.Pix[i] = 0.5*in.Guides[0].Pix[i] - 0.25*in.Guides[1].Pix[i] + 7
	}
	in.Pilot = in.Noisy
	for _, p := range predictors {
		for i, v := range wholePrediction(p, in).Pix {
			if math.Abs(float64(v-in.Noisy.Pix[i])) > 0.05 {
				t.Fatalf("radius %d: sample %d is %g, not %g", p.radius, i, v, in.Noisy.Pix[i])
			}
		}
	}
}

// A prediction agrees with its definition, computed sample by sample.
func TestPredictionIsTheMeanOfTheFits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][2]int{{8, 8}, {9, 31}, {40, 17}} {
		in := drawnInput(rng, size[0], size[1])
		for _, p := range predictors {
			want := definedPrediction(p, in)
			for i, v := range wholePrediction(p, in).Pix {
				if math.Abs(float64(v)-want[i]) > 0.02 {
					t.Fatalf("%v, radius %d: sample %d is %g, not %g", size, p.radius, i, v, want[i])
				}
			}
		}
	}
}

func definedPrediction(p predictor, in Input) (out []float64) {
	target := in.Noisy
	if p.ofPilot {
		target = in.Pilot
	}
	y := patchify.Downsample2(target, 1)
	a, b := patchify.Downsample2(in.Guides[0], 1), patchify.Downsample2(in.Guides[1], 1)
	around := func(x0, y0 int, f func(i int)) {
		for dy := -p.radius; dy <= p.radius; dy++ {
			for dx := -p.radius; dx <= p.radius; dx++ {
				f(min(max(y0+dy, 0), y.Height-1)*y.Width + min(max(x0+dx, 0), y.Width-1))
			}
		}
	}
	n := float64((2*p.radius + 1) * (2*p.radius + 1))
	fits := make([][fitParts]float64, len(y.Pix))
	for i := range fits {
		var my, ma, mb, aa, ab, bb, ay, by, yy float64
		each := func(f func(j int)) { around(i%y.Width, i/y.Width, f) }
		each(func(j int) { my, ma, mb = my+float64(y.Pix[j])/n, ma+float64(a.Pix[j])/n, mb+float64(b.Pix[j])/n })
		each(func(j int) {
			dy, da, db := float64(y.Pix[j])-my, float64(a.Pix[j])-ma, float64(b.Pix[j])-mb
			aa, ab, bb, ay, by, yy = aa+da*da/n, ab+da*db/n, bb+db*db/n, ay+da*dy/n, by+db*dy/n, yy+dy*dy/n
		})
		aa, bb = aa+ridge, bb+ridge
		u, v := (bb*ay-ab*by)/(aa*bb-ab*ab), (aa*by-ab*ay)/(aa*bb-ab*ab)
		weight := math.Pow(yy-u*ay-v*by+unexplained, -2)
		fits[i] = [...]float64{weight * u, weight * v, weight * (my - u*ma - v*mb), weight}
	}
	var factors [3]patchify.Plane
	for k := range factors {
		mean := patchify.NewPlane(y.Width, y.Height)
		for i := range mean.Pix {
			sum, weights := 0.0, 0.0
			around(i%y.Width, i/y.Width, func(j int) { sum, weights = sum+fits[j][k], weights+fits[j][3] })
			mean.Pix[i] = float32(sum / weights)
		}
		factors[k] = patchify.NewPlane(target.Width, target.Height)
		patchify.AddInterpolated(factors[k], factors[k], mean, 1)
	}
	for i, l := range in.Guides[0].Pix {
		out = append(out, float64(factors[0].Pix[i]*l+factors[1].Pix[i]*in.Guides[1].Pix[i]+factors[2].Pix[i]))
	}
	return out
}

// Rows are the same wherever they begin, and after others have been dropped.
func TestPredictionOfAPart(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	in := drawnInput(rng, 33, 90)
	in.Pilot.Pix[33*40+3] = float32(math.Inf(1))
	in.Noisy.Pix[33*50+7] = float32(math.NaN())
	for _, p := range predictors {
		whole := wholePrediction(p, in)
		for _, from := range []int{0, 1, 2, 31, 88} {
			var s predictionRows
			s.start(p, in, from)
			for to := from; to <= 90; to += 7 {
				s.extend(to)
				s.drop(to - 10)
				if s.from < from || !slices.Equal(s.kept.Pix, whole.Pix[s.from*33:to*33]) {
					t.Fatalf("radius %d, rows %d to %d: others than of the whole", p.radius, s.from, to)
				}
			}
		}
	}
}

// Beyond its reach, a sample changes no prediction.
func TestPredictionReach(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const side = 80
	in := drawnInput(rng, side, side)
	for _, p := range predictors {
		before := wholePrediction(p, in)
		changed := in
		changed.Noisy, changed.Pilot = patchify.Crop(in.Noisy, 0, 0, side, side),
			patchify.Crop(in.Pilot, 0, 0, side, side)
		changed.Noisy.Pix[41*side+38], changed.Pilot.Pix[41*side+38] = 1000, 1000
		for i, v := range wholePrediction(p, changed).Pix {
			if x, y := i%side, i/side; v != before.Pix[i] && (x < 38-PredictionReach || x > 38+PredictionReach ||
				y < 41-PredictionReach || y > 41+PredictionReach) {
				t.Fatalf("radius %d: sample (%d, %d) changed", p.radius, x, y)
			}
		}
	}
}

func BenchmarkPrediction(b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 10))
	const side = 1000
	in := drawnInput(rng, side, side)
	for b.Loop() {
		for _, p := range predictors {
			wholePrediction(p, in)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/MP")
}
