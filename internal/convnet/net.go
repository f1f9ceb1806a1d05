// Package convnet runs and differentiates small convolutional networks on grids.
//
// A network is a list of layers. Layer l computes
//
//	out = relu(W * in + b)
//
// where * is a convolution with Side x Side taps and zeros outside the grid. The last layer has no relu. Networks have
// no other parts, so the gradient is a sum of products of matrices.
package convnet

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// Layer is a convolution. All counts of channels are multiples of ChannelBlock; pad with zeros.
type Layer struct {
	In, Out int
	Side    int // 1 or 3
	// Out x (Side*Side*In): for each output the taps from top left to bottom right, each with In values
	Weights []float32
	Bias    []float32 // Out
}

// ChannelBlock divides the number of channels of every layer.
const ChannelBlock = kernel.BlockSide

// taps returns the number of columns of the matrix of weights.
func (l Layer) taps() int { return l.Side * l.Side * l.In }

// Net is the layers from the first to the last.
type Net []Layer

// New returns a network of the given shape with random weights: the first layer and the last have one tap, the others 3
// x 3. The last layer starts a tenth as strong as the others.
func New(in, hidden, deep, out int, rng *rand.Rand) Net {
	widths, sides := []int{in, hidden}, []int{1}
	for range deep {
		widths, sides = append(widths, hidden), append(sides, 3)
	}
	widths, sides = append(widths, out), append(sides, 1)
	var n Net
	for i, side := range sides {
		l := Layer{In: widths[i], Out: widths[i+1], Side: side}
		l.Weights, l.Bias = make([]float32, l.Out*l.taps()), make([]float32, l.Out)
		spread := math.Sqrt(2 / float64(l.taps()))
		if i == len(sides)-1 {
			spread /= 10
		}
		for j := range l.Weights {
			l.Weights[j] = float32(spread * rng.NormFloat64())
		}
		n = append(n, l)
	}
	return n
}

// Check returns an error unless the layers fit together.
func (n Net) Check() error {
	if len(n) == 0 {
		return fmt.Errorf("a network without layers")
	}
	for i, l := range n {
		switch {
		case l.Side != 1 && l.Side != 3:
			return fmt.Errorf("layer %d has %d x %d taps", i, l.Side, l.Side)
		case l.In < 1 || l.Out < 1 || l.In%ChannelBlock != 0 || l.Out%ChannelBlock != 0:
			return fmt.Errorf("layer %d has %d and %d channels, not multiples of %d", i, l.In, l.Out, ChannelBlock)
		case len(l.Weights) != l.Out*l.taps() || len(l.Bias) != l.Out:
			return fmt.Errorf("layer %d has %d weights and %d biases", i, len(l.Weights), len(l.Bias))
		case i > 0 && l.In != n[i-1].Out:
			return fmt.Errorf("layer %d takes %d channels of %d", i, l.In, n[i-1].Out)
		}
	}
	return nil
}

// Reach returns how many cells of the grid away an input changes an output.
func (n Net) Reach() (r int) {
	for _, l := range n {
		r += l.Side / 2
	}
	return r
}

// widest returns the most channels that a layer takes.
func (n Net) widest() (c int) {
	for _, l := range n {
		c = max(c, l.In)
	}
	return c
}
