package patchify

import (
	"context"
	"math"
)

// MaxWindow is the largest Window of a Matching.
const MaxWindow = 1 << 12

// Validate returns an error unless the corners are in ascending order and not negative, and the sizes are in their
// ranges. Grids of NewGrid and NewGridAt are valid.
func (g Grid) Validate() error {
	if err := checkSizes(g.PatchSize, g.Stride); err != nil {
		return err
	}
	for _, corners := range [][]int{g.Xs, g.Ys} {
		if len(corners) == 0 {
			return badArgument("grid without patches")
		}
		last := -1
		for _, c := range corners {
			if c <= last || c > math.MaxInt32 {
				return badArgument("patch at %d after one at %d", c, last)
			}
			last = c
		}
	}
	return nil
}

// checkSizes returns an error unless the side of patches and the stride are in their ranges.
func checkSizes(patchSize, stride int) error {
	switch {
	case patchSize < 1 || patchSize > MaxPatchSize:
		return badArgument("patch size %d is not in 1..%d", patchSize, MaxPatchSize)
	case stride < 1 || stride > patchSize:
		return badArgument("stride %d is not in 1..%d", stride, patchSize)
	}
	return nil
}

// check returns an error unless the grid and the plane are valid and the grid ends at the edges of the plane.
func (g Grid) check(p Plane) error {
	if err := g.Validate(); err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return err
	}
	if w, h := g.width(), g.Ys[len(g.Ys)-1]+g.PatchSize; w != p.Width || h != p.Height {
		return badArgument("grid of %d x %d samples on a plane of %d x %d", w, h, p.Width, p.Height)
	}
	return nil
}

// checkCall is check with the other arguments of a call that aggregates.
func (g Grid) checkCall(ctx context.Context, p Plane, noWork bool) error {
	if ctx == nil || noWork {
		return badArgument("no context or no work")
	}
	return g.check(p)
}

// Validate returns an error unless all fields are in their ranges.
func (m Matching) Validate() error {
	switch {
	case m.PatchSize < 1 || m.PatchSize > MaxPatchSize:
		return badArgument("patch size %d is not in 1..%d", m.PatchSize, MaxPatchSize)
	case m.Count < 1 || m.Count > math.MaxInt16:
		return badArgument("%d patches in a group", m.Count)
	case m.Window < 0 || m.Window > MaxWindow:
		return badArgument("window %d is not in 0..%d", m.Window, MaxWindow)
	case m.CoarseOffsets < 0:
		return badArgument("%d offsets of the coarse search", m.CoarseOffsets)
	}
	return nil
}

// check returns an error unless the matching, the plane and the grid are valid and fit. Corners must fit in an int32.
func (m Matching) check(p Plane, g Grid) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if err := g.check(p); err != nil {
		return err
	}
	switch {
	case g.PatchSize != m.PatchSize:
		return badArgument("grid of patches of size %d for patches of size %d", g.PatchSize, m.PatchSize)
	case len(p.Pix) > math.MaxInt32:
		return badArgument("plane of %d x %d samples is too large to match patches", p.Width, p.Height)
	}
	return nil
}
