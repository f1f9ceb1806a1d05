package train

import (
	"fmt"
	"math"
	"slices"
)

// isFinite reports whether v is neither infinite nor NaN.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// positive reports whether v is a finite number above 0.
func positive(v float64) bool { return v > 0 && !math.IsInf(v, 0) }

// validate checks that recipes can train on the data.
func (d Data) validate() error {
	if !positive(d.Sigma) {
		return fmt.Errorf("%w: sigma %g is not positive", ErrData, d.Sigma)
	}
	if err := checkGroups(d.Groups, PatchSize); err != nil {
		return err
	}
	return checkPairs(d.Validation, PatchSize)
}

// checkGroups checks that there are pairs in each group and that they have at least side x side samples.
func checkGroups(groups [][]Pair, side int) error {
	if len(groups) == 0 {
		return fmt.Errorf("%w: no images", ErrData)
	}
	for _, group := range groups {
		if len(group) == 0 {
			return fmt.Errorf("%w: a group without images", ErrData)
		}
		if err := checkPairs(group, side); err != nil {
			return err
		}
	}
	return nil
}

func checkPairs(pairs []Pair, side int) error {
	for _, p := range pairs {
		c, n := p.Clean, p.Noisy
		switch {
		case c.Width < side || c.Height < side:
			return fmt.Errorf("%w: an image of %d x %d is smaller than a patch", ErrData, c.Width, c.Height)
		case len(c.Pix) != c.Width*c.Height:
			return fmt.Errorf("%w: an image of %d x %d with %d samples", ErrData, c.Width, c.Height, len(c.Pix))
		case n.Pix != nil && (n.Width != c.Width || n.Height != c.Height):
			return fmt.Errorf("%w: a noisy image is %d x %d, its clean one %d x %d", ErrData, n.Width, n.Height,
				c.Width, c.Height)
		case n.Pix != nil && len(n.Pix) != len(c.Pix):
			return fmt.Errorf("%w: a noisy image of %d x %d with %d samples", ErrData, n.Width, n.Height, len(n.Pix))
		case !allFinite(c.Pix) || !allFinite(n.Pix):
			return fmt.Errorf("%w: an image of %d x %d has samples that are no numbers", ErrData, c.Width, c.Height)
		}
	}
	return nil
}

// atLeast returns an error if a setting is less than its minimum.
func atLeast(name string, value, least int) error {
	if value < least {
		return fmt.Errorf("%w: %s is %d, not at least %d", ErrSettings, name, value, least)
	}
	return nil
}

// positiveSetting returns an error if a setting is not a positive number.
func positiveSetting(name string, value float64) error {
	if !positive(value) {
		return fmt.Errorf("%w: %s is %g, not positive", ErrSettings, name, value)
	}
	return nil
}

// finite reports whether all values and their squares are finite.
func finite(values []float64) bool {
	const limit = 1e150
	for _, v := range values {
		if !(math.Abs(v) < limit) {
			return false
		}
	}
	return true
}

// allFinite reports whether no sample is NaN or infinite.
func allFinite(samples []float32) bool {
	return !slices.ContainsFunc(samples, func(v float32) bool { return v-v != 0 })
}
