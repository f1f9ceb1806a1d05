// Package guided denoises each DCT coefficient of a patch by solving a small convex problem. A network computes the
// bounds of the problem from the neighbourhood.
//
// For the noisy coefficient y of a patch and the coefficient p of its pilot, in the basis of the discrete cosine
// transform, a problem is
//
//	min_z 1/2 (z - y)^2 + d |z| + k/2 (z - p)^2
//
// It is the lower-level problem of the BLORC paper with weights, and with a second term that pulls to the pilot. For
// given d and k it is strictly convex and has a solution in closed form, and so have its derivatives. The network sees
// the magnitudes of all coefficients of the patch and of its neighbours, and those of other planes of the image
// (guides). M. Pourya, S. Neumayer, M. Unser, "Iteratively refined image reconstruction with learned attentive
// regularizers", 2024, take weights from a network as well.
//
// A network with predictions (see predictor) moves the pilot by q = sum_j a_j (g_j - p), where g_j is the coefficient
// of prediction j: the last term is then k/2 (z - p - q)^2. So a_j is the share of the prediction in the mixture that
// takes the place of the pilot.
//
// Coefficients are in units of the noise's standard deviation.
package guided

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/convnet"
	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// PatchSide is the side of a patch in samples, and Coefs the number of its coefficients.
const (
	PatchSide = 8
	Coefs     = PatchSide * PatchSide
)

// Shape is how large a network is, and what it sees.
type Shape struct {
	Guides      int // planes that it sees besides the noisy one and the pilot
	Predictions int // see predictor; at most MaxPredictions, and none unless there are PredictionGuides
	Hidden      int // channels of the layers
	Deep        int // layers that see the neighbours
}

// Network is the parameters.
type Network struct {
	Guides      int // number of planes that it sees besides the noisy one and the pilot
	Predictions int // number of predictions that it sees
	Net         convnet.Net
	// Skip are factors, 6 x Coefs: each problem's threshold, and then its pull, are outputs of the network plus these
	// factors times the logarithms of p, y-p and y of the coefficient itself.
	Skip []float32
}

// outputs returns the number of outputs of a network: a threshold and a pull for each coefficient, and the share of
// each prediction.
func outputs(predictions int) int { return (2 + predictions) * Coefs }

// inputs returns the number of inputs of a network: the logarithms of p, y-p, y and the guides, for each prediction g
// those of g-p and y-g, and the level.
func inputs(guides, predictions int) int {
	n := (3+guides+2*predictions)*Coefs + 1
	return (n + convnet.ChannelBlock - 1) / convnet.ChannelBlock * convnet.ChannelBlock
}

// New returns a random network to start training from. It has a layer of hidden units for each patch and deep layers
// that see the neighbours. Its thresholds are low, and it goes half of the way to the pilot.
func New(s Shape, rng *rand.Rand) *Network {
	net := convnet.New(inputs(s.Guides, s.Predictions), s.Hidden, s.Deep, outputs(s.Predictions), rng)
	n := &Network{s.Guides, s.Predictions, net, make([]float32, 6*Coefs)}
	last := n.Net[len(n.Net)-1]
	for k := range Coefs {
		last.Bias[k] = -4
	}
	return n
}

// moves reports whether the network moves the pilot.
func (n *Network) moves() bool { return n.Predictions > 0 }

// SameShape reports whether two networks have parameters of the same shapes.
func (n *Network) SameShape(m *Network) bool {
	return n.Guides == m.Guides && n.Predictions == m.Predictions &&
		slices.EqualFunc(n.Net, m.Net, func(a, b convnet.Layer) bool {
			return a.In == b.In && a.Out == b.Out &&
				a.Side == b.Side
		})
}

// Check returns an error unless the parts fit together.
func (n *Network) Check() error {
	if err := n.Net.Check(); err != nil {
		return err
	}
	first, last := n.Net[0], n.Net[len(n.Net)-1]
	if n.Predictions < 0 || n.Predictions > MaxPredictions || n.Predictions > 0 && n.Guides != PredictionGuides {
		return errors.New("a network with the wrong number of predictions")
	}
	if n.Guides < 0 || first.In != inputs(n.Guides, n.Predictions) || last.Out != outputs(n.Predictions) ||
		len(n.Skip) != 6*Coefs {
		return errors.New("a network of the wrong size")
	}
	if len(n.Net) < 2 || first.Side != 1 || last.Side != 1 {
		return errors.New("the first and the last layer of a network must see one patch")
	}
	for _, l := range n.Net[1 : len(n.Net)-1] {
		if l.Side != 3 {
			return errors.New("the layers of a network between the first and the last must see the neighbours")
		}
	}
	return nil
}

// solvePanel writes the solutions for a panel of patches to z. Out holds the outputs of the network, and d the
// predictions less the pilot. A network that moves the pilot needs the features f, and changes out and p.
func (n *Network) solvePanel(z, out, y, p, f []float32, d [][]float32) {
	skip := n.Skip
	if n.moves() { // Skip is for the logarithms of the pilot before it is moved
		n.addSkip(out, f)
		skip = noSkip[:]
		n.movePilot(p, out, d)
	}
	kernel.Solve(z, out[:panelLen], out[panelLen:2*panelLen], y, p, skip, most[:])
}

// movePilot adds to the pilot how far the outputs of the network say that it is moved.
func (n *Network) movePilot(p, out []float32, d [][]float32) {
	rest := out[2*panelLen:]
	for j, difference := range d {
		for i, share := range rest[j*panelLen:][:panelLen] {
			p[i] += share * difference[i]
		}
	}
}

// addSkip adds to the outputs for thresholds and pulls what kernel.Solve would add.
func (n *Network) addSkip(out, f []float32) {
	var threshold, pull [kernel.Lanes]float32
	for k := range Coefs {
		n.problem(&threshold, &pull, out, f, k)
		copy(out[k*kernel.Lanes:], threshold[:])
		copy(out[(Coefs+k)*kernel.Lanes:], pull[:])
	}
}

// noSkip is for outputs that Skip has been added to.
var noSkip [6 * Coefs]float32

// most is the largest thresholds: the mean of a patch is not pulled to zero.
var most = func() (m [Coefs]float32) {
	for k := range m[1:] {
		m[1+k] = float32(math.Inf(1))
	}
	return m
}()

// skips returns the factors for the threshold and the pull of coefficient k.
func (n *Network) skips(k int) (threshold, pull [3]float32) {
	for j := range 3 {
		threshold[j], pull[j] = n.Skip[j*Coefs+k], n.Skip[(3+j)*Coefs+k]
	}
	return threshold, pull
}

// problem writes for all lanes the threshold of coefficient k before it is made positive, and its pull to the pilot
// before it is limited to 0..1. F holds the features.
func (n *Network) problem(threshold, pull *[kernel.Lanes]float32, out, f []float32, k int) {
	const lanes = kernel.Lanes
	row := func(v []float32, k int) *[lanes]float32 { return (*[lanes]float32)(v[k*lanes:]) }
	fp, fr, fy := row(f, k), row(f, Coefs+k), row(f, 2*Coefs+k)
	combine := func(dst, out *[lanes]float32, s [3]float32) {
		for i := range dst {
			dst[i] = out[i] + s[0]*fp[i] + s[1]*fr[i] + s[2]*fy[i]
		}
	}
	t, a := n.skips(k)
	combine(threshold, row(out, k), t)
	combine(pull, row(out, Coefs+k), a)
}
