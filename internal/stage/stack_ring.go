package stage

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/series"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Beside is another plane of a page, such as one of its colours. The passes replace its pilot by their result.
type Beside struct {
	Passes       []*NonLocal // that denoise it
	Noisy, Pilot patchify.Plane
}

// ring is a pass of all pages.
type ring struct {
	field
	planes   []tallPlane // the plane whose patches are compared, and those beside it
	crossing *crossing
	sums     []stackSums // of workers
}

// tallPlane is one plane of all slots, in units of its noise.
type tallPlane struct{ noisy, pilot, numerator, denominator patchify.Plane }

func newRing(s *Stack, at passAt, in Input) *ring {
	r := &ring{field: newField(s, at, in.Noisy.Width, in.Noisy.Height)}
	for range 1 + len(in.Beside) {
		r.planes = append(r.planes, tallPlane{r.tall(), r.tall(), r.tall(), r.tall()})
	}
	r.crossing = &crossing{ring: r}
	return r
}

// arrive takes the planes of a page, and finds the groups of its own patches.
func (r *ring) arrive(ctx context.Context, number int, l *NonLocal, in Input, o Options) (*visit, error) {
	g, err := l.grid(in.Noisy, o)
	if err != nil {
		return nil, err
	}
	v := &visit{ctx: ctx, passes: []*NonLocal{l}, o: o, grid: g}
	if err := r.enter(v, number); err != nil {
		return nil, err
	}
	r.put(0, number, in.Noisy, in.Pilot)
	for i, b := range in.Beside {
		v.passes = append(v.passes, b.Passes[r.at.pass])
		r.put(1+i, number, b.Noisy, b.Pilot)
	}
	matching := r.slot(r.matching, number)
	copy(matching.Pix, MatchingPlane(matching, in, l.Residual).Pix)
	if v.groups, err = in.matches.groups(ctx, l, g, func() patchify.Plane { return matching }, o); err != nil {
		return nil, err
	}
	pilots := []patchify.Plane{in.Pilot}
	for _, b := range in.Beside {
		pilots = append(pilots, b.Pilot)
	}
	r.level(v, pilots, r.brighten)
	r.compare(v, in.Noisy, in.Pilot)
	return v, nil
}

// brighten changes the planes of a page.
func (r *ring) brighten(number int, levels []series.Level) {
	for i, p := range r.planes {
		l := levels[i]
		if l == series.Same {
			continue
		}
		l.Apply(r.slot(p.noisy, number).Pix)
		l.Apply(r.slot(p.pilot, number).Pix)
		sum := r.slot(p.numerator, number).Pix
		for j, w := range r.slot(p.denominator, number).Pix {
			sum[j] = l.Gain*sum[j] + l.Offset*w
		}
	}
}

func (r *ring) put(plane, number int, noisy, pilot patchify.Plane) {
	p := r.planes[plane]
	copy(r.slot(p.noisy, number).Pix, noisy.Pix)
	copy(r.slot(p.pilot, number).Pix, pilot.Pix)
	clear(r.slot(p.numerator, number).Pix)
	clear(r.slot(p.denominator, number).Pix)
}

// done reports whether all groups that a page may have members in are denoised.
func (r *ring) done(number int) bool {
	for q := max(r.reference, number-r.stack.reach); q <= number+r.stack.reach; q++ {
		if r.visit(q) != nil || r.stack.mayCome(q, r.at) {
			return false
		}
	}
	return true
}

// next denoises the groups of the reference page and adds them to the sums of all pages.
func (r *ring) next() error {
	v := r.visit(r.reference)
	r.likeReference(r.brighten)
	groups, err := r.crossing.groups(v)
	if err != nil {
		return err
	}
	for i, l := range v.passes {
		if v.alone && i > 0 {
			break
		}
		if err := r.denoise(v, i, l, groups); err != nil {
			return err
		}
	}
	r.reference++
	return nil
}

// denoise is NonLocal.Denoise for a plane of a reference page.
func (r *ring) denoise(v *visit, plane int, l *NonLocal, groups *patchify.Groups) error {
	scratch, done := l.scratchFor(v.o.Workers)
	defer done()
	for len(r.sums) < len(scratch) {
		r.sums = append(r.sums, newStackSums(&r.field))
	}
	p := r.planes[plane]
	in := Input{Noisy: p.noisy, Pilot: p.pilot}
	bands := v.grid.Strips()
	return parallel.InOrder(v.ctx, len(scratch), len(bands), func(worker, i int) {
		b, s, sums := bands[i], scratch[worker], &r.sums[worker]
		s.groups, s.from = groups, b.From
		count := b.Grid.Len()
		sums.reset(groups.Corners[b.From*groups.Count:][:count*groups.Count])
		l.denoiseBand(s, in, count, patchSums{sums.numerator, sums.denominator, sums.pitch, sums.index})
	}, func(worker, i int) {
		r.sums[worker].addTo(p.numerator.Pix, p.denominator.Pix)
		v.o.Progress.add(groupCost * float64(bands[i].Grid.Len()))
	})
}

// take writes the results of a page to dst and to the pilots beside it, and its noisy samples to where they were. It
// returns the share of own members. Beside a page without neighbours, pilots are what they were.
func (r *ring) take(v *visit, dst patchify.Plane, in Input) float32 {
	for i, p := range r.planes {
		noisy := in.Noisy
		if i > 0 {
			noisy, dst = in.Beside[i-1].Noisy, in.Beside[i-1].Pilot
		}
		back := v.levels[i].Inverse()
		copy(noisy.Pix, r.slot(p.noisy, v.number).Pix)
		back.Apply(noisy.Pix)
		if v.alone && i > 0 {
			copy(dst.Pix, r.slot(p.pilot, v.number).Pix)
			back.Apply(dst.Pix)
			continue
		}
		sum, weight := r.slot(p.numerator, v.number).Pix, r.slot(p.denominator, v.number).Pix
		for j, w := range weight {
			dst.Pix[j] = 0
			if w > 0 {
				dst.Pix[j] = sum[j] / w
			}
		}
		back.Apply(dst.Pix)
	}
	v.taken = true
	return v.own
}
