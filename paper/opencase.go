package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/golden"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// startPoint is a transform to start training from.
type startPoint struct {
	name   string
	usesTV bool // it is made from the operator of tuned TV
	w      func(ref reference) solve.Transform
}

// identityTimes returns the identity times c.
func identityTimes(c float64) startPoint {
	return startPoint{fmt.Sprintf("%g I", c), false,
		func(ref reference) solve.Transform { return solve.Identity(ref.operator.N, c) }}
}

// randomRows returns rows of normally distributed elements with standard deviation c.
func randomRows(rows int, c float64, seed uint64) startPoint {
	return startPoint{fmt.Sprintf("%d random rows of %g, seed %d", rows, c, seed), false,
		func(ref reference) solve.Transform {
			return normal(rows, ref.operator.N, c, rand.New(rand.NewPCG(seed, 61)))
		}}
}

// orthonormal returns an orthonormal basis times a strength.
func orthonormal(name string, basis func(n int) solve.Transform, strength float64) startPoint {
	return startPoint{name, false, func(ref reference) solve.Transform { return basis(ref.operator.N).Scale(strength) }}
}

// fromTV is the operator of tuned TV.
var fromTV = startPoint{"tuned TV and a row of zeros", true,
	func(ref reference) solve.Transform { return square(ref.operator) }}

// bothStarts stacks the rows of two starts.
func bothStarts(a, b startPoint) startPoint {
	return startPoint{a.name + ", and " + b.name, a.usesTV || b.usesTV, func(ref reference) solve.Transform {
		w, err := solve.Stack(a.w(ref), b.w(ref))
		if err != nil {
			panic(err) // both have rows of the same length
		}
		return w
	}}
}

// phase is a part of a training: Adam at one noise level.
type phase struct {
	sigma, rate float64
	times       int // length, in units of the usual number of steps
}

// String returns the rate, and the noise level if it is not the usual one.
func (l phase) String() string {
	s := fmt.Sprint(l.rate)
	if l.sigma != signalSigma {
		s += fmt.Sprintf(" (σ %g)", l.sigma)
	}
	return s
}

// openCase is one way to train: on which signals, from which start, and in which phases. Each phase continues from the
// result of the one before.
type openCase struct {
	n      int
	jumps  string
	g      generator
	start  startPoint
	phases []phase
}

// standard has the signals of fig:lertran.
var standard = uniformJumps(signalLength, fewestJumps, maxJumps)

// uniformJumps has piecewise-constant signals of length n with fewest to most jumps at random places.
func uniformJumps(n, fewest, most int) openCase {
	return openCase{n: n, jumps: fmt.Sprintf("%d-%d", fewest, most), g: piecewiseConstant(n, fewest, most)}
}

// with returns the case with one phase of the usual length at the noise level of fig:lertran.
func (c openCase) with(start startPoint, rate float64) openCase {
	return c.inPhases(start, phase{signalSigma, rate, 1})
}

// inPhases returns the case with the given start and phases.
func (c openCase) inPhases(start startPoint, phases ...phase) openCase {
	c.start, c.phases = start, phases
	return c
}

// rates lists the rates of the phases.
func (c openCase) rates() string {
	var out []string
	for _, l := range c.phases {
		out = append(out, l.String())
	}
	return strings.Join(out, ", ")
}

// steps returns the number of steps of all phases, if a phase usually has the given number.
func (c openCase) steps(usual int) (sum int) {
	for _, l := range c.phases {
		sum += l.times * usual
	}
	return sum
}

// openResult is the result of a case. PSNR is in dB on test signals.
type openResult struct {
	Name                      string
	Rows, Steps               int
	Noisy, TV, Start, Learned float64 // PSNR
	Validation                float64 // least loss on validation signals
	Cosine                    float64 // see matchRows
	Missing                   int     // see missingRows
	Loss, TVLoss              float64 // on training signals
	usesTV                    bool    // see startPoint
}

// lead returns the gain over tuned TV in dB.
func (r openResult) lead() float64 { return noMinusZero(r.Learned - r.TV) }

// run trains one case and measures the result.
func (o *openRun) run(ctx context.Context, c openCase) (openResult, error) {
	name := fmt.Sprintf("%d samples, %s jumps, from %s", c.n, c.jumps, c.start.name)
	if len(c.phases) > 1 || c.phases[0].times > 1 {
		name += fmt.Sprintf(", rates %s", c.rates())
	}
	r, err := cached(o.sec, name, func() (openResult, error) {
		d := o.draw(c.g, o.pairs, signalSigma)
		ref := tunedTV(d.train.first(o.Setting.pairs()))
		start := c.start.w(ref)
		w, curve, err := o.learn(ctx, c, start)
		if err != nil {
			return openResult{}, err
		}
		psnr := func(w solve.Transform) float64 { return meanPSNR(d.test.Clean, denoise(w, d.test.Noisy, o.Workers)) }
		_, cosine := matchRows(w, ref.operator)
		some := d.train.first(d.test.count())
		return openResult{name, w.K, c.steps(o.steps), meanPSNR(d.test.Clean, d.test.Noisy),
			meanPSNR(d.test.Clean, ref.apply(d.test.Noisy)), psnr(start), psnr(w), floats.Min(curve.Validation), cosine,
			missingRows(w, ref.operator), lossOf(w, some, o.Workers), meanLoss(some.Clean, ref.apply(some.Noisy)),
			false}, nil
	})
	if err != nil {
		return r, err
	}
	r.usesTV = c.start.usesTV
	o.Log("open: %s: %.2f dB, TV %.2f", name, r.Learned, r.TV)
	distance := func(r openResult) float64 { return math.Abs(r.TV-25.8) + math.Abs(r.Learned-26.2) }
	if o.nearest.Name == "" || distance(r) < distance(o.nearest) {
		o.nearest = r
	}
	return r, nil
}

// learn runs the phases of a case one after the other. When the noise level changes, the transform is first scaled to
// the best strength for the new level. The curve shows the last phase.
func (o *openRun) learn(ctx context.Context, c openCase, w solve.Transform) (solve.Transform, lossCurve, error) {
	var curve lossCurve
	for i, l := range c.phases {
		d := o.draw(c.g, o.pairs, l.sigma)
		if i > 0 && l.sigma != c.phases[i-1].sigma {
			w = rescaled(w, d.train, o.Workers)
		}
		var err error
		w, curve, err = learning{Start: w, Adam: true, Rate: l.rate, Steps: l.times * o.steps, Batch: signalBatch,
			Seed: o.Seed + uint64(i), Workers: o.Workers}.run(ctx, d.train, d.validation)
		if err != nil {
			return w, curve, err
		}
	}
	return w, curve, nil
}

// rescaled returns a transform that was learned at another noise level, times the scale with the least loss on some of
// the pairs.
func rescaled(w solve.Transform, train noisyPairs, workers int) solve.Transform {
	some := train.first(min(300, train.count()))
	return w.Scale(golden.MinimizeLog(0.1, 2, strengthTolerance, func(s float64) float64 {
		return lossOf(w.Scale(s),
			some, workers)
	}))
}
