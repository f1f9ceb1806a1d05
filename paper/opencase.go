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

// begin is a way to start.
type begin struct {
	name    string
	knowsTV bool
	w       func(ref reference) solve.Transform
}

func identityTimes(c float64) begin {
	return begin{fmt.Sprintf("%g I", c), false, func(ref reference) solve.Transform { return solve.Identity(ref.operator.N, c) }}
}

// randomRows has normal elements.
func randomRows(rows int, c float64, seed uint64) begin {
	return begin{fmt.Sprintf("%d random rows of %g, seed %d", rows, c, seed), false, func(ref reference) solve.Transform {
		rng := rand.New(rand.NewPCG(seed, 61))
		w := solve.NewTransform(rows, ref.operator.N)
		for i := range w.W {
			w.W[i] = c * rng.NormFloat64()
		}
		return w
	}}
}

// orthonormal is a basis times the strength that is best for it.
func orthonormal(name string, basis func(n int) solve.Transform, strength float64) begin {
	return begin{name, false, func(ref reference) solve.Transform { return basis(ref.operator.N).Scale(strength) }}
}

var fromTV = begin{"tuned TV and a row of zeros", true, func(ref reference) solve.Transform { return square(ref.operator) }}

// above puts two starts together.
func above(a, b begin) begin {
	return begin{a.name + ", and " + b.name, a.knowsTV || b.knowsTV, func(ref reference) solve.Transform {
		w, err := solve.Stack(a.w(ref), b.w(ref))
		if err != nil {
			panic(err) // they are of one length
		}
		return w
	}}
}

// lesson is a training with Adam at one noise level.
type lesson struct {
	sigma, rate float64
	times       int // more steps than others
}

func (l lesson) String() string {
	s := fmt.Sprint(l.rate)
	if l.sigma != signalSigma {
		s += fmt.Sprintf(" (σ %g)", l.sigma)
	}
	return s
}

// openCase is one way to train: on which signals, from where, and in which lessons, each from where the one before ended.
type openCase struct {
	n       int
	jumps   string
	g       Generator
	begin   begin
	lessons []lesson
}

// standard is the setting of fig:lertran.
var standard = uniformJumps(signalLength, fewestJumps, mostJumps)

func uniformJumps(n, fewest, most int) openCase {
	return openCase{n: n, jumps: fmt.Sprintf("%d-%d", fewest, most), g: PiecewiseConstant(n, fewest, most)}
}

// with is one lesson of the usual length at the noise level of fig:lertran.
func (c openCase) with(b begin, rate float64) openCase {
	return c.course(b, lesson{signalSigma, rate, 1})
}

func (c openCase) course(b begin, lessons ...lesson) openCase {
	c.begin, c.lessons = b, lessons
	return c
}

// rates names the lessons.
func (c openCase) rates() string {
	var out []string
	for _, l := range c.lessons {
		out = append(out, l.String())
	}
	return strings.Join(out, ", ")
}

// steps of all lessons.
func (c openCase) steps(usual int) (sum int) {
	for _, l := range c.lessons {
		sum += l.times * usual
	}
	return sum
}

// openResult is what a case reached: PSNR on test signals, in dB, and losses.
type openResult struct {
	Name                      string
	Rows, Steps               int
	Noisy, TV, Start, Learned float64
	Validation, Cosine        float64
	Missing                   int // see missingRows
	Loss, TVLoss              float64
	knowsTV                   bool // from the case
}

// lead is over tuned TV, in dB.
func (r openResult) lead() float64 { return hundredths(r.Learned - r.TV) }

func (o *openRun) run(ctx context.Context, c openCase) (openResult, error) {
	name := fmt.Sprintf("%d samples, %s jumps, from %s", c.n, c.jumps, c.begin.name)
	if len(c.lessons) > 1 || c.lessons[0].times > 1 {
		name += fmt.Sprintf(", rates %s", c.rates())
	}
	r, err := kept(o.sh, name, func() (openResult, error) {
		d := o.draw(c.g, o.pairs, signalSigma)
		ref := tunedTV(d.train.First(o.Setting.pairs()))
		start := c.begin.w(ref)
		w, curve, err := o.learn(ctx, c, start)
		if err != nil {
			return openResult{}, err
		}
		psnr := func(w solve.Transform) float64 { return PSNR(d.test.Clean, Denoise(w, d.test.Noisy, o.Workers)) }
		_, cosine := MatchRows(w, ref.operator)
		some := d.train.First(d.test.Len())
		return openResult{name, w.K, c.steps(o.steps), PSNR(d.test.Clean, d.test.Noisy), PSNR(d.test.Clean, ref.apply(d.test.Noisy)), psnr(start), psnr(w), floats.Min(curve.Validation), cosine,
			missingRows(w, ref.operator), Loss(w, some, o.Workers), meanLoss(some.Clean, ref.apply(some.Noisy)), false}, nil
	})
	if err != nil {
		return r, err
	}
	r.knowsTV = c.begin.knowsTV
	o.Log("open: %s: %.2f dB, TV %.2f", name, r.Learned, r.TV)
	distance := func(r openResult) float64 { return math.Abs(r.TV-25.8) + math.Abs(r.Learned-26.2) }
	if o.nearest.Name == "" || distance(r) < distance(o.nearest) {
		o.nearest = r
	}
	return r, nil
}

// learn takes the lessons one after the other. Between noise levels the transform is scaled to the best strength for the
// next one. The curve is the last lesson's.
func (o *openRun) learn(ctx context.Context, c openCase, w solve.Transform) (solve.Transform, Curve, error) {
	var curve Curve
	for i, l := range c.lessons {
		d := o.draw(c.g, o.pairs, l.sigma)
		if i > 0 && l.sigma != c.lessons[i-1].sigma {
			w = rescaled(w, d.train, o.Workers)
		}
		var err error
		w, curve, err = Learning{Start: w, Adam: true, Rate: l.rate, Steps: l.times * o.steps, Batch: signalBatch, Seed: o.Seed + uint64(i), Workers: o.Workers}.Run(ctx, d.train, d.validation)
		if err != nil {
			return w, curve, err
		}
	}
	return w, curve, nil
}

// rescaled is a transform, learned at another noise level, times the scale that is best for some of the pairs.
func rescaled(w solve.Transform, train Pairs, workers int) solve.Transform {
	some := train.First(min(300, train.Len()))
	return w.Scale(golden.MinimizeLog(0.1, 2, strengthTolerance, func(s float64) float64 { return Loss(w.Scale(s), some, workers) }))
}

// missingRows is how many rows of a reference no row of w stands for: with a cosine of 0.9 or more and a third of its norm.
func missingRows(w, reference solve.Transform) (missing int) {
	norms, referenceNorms := w.RowNorms(), reference.RowNorms()
	for j := range reference.K {
		found := false
		for i := range w.K {
			product := math.Abs(floats.Dot(w.Row(i), reference.Row(j)))
			found = found || norms[i] >= referenceNorms[j]/3 && product >= 0.9*norms[i]*referenceNorms[j]
		}
		if !found {
			missing++
		}
	}
	return missing
}
