package unet

import (
	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Memory returns what Network.Memory does for a network with the given numbers of planes and, at each level, of
// channels. It needs no weights.
func Memory(planes int, channels []int, width, height, workers int) int64 {
	n := &Network{planes: planes, tile: tileSide}
	for _, c := range channels {
		n.levels = append(n.levels, level{channels: c})
	}
	return n.Memory(width, height, workers)
}

// Memory returns about how many bytes a call of Denoise allocates. A network with 48, 96, 160 and 192 channels needs
// 170 MB for a part of 1024 x 1024 samples, and 1.4 MB for each worker. To this comes a copy of the rows of the image
// that a row of parts sees.
func (n *Network) Memory(width, height, workers int) int64 {
	if width < 1 || height < 1 {
		return 0
	}
	levels, hidden, rows := n.values(width, height)
	values := hidden + int64(n.planes)*int64(width)*int64(rows)
	for _, n := range levels {
		values += n
	}
	scratch := int64(n.widest()) * (kernel.LargeTileTaps + 1 + 2) * kernel.Lanes // two integers are a value
	return 4 * (values + scratch*int64(parallel.Workers(workers)))
}

// values returns the most values of the grids of all levels and of the hidden grid, and the most rows of the image that
// a part sees.
func (n *Network) values(width, height int) (levels []int64, hidden int64, rows int) {
	x, y := n.largest(width), n.largest(height)
	hidden = gridLen(n.inputs(), x/2, y/2)
	for l, level := range n.levels {
		levels = append(levels, gridLen(level.channels, x>>l/2, y>>l/2))
		hidden = max(hidden, levels[l])
	}
	return levels, hidden, min(y, height)
}

// largest returns the most rows or columns that a part sees, of the given number.
func (n *Network) largest(size int) (most int) {
	for _, s := range n.spans(size) {
		most = max(most, s.end-s.start)
	}
	return most
}

func gridLen(channels, width, height int) int64 {
	return side * side * int64(channels) * int64(tilesOf(channels, width, height).Plane)
}
