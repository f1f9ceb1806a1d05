package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// plan says how networks are fitted.
type plan struct {
	hidden, members, epochs int
	seen                    float64 // share of the inputs that a member gets: members that look at different things err in different ways
	rate, decay             float64
	jitter                  float64 // noise of standardised inputs
	contrast                float64 // standard deviation of the logarithm of contrasts: the same picture with more or less of it
}

// settings made the networks that are shipped.
var settings = plan{hidden: 16, members: 10, epochs: 60, seen: 0.6, rate: 2e-3, decay: 3e-3, jitter: 0.4, contrast: 0.3}

// fit trains a network with Adam on the expected loss in decibels.
func (p plan) fit(samples []sample) *level.Network {
	inputs := len(samples[0].inputs[0])
	n := &level.Network{Inputs: inputs, Hidden: p.hidden, Members: p.members, Mean: make([]float32, inputs), Scale: make([]float32, inputs)}
	for i := range inputs {
		sum, squares, count := 0.0, 0.0, 0.0
		for _, s := range samples {
			for _, x := range s.inputs {
				sum, squares, count = sum+x[i], squares+x[i]*x[i], count+1
			}
		}
		mean := sum / count
		n.Mean[i] = float32(mean)
		n.Scale[i] = float32(1 / (math.Sqrt(max(0, squares/count-mean*mean)) + 1e-3))
	}
	n.Weights = make([]float32, p.members*level.MemberSize(inputs, p.hidden))
	x := make([][][]float32, len(samples))
	for i, s := range samples {
		for _, f := range s.inputs {
			x[i] = append(x[i], n.Standardise(f))
		}
	}
	_ = parallel.For(context.Background(), 0, p.members, func(_, m int) { p.fitMember(n, m, samples, x) })
	return n
}

// saturation is the loss, in decibels, beyond which more of it counts less and less.
const saturation = 4

// fitMember trains one member from random weights of its own.
func (p plan) fitMember(n *level.Network, member int, samples []sample, x [][][]float32) {
	const batch = 64
	rng := rand.New(rand.NewPCG(7, uint64(member)))
	var list []int // inputs that the member gets
	for i := range n.Inputs {
		if rng.Float64() < p.seen {
			list = append(list, i)
		}
	}
	small := p.begin(len(list), rng)
	var (
		w                       = small.Weights
		gradient, first, second = make([]float32, len(w)), make([]float32, len(w)), make([]float32, len(w))
		active, input           = make([]float32, n.Hidden), make([]float32, len(list))
		order                   = rng.Perm(len(samples))
		shifts                  = contrastShifts(n)
		steps                   = p.epochs * (len(samples) / batch)
	)
	for step := range steps {
		if step%(len(samples)/batch) == 0 {
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		clear(gradient)
		for b := range batch {
			at := order[step%(len(samples)/batch)*batch+b]
			contrast := 0.0
			if samples[at].kind != "clean" {
				contrast = p.contrast * rng.NormFloat64()
			}
			variant := rng.IntN(len(x[at])) // networks must do without steps as well
			shift := shifts[variant]
			if samples[at].steps {
				shift = shifts[1]
			}
			for k, i := range list {
				input[k] = x[at][variant][i] + float32(p.jitter*rng.NormFloat64()) + float32(contrast)*shift[i]
			}
			out := float64(small.Output(0, input, active))
			value, slope := samples[at].loss.at(out - contrast)
			slope *= samples[at].weight / (1 + value/saturation) / batch
			if out < lowest { // back to where there is a slope
				slope += 0.1 * (out - lowest) / batch
			}
			addGradient(w, gradient, input, active, float32(slope), len(list))
		}
		p.adam(w, gradient, first, second, step, steps)
	}
	spreadOut(n.Member(member), w, list, n.Inputs, n.Hidden)
}

// begin returns a network of one member with random weights.
func (p plan) begin(inputs int, rng *rand.Rand) *level.Network {
	w := make([]float32, level.MemberSize(inputs, p.hidden))
	unit := inputs + 2
	for h := range p.hidden {
		for i := range inputs {
			w[h*unit+i] = float32(rng.NormFloat64() / math.Sqrt(float64(inputs)))
		}
		w[h*unit+inputs] = float32(0.5 * rng.NormFloat64())
		w[h*unit+inputs+1] = float32(0.3 * rng.NormFloat64() / math.Sqrt(float64(p.hidden)))
	}
	w[len(w)-1] = 1.5
	return &level.Network{Inputs: inputs, Hidden: p.hidden, Members: 1, Weights: w}
}

// spreadOut copies the weights of a member that has some of the inputs to one that has all, and ignores the others.
func spreadOut(all, some []float32, list []int, inputs, hidden int) {
	for h := range hidden + 1 {
		to, from := all[h*(inputs+2):], some[h*(len(list)+2):]
		for k, i := range list {
			to[i] = from[k]
		}
		copy(to[inputs:min(inputs+2, len(to))], from[len(list):min(len(list)+2, len(from))])
	}
}

// contrastShifts are what e times as much contrast adds to standardised inputs, for pictures whose steps are not known and for those whose
// steps are as many times as large. Most inputs are logarithms of levels and rise by 1; the others stay.
func contrastShifts(n *level.Network) (shifts [2][]float32) {
	for known := range shifts {
		shifts[known] = make([]float32, n.Inputs)
		less, more := inputsOfNoise(n.Inputs, 1, known == 1), inputsOfNoise(n.Inputs, math.E, known == 1)
		for i := range less {
			if more[i]-less[i] > 0.5 {
				shifts[known][i] = n.Scale[i]
			}
		}
	}
	return shifts
}

// inputsOfNoise returns the inputs of a network for a picture of noise. Their number tells gray from colour, and whether there is a second
// look. Steps are as many times as large as the contrast if they are known.
func inputsOfNoise(count int, contrast float64, knownSteps bool) (inputs []float64) {
	const side = 128
	var steps level.Steps
	if knownSteps {
		for k := range steps.Luma {
			steps.Luma[k], steps.Chroma[k] = uint8(8*contrast), uint8(8*contrast)
		}
	}
	for _, planes := range []int{1, 3} {
		p := camera.NewPicture(side, side, planes)
		rng := rand.New(rand.NewPCG(1, 1))
		p.Each(func(float64) float64 { return 0.5 + 0.03*contrast*rng.NormFloat64() })
		x := level.WithSteps(statistics(p), planes, steps)
		for _, x := range [][]float64{x, slices.Concat(x, level.SecondLook(p.Planes, side, side, 5*contrast, half, 1))} {
			if len(x) == count {
				inputs = x
			}
		}
	}
	return inputs
}

// half removes half of the difference to the middle gray.
func half(plane []float32, _, _ int, _ float64) {
	for i, v := range plane {
		plane[i] = (v + 0.5) / 2
	}
}

// addGradient adds the gradient of one sample.
func addGradient(w, gradient, input, active []float32, slope float32, inputs int) {
	unit := inputs + 2
	for h, v := range active {
		g := gradient[h*unit:][:unit]
		g[inputs+1] += slope * v
		if v > 0 {
			s := slope * w[h*unit+inputs+1]
			for i, x := range input {
				g[i] += s * x
			}
			g[inputs] += s
		}
	}
	g := gradient[len(active)*unit:]
	for i, x := range input {
		g[i] += slope * x
	}
	g[inputs] += slope
}

// adam is a step of D. Kingma, J. Ba, "Adam: a method for stochastic optimization", ICLR 2015, with decay of the weights and
// a rate that falls to zero along a cosine.
func (p plan) adam(w, gradient, first, second []float32, step, steps int) {
	const b1, b2, small = 0.9, 0.999, 1e-8
	rate := p.rate * 0.5 * (1 + math.Cos(math.Pi*float64(step)/float64(steps)))
	c1, c2 := 1-math.Pow(b1, float64(step+1)), 1-math.Pow(b2, float64(step+1))
	for i, g := range gradient {
		first[i] = b1*first[i] + (1-b1)*g
		second[i] = b2*second[i] + (1-b2)*g*g
		move := float64(first[i]) / c1 / (math.Sqrt(float64(second[i])/c2) + small)
		w[i] -= float32(rate * (move + p.decay*float64(w[i])))
	}
}

// printLosses prints what a network loses against the best level for each picture, by kind of noise.
func printLosses(out io.Writer, n *level.Network, samples []sample) {
	type row struct{ losses, spreads []float64 }
	rows := map[string]*row{}
	var kinds []string
	for _, s := range samples {
		for i, inputs := range s.inputs {
			kind := s.kind
			if i > 0 || s.steps {
				kind += ", steps known"
			}
			r := rows[kind]
			if r == nil {
				r = &row{}
				rows[kind] = r
				kinds = append(kinds, kind)
			}
			x, spread := n.Predict(inputs)
			value, _ := s.loss.at(x)
			r.losses = append(r.losses, value)
			r.spreads = append(r.spreads, spread)
		}
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		r := rows[k]
		slices.Sort(r.losses)
		slices.Sort(r.spreads)
		c := len(r.losses)
		fmt.Fprintf(out, "%-21s %5d samples: %.3f dB lost on average, median %.3f, 90 %% %.3f, 99 %% %.3f; spread %.3f\n",
			k, c, mean(r.losses), r.losses[c/2], r.losses[c*9/10], r.losses[c*99/100], r.spreads[c/2])
	}
}

// median sorts.
func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
