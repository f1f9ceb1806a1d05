package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/level"
)

func TestLossIsZeroAtTheBestLevel(t *testing.T) {
	l := newLoss(curve{Sigma: []float64{0, 2, 4, 8}, MSE: []float64{50, 30, 10, 20}})
	for _, c := range []struct{ sigma, loss float64 }{
		{0.1, 10 * math.Log10(50.65/10.65)}, {2, 10 * math.Log10(30.65/10.65)}, {4, 0}, {8, 10 * math.Log10(20.65/10.65)},
	} {
		if got, _ := l.at(math.Log(c.sigma)); math.Abs(got-c.loss) > 0.01 {
			t.Errorf("level %g: %g dB lost, want %g", c.sigma, got, c.loss)
		}
	}
	low, _ := l.at(math.Log(8))
	if high, slope := l.at(math.Log(16)); high < low+1 || slope < 3 {
		t.Errorf("beyond the last level %g dB lost, after %g, at a slope of %g", high, low, slope)
	}
}

func TestCleanPicturesMayChangeALittle(t *testing.T) {
	l := newLoss(curve{Sigma: []float64{0, 1, 4}, MSE: []float64{0, 0.3, 10}})
	if got, _ := l.at(0); got > 1e-9 {
		t.Errorf("%g dB lost for a change of 53 dB", got)
	}
	if got, _ := l.at(math.Log(4)); math.Abs(got-(keptPSNR-38.13)) > 0.01 {
		t.Errorf("%g dB lost for a change of 38 dB", got)
	}
}

func TestWrongLevelsCostMore(t *testing.T) {
	c := curve{Sigma: []float64{0, 2, 4, 8}, MSE: []float64{50, 10, 10, 10}}
	flat, precise := newLoss(c), newLoss(c).precise()
	for i, x := range flat.x {
		want := flat.y[i] + precision*(x-math.Log(2))*(x-math.Log(2))
		if got := precise.y[i]; math.Abs(got-want) > 1e-9 {
			t.Errorf("level %g: %g dB lost, want %g", math.Exp(x), got, want)
		}
	}
}

// The gradient is that of the loss of one member.
func TestGradient(t *testing.T) {
	const inputs, hidden = 5, 3
	r := rand.New(rand.NewPCG(1, 2))
	n := &level.Network{Inputs: inputs, Hidden: hidden, Members: 1, Weights: make([]float32, level.MemberSize(inputs, hidden))}
	x, active := make([]float32, inputs), make([]float32, hidden)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for i := range n.Weights {
		n.Weights[i] = float32(r.NormFloat64())
	}
	n.Output(0, x, active)
	gradient := make([]float32, len(n.Weights))
	addGradient(n.Weights, gradient, x, active, 2, inputs)
	for i := range n.Weights {
		const step = 1e-2
		old := n.Weights[i]
		n.Weights[i] = old + step
		up := n.Output(0, x, nil)
		n.Weights[i] = old - step
		down := n.Output(0, x, nil)
		n.Weights[i] = old
		if want := float64(up-down) / step; math.Abs(float64(gradient[i])-want) > 1e-2*(1+math.Abs(want)) {
			t.Errorf("weight %d: %g, want %g", i, gradient[i], want)
		}
	}
}

// A network learns a level that is written in its inputs, and the same network comes out each time.
func TestFitLearns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var samples []sample
	for range 400 {
		best := 2 + 4*r.Float64()
		c := curve{}
		for sigma := 1.0; sigma < 20; sigma *= 1.3 {
			c.Sigma = append(c.Sigma, sigma)
			c.MSE = append(c.MSE, 10*math.Exp(2*math.Pow(math.Log(sigma/best), 2)))
		}
		samples = append(samples, sample{kind: "real", inputs: [][]float64{{math.Log(best) + 0.05*r.NormFloat64(), r.NormFloat64()}}, loss: newLoss(c), weight: 1})
	}
	p := plan{hidden: 4, members: 2, epochs: 60, seen: 1, rate: 1e-2, decay: 1e-3, jitter: 0.05}
	n := p.fit(samples)
	lost := 0.0
	for _, s := range samples {
		x, _ := n.Predict(s.inputs[0])
		value, _ := s.loss.at(x)
		lost += value / float64(len(samples))
	}
	if lost > 0.1 {
		t.Errorf("%g dB lost on average", lost)
	}
	for i, w := range p.fit(samples).Weights {
		if w != n.Weights[i] {
			t.Fatal("a second fit gives another network")
		}
	}
}

func TestCurvesSurviveACutLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "curves")
	for _, name := range []string{"a", "b"} {
		if err := appendCurve(file, curve{Name: name, Sigma: []float64{0, 1}, MSE: []float64{2, 1}}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b[:len(b)-5], 0o666); err != nil {
		t.Fatal(err)
	}
	curves, err := readCurves(file)
	if err != nil || len(curves) != 1 || curves["a"].MSE[1] != 1 {
		t.Errorf("%v, error %v", curves, err)
	}
	if err := appendCurve(file, curve{Name: "c", Sigma: []float64{0}, MSE: []float64{2}}); err != nil {
		t.Fatal(err)
	}
	if curves, err = readCurves(file); err != nil || len(curves) != 2 {
		t.Errorf("%d curves after another was added, error %v", len(curves), err)
	}
}

// A member that was trained on some of the inputs gives the same with all of them.
func TestSpreadOutKeepsTheMember(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const inputs, hidden = 6, 3
	list := []int{1, 2, 5}
	some := plan{hidden: hidden}.begin(len(list), r)
	all := &level.Network{Inputs: inputs, Hidden: hidden, Members: 1, Weights: make([]float32, level.MemberSize(inputs, hidden))}
	spreadOut(all.Weights, some.Weights, list, inputs, hidden)
	x, few := make([]float32, inputs), make([]float32, len(list))
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for k, i := range list {
		few[k] = x[i]
	}
	if a, b := some.Output(0, few, nil), all.Output(0, x, nil); math.Abs(float64(a-b)) > 1e-5 {
		t.Errorf("%g from some inputs, %g from all", a, b)
	}
}
