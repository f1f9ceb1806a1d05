package stage

import (
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel/scan"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const (
	// ownMembers is how many members of a group its own page has if there are enough in others. Patches of one page
	// overlap and share their noise, so they look nearer than they are, and tell less.
	ownMembers = 2
	// pageMembers is how many members another page has at most.
	pageMembers = 3
	// memberJump is what is added to the squared distance of a patch, in variances of the noise, for each square sample
	// away from where the block seems to have moved. Else patches are taken whose noise happens to look alike.
	memberJump = 0.05
	// nearReach is how far around the places that a block may have moved to patches are searched, in samples.
	nearReach = 3
	// maxPlaces is how many such places a block has in a page.
	maxPlaces = 4
	// A patch of another page is taken if its squared distance for each sample is below sameDistance, in variances of
	// the noise, or below that of the last of the page's own group. So pages that show something else hardly take part.
	sameDistance = 0.1
	// The motion of a block is searched on planes that are reduced by quarterSide, up to motionReach of their samples
	// away from where it went on the page between.
	quarterSide, motionReach = 4, 8
)

// crossing forms the groups of a ring's reference pages.
type crossing struct {
	ring    *ring
	workers []*crosser
	found   patchify.Groups
}

// groups returns the groups of a page. Without neighbours, they are those of its own patches.
func (c *crossing) groups(v *visit) (*patchify.Groups, error) {
	r := c.ring
	c.found.Count = GroupSize
	c.found.Corners = append(c.found.Corners[:0], v.groups.Corners...)
	base := r.base(v.number)
	for i := range c.found.Corners {
		c.found.Corners[i] += base
	}
	v.own, v.alone = 1, !r.hasNeighbours(v.number)
	if v.alone {
		return &c.found, nil
	}
	for len(c.workers) < parallel.Workers(v.o.Workers) {
		c.workers = append(c.workers, newCrosser(&r.field, pageMembers, memberJump))
	}
	bands := v.grid.Strips()
	taken := make([]int, len(bands)) // members of other pages
	err := parallel.For(v.ctx, len(c.workers), len(bands), func(worker, i int) {
		taken[i] = c.workers[worker].band(v, bands[i], c.found.Corners[bands[i].From*GroupSize:])
	})
	sum := 0
	for _, n := range taken {
		sum += n
	}
	v.own = 1 - float32(sum)/float32((GroupSize-ownMembers)*v.grid.Len())
	return &c.found, err
}

// crosser is the memory of one worker.
type crosser struct {
	field  *field
	base   int32   // of the page
	jump   float32 // see meanJump
	fine   *scan.Across
	coarse *scan.Across
	xs, ys []int
	others [][]candidate // for each reference of the block
	places []offset      // where the block may have moved to
	seen   map[offset]bool
	votes  []vote
}

// candidate is a patch of another page.
type candidate struct {
	distance float32
	corner   int32
}

type offset struct{ x, y int }

type vote struct {
	offset
	count int
}

func newCrosser(f *field, members int, jump float32) *crosser {
	return &crosser{field: f, jump: jump, fine: scan.NewAcross(nonLocalPatch, members, nearReach),
		coarse: scan.NewAcross(nonLocalPatch, 1, motionReach), seen: map[offset]bool{}}
}

// band completes the groups of a band, and returns how many members other pages have.
func (c *crosser) band(v *visit, b patchify.Band, groups []int32) (taken int) {
	columns := len(b.Grid.Xs)
	c.blocks(v.number, b.Grid, func(column, row int, others []candidate) {
		taken += c.complete(groups[(row*columns+column)*GroupSize:][:GroupSize], others)
	})
	return taken
}

// blocks finds patches of other pages for the references of a band.
func (c *crosser) blocks(number int, g patchify.Grid, found func(column, row int, others []candidate)) {
	span := patchify.Alignment(g.Stride)
	y0 := g.Ys[0] / span * span
	c.ys = c.ys[:0]
	for _, y := range g.Ys {
		c.ys = append(c.ys, y-y0)
	}
	for from := 0; from < len(g.Xs); {
		x0 := g.Xs[from] / span * span
		c.xs = c.xs[:0]
		for _, x := range g.Xs[from:] {
			if x >= x0+span {
				break
			}
			c.xs = append(c.xs, x-x0)
		}
		c.block(number, x0, y0)
		for i, others := range c.others {
			found(from+i%len(c.xs), i/len(c.xs), others)
		}
		from += len(c.xs)
	}
}

// block finds patches of other pages for the references of a block of a page.
func (c *crosser) block(number, x0, y0 int) {
	r := c.field
	c.base = r.base(number)
	c.others = slices.Grow(c.others[:0], len(c.xs)*len(c.ys))[:len(c.xs)*len(c.ys)]
	for i := range c.others {
		c.others[i] = c.others[i][:0]
	}
	page := scanPlane(r.slot(r.matching, number))
	c.fine.Open(page, x0, y0, c.xs, c.ys)
	coarse := r.reduced(number)
	cx, cy := min(x0/quarterSide, coarse.Width-nonLocalPatch), min(y0/quarterSide, coarse.Height-nonLocalPatch)
	moves := cx >= 0 && cy >= 0
	used := append(make([]int, 0, 2*r.stack.reach+1), number)
	if moves {
		c.coarse.Open(coarse, cx, cy, []int{0}, []int{0})
	}
	for _, direction := range [2]int{-1, 1} {
		motion := offset{}
		c.places = append(c.places[:0], motion)
		for away := 1; away <= r.stack.reach; away++ {
			other := number + direction*away
			if r.visit(other) == nil || !r.related(number, other) ||
				slices.ContainsFunc(used, func(p int) bool { return r.areCopies(p, other) }) {
				continue
			}
			used = append(used, other)
			if moves {
				motion = c.motion(other, motion)
				c.place(offset{quarterSide * motion.x, quarterSide * motion.y})
			}
			c.search(other)
		}
	}
}

// motion returns where the block is in another page, in samples of the reduced planes, given where it is in a page
// between.
func (c *crosser) motion(number int, from offset) offset {
	r := c.field
	c.coarse.Begin(0)
	p := r.reduced(number)
	c.coarse.Against(p, from.x, from.y)
	for _, o := range motionOffsets {
		c.coarse.Scan(o.x, o.y, 0)
	}
	best := c.coarse.List(0)
	if best[0] < 0 {
		return from
	}
	x, y := c.coarse.Offset(0, best[0])
	return offset{x, y}
}

// motionOffsets and nearOffsets are offsets from a place, near ones first.
var motionOffsets, nearOffsets = offsetsWithin(motionReach), offsetsWithin(nearReach)

func offsetsWithin(reach int) (all []offset) {
	for y := -reach; y <= reach; y++ {
		for x := -reach; x <= reach; x++ {
			all = append(all, offset{x, y})
		}
	}
	slices.SortStableFunc(all, func(a, b offset) int { return a.x*a.x + a.y*a.y - b.x*b.x - b.y*b.y })
	return all
}

// place adds a place unless one like it is there.
func (c *crosser) place(o offset) {
	for _, p := range c.places {
		if max(p.x-o.x, o.x-p.x, p.y-o.y, o.y-p.y) <= 1 {
			return
		}
	}
	c.places = append(c.places, o)
}

// search looks for patches of a page around the places of the block, and sets the places to where most references were
// found.
func (c *crosser) search(number int) {
	r := c.field
	p := scanPlane(r.slot(r.matching, number))
	c.fine.Begin(r.base(number))
	clear(c.seen)
	for _, at := range c.places {
		c.fine.Against(p, at.x, at.y)
		for _, o := range nearOffsets {
			if to := (offset{at.x + o.x, at.y + o.y}); !c.seen[to] {
				c.seen[to] = true
				c.fine.Scan(o.x, o.y, c.jump*float32(o.x*o.x+o.y*o.y))
			}
		}
	}
	c.votes = c.votes[:0]
	for i := range c.others {
		corners := c.fine.List(i)
		for _, corner := range corners {
			if corner < 0 {
				break
			}
			d := distance(r.matching, c.base+c.fine.Corner(i), corner) // without the penalty
			c.others[i] = append(c.others[i], candidate{d, corner})
		}
		if corners[0] >= 0 {
			x, y := c.fine.Offset(i, corners[0])
			c.vote(offset{x, y})
		}
	}
	slices.SortStableFunc(c.votes, func(a, b vote) int { return b.count - a.count })
	c.places = c.places[:0]
	for _, v := range c.votes {
		if c.place(v.offset); len(c.places) == maxPlaces-1 {
			break
		}
	}
}

func (c *crosser) vote(o offset) {
	for i := range c.votes {
		if c.votes[i].offset == o {
			c.votes[i].count++
			return
		}
	}
	c.votes = append(c.votes, vote{o, 1})
}

// complete puts patches of other pages into the group of a reference in place of its own, and returns how many.
func (c *crosser) complete(group []int32, others []candidate) (taken int) {
	r := c.field
	limit := max(sameDistance*nonLocalPatch*nonLocalPatch, distance(r.matching, group[0], group[GroupSize-1]))
	others = slices.DeleteFunc(others, func(o candidate) bool { return !(o.distance <= limit) })
	slices.SortFunc(others, func(a, b candidate) int {
		switch {
		case a.distance != b.distance && a.distance < b.distance, a.distance == b.distance && a.corner < b.corner:
			return -1
		}
		return 1
	})
	taken = min(len(others), GroupSize-ownMembers)
	var own [GroupSize]int32
	copy(own[:], group)
	for i, o := range others[:taken] {
		group[ownMembers+i] = o.corner
	}
	copy(group[ownMembers+taken:], own[ownMembers:])
	return taken
}

// distance returns the squared distance of two patches of a plane.
func distance(p patchify.Plane, a, b int32) float32 {
	return scanDistance(scanPlane(p), scanPlane(p), a, b)
}

// scanDistance returns the squared distance of patches of two planes of the same width.
func scanDistance(p, q scan.Plane, a, b int32) (sum float32) {
	for y := range nonLocalPatch {
		u, v := p.Pix[int(a)+y*p.Width:][:nonLocalPatch], q.Pix[int(b)+y*p.Width:][:nonLocalPatch]
		for i, s := range u {
			d := s - v[i]
			sum += d * d
		}
	}
	return sum
}

func scanPlane(p patchify.Plane) scan.Plane {
	return scan.Plane{Width: p.Width, Height: p.Height, Pix: p.Pix}
}
