package noisecurve

import (
	"cmp"
	"math"
	"slices"
)

// Curve returns the noise of plane i over brightness, or of all planes together if i is negative. The smoother half of
// the blocks of each brightness counts: there, shots that lie a little beside each other do no harm.
func (r *Repeats) Curve(i int) Curve {
	planes := r.planes
	if i >= 0 {
		planes = planes[i : i+1]
	}
	c := Curve{Low: math.Inf(1), High: math.Inf(-1)}
	var all []repeated
	for _, p := range planes {
		c.Low = min(c.Low, p.low)
		c.Step = p.step
		all = append(all, p.blocks...)
	}
	if len(all) == 0 {
		return Curve{}
	}
	noisy := noisyLevels(all)
	blocks := make([]block, len(all))
	for i, b := range all {
		blocks[i] = b.block
		blocks[i].order = int32(i)
		if noisy {
			blocks[i].mean = b.around
		}
		c.High = max(c.High, b.mean)
	}
	blocks = slices.DeleteFunc(blocks, func(b block) bool { return b.mean-b.mean != 0 })
	if len(blocks) == 0 {
		return Curve{}
	}
	bins := split(blocks)
	for i := range blocks {
		blocks[i].mean = all[blocks[i].order].mean
	}
	for _, members := range bins {
		p, used := repeatedPoint(blocks, members, all)
		if p.Variance > 0 {
			c.Points = append(c.Points, p)
			c.Dots = append(c.Dots, dots(blocks, used, 0)...)
		}
	}
	sum, n := 0.0, 0.0
	for _, p := range c.Points {
		sum += p.Variance * float64(p.Used)
		n += float64(p.Used)
	}
	c.Even = Even{sum / max(1, n), sum / max(1, n)}
	return c
}

// noisyLevels reports whether the levels of blocks have much noise. Blocks that are sorted by them would then seem
// brighter at the bright end than they are, and darker at the dark end; they are sorted by their neighbours instead.
func noisyLevels(all []repeated) bool {
	const most = 0.01 // share of noise in the variance of the levels
	var sum, squares, noise float64
	for _, b := range all {
		sum += b.mean
		squares += b.mean * b.mean
		noise += b.fine / (2 * side * side)
	}
	n := float64(len(all))
	return noise/n > most*(squares/n-sum/n*sum/n)
}

// repeatedPoint returns the point of the smoother half of some blocks, and their places. It sorts the members.
func repeatedPoint(blocks []block, members []int32, all []repeated) (Point, []int32) {
	slices.SortFunc(members, func(i, j int32) int {
		a, b := &blocks[i], &blocks[j]
		return cmp.Or(cmp.Compare(all[a.order].texture, all[b.order].texture), cmp.Compare(a.order, b.order))
	})
	used := members[:(len(members)+1)/2]
	if len(members) < minBin {
		used = members
	}
	var s sums
	for _, at := range used {
		s = s.plus(blocks[at])
	}
	k := float64(len(used))
	p := Point{Level: s.mean / k, Variance: s.fine / k, Coarse: s.coarse / k, Finest: s.finest / k,
		Blocks: len(members), Used: len(used), least: 1}
	scatter := max(s.fineSquared/k-p.Variance*p.Variance, 2.0/fineCount*p.Variance*p.Variance)
	p.Error = math.Sqrt(scatter / k)
	return p, used
}

// Line returns the noise of a curve that comes from differences. These have no texture, so there is no doubt about a
// slope.
func (c Curve) Line() Fit {
	const even = 0.02 // misfit of white noise
	if len(c.Points) == 0 {
		return Fit{}
	}
	c.Points = slices.Clone(c.Points)
	for i := range c.Points { // no signs of texture
		p := &c.Points[i]
		p.Coarse, p.Finest = p.Variance, p.Variance
	}
	white := Fit{Kind: White, Sigma: math.Sqrt(c.Even.Seen)}
	s := fit(c.Points)
	if !s.rises() || c.Misfit(white) < even {
		return white
	}
	return c.photon(s, 1)
}

// Misfit returns how far the curve is from a fit: the root mean square of the logarithm of the ratio of standard
// deviations, without what errors of measurement make.
func (c Curve) Misfit(f Fit) float64 {
	sum, n := 0.0, 0.0
	for _, p := range c.Points {
		v := f.Sigma * f.Sigma
		if f.Kind == Photon {
			v = max(f.Gain*(p.Level-f.Offset)+f.ReadNoise*f.ReadNoise, 0.01*p.Variance)
		}
		d := math.Log(p.Variance/v) / 2
		e := p.Error / p.Variance / 2
		sum += max(0, d*d-e*e) * float64(p.Blocks)
		n += float64(p.Blocks)
	}
	return math.Sqrt(sum / max(1, n))
}

// Apart returns how far the curve is from another, as Misfit does.
func (c Curve) Apart(other Curve) float64 {
	var levels, variances []float64
	for _, p := range other.Points {
		levels, variances = append(levels, p.Level), append(variances, p.Variance)
	}
	sum, n := 0.0, 0.0
	for _, p := range c.Points {
		d := math.Log(p.Variance/Interpolate(levels, variances, p.Level)) / 2
		e := p.Error / p.Variance / 2
		sum += max(0, d*d-e*e) * float64(p.Blocks)
		n += float64(p.Blocks)
	}
	return math.Sqrt(sum / max(1, n))
}
