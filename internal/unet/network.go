// Package unet runs a bias-free residual U-Net on planes of samples: the network of K. Zhang et al., "Plug-and-play
// image restoration with deep denoiser prior", 2021, without biases as in S. Mohan et al., "Robust and interpretable
// blind image denoising via bias-free convolutional neural networks", 2020.
//
// A network takes P planes and the level of the noise, which it gets as one more channel. It sees 2 x 2 samples as 4
// channels of one cell. Level 0 has half the size of the image, and each level half the size of the one before. On the
// way down, the network computes the blocks of a level and then goes to the next; on the way up, it adds what it finds
// to what the level had. What comes out is added to the image. As there are no biases, samples and level that are
// scaled together give a scaled result.
//
// Convolutions with 3 x 3 taps are computed in tiles of 4 x 4 cells by package kernel, those with 2 x 2 taps as
// products of matrices. All products are of integers, and results are the same bytes on all instruction sets.
package unet

import (
	"sync/atomic"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// Network is a network that is ready to run. Goroutines may share it.
type Network struct {
	planes     int
	head, tail *convolution
	levels     []level
	runs       *atomic.Int64 // calls of DenoiseUneven
	tile       int           // side of the part of an image that is computed at a time, in samples without margins
}

// level is what a network does at one size.
type level struct {
	channels int
	down     []block           // on the way down; of the last level, all
	up       []block           // on the way up; the last level has none
	next     *kernel.IntMatrix // from 2 x 2 cells of this level to one of the next; the last level has none
	back     *kernel.IntMatrix // from a cell of the next level to 2 x 2 of this one; the last level has none
}

// block is two convolutions: x = x + second(max(first(x), 0)).
type block struct{ first, second *convolution }

// inputs returns the number of channels that the network gets: 4 for each plane, and the level of the noise.
func (n *Network) inputs() int { return 4*n.planes + 1 }

// layers returns the number of layers. Those of all levels take about as long, as lower levels have fewer cells and
// more channels.
func (n *Network) layers() int {
	count := 2 + 2*(len(n.levels)-1)
	for _, l := range n.levels {
		count += 2 * (len(l.down) + len(l.up))
	}
	return count
}

// step returns the number of samples, in each direction, that a cell of the last level stands for.
func (n *Network) step() int { return 1 << len(n.levels) }
