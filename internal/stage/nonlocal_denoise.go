package stage

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Denoise implements Stage.
func (l *NonLocal) Denoise(ctx context.Context, dst patchify.Plane, in Input, o Options) error {
	g, err := l.grid(in.Noisy, o)
	if err != nil {
		return err
	}
	matches := in.matches
	if matches == nil {
		matches = new(Matches)
	}
	in.matches = matches
	if o.Page != nil && !matches.halved {
		return o.Page.pass(ctx, l, dst, in, o)
	}
	groups, err := matches.groups(ctx, l, g, func() patchify.Plane { return MatchingPlane(dst, in, l.Residual) }, o)
	if err != nil {
		return err
	}
	scratch, done := l.scratchFor(o.Workers)
	defer done()
	return patchify.AggregateGroups(ctx, dst, g, l.Window, o.Workers,
		func(worker int, b patchify.Band, sums *patchify.Scatter) {
			s := scratch[worker]
			s.groups, s.from = groups, b.From
			l.denoiseBand(s, in, b.Grid.Len(), patchSums{sums.Numerator, sums.Denominator, sums.Pitch, sums.Index})
			o.Progress.add(groupCost * float64(b.Grid.Len()))
		})
}

// scratchFor returns the scratch memory of workers, and what gives it back.
func (l *NonLocal) scratchFor(workers int) (scratch []*nonLocalScratch, done func()) {
	l.prepareSolvers()
	for range parallel.Workers(workers) {
		scratch = append(scratch, l.scratch.Get().(*nonLocalScratch))
	}
	return scratch, func() {
		for _, s := range scratch {
			l.scratch.Put(s)
		}
	}
}

// patchSums are sums of weighted patches. Index returns the place of the sample with a corner.
type patchSums struct {
	numerator, denominator []float32
	pitch                  int
	index                  func(corner int32) int32
}

// grid returns the reference patches on a plane.
func (l *NonLocal) grid(p patchify.Plane, o Options) (patchify.Grid, error) {
	step := l.step(o)
	g, err := patchify.NewGridAt(l.offsetAt(step), p.Width, p.Height, l.PatchSize, step)
	if rows := l.rowStep(o); err == nil && rows != step {
		return g.WithRows(l.offsetAt(rows), rows)
	}
	return g, err
}

const (
	panelGroups = solve.Lanes / GroupSize // groups whose columns fill a panel
	chunkGroups = solve.Lanes             // groups whose first columns fill a panel
	chunkPanels = chunkGroups / panelGroups
)

// nonLocalScratch is the scratch memory of one worker.
type nonLocalScratch struct {
	groups        *patchify.Groups
	from          int // number of the band's first group
	clusters      clustering
	first, others *solve.PairPanelScratch
	// number of rows outside the zero sets: for first columns, and for the others of one panel
	free       [2][solve.Lanes]float32
	freeOthers [solve.Lanes]float32 // for each group of a chunk: sum of free[1] over its columns
	means      [solve.Lanes]float32 // of the pilot's first columns
	axes       *groupAxes           // of the groups of a chunk
	sum        patchSum
	rows       []float32        // the patches of a group
	corners    [GroupSize]int32 // the places of its patches in the sums

	// Panels of a chunk. Each group has a block of lanes, which holds its members before rotation and its columns
	// after.
	noisy, pilot [chunkPanels][]float32
	// The blocks of a chunk: groups with structure have the first rich ones, and flat groups those from flat on.
	groupOf    [chunkGroups]int32
	blockOf    [chunkGroups]int // of each group of the chunk, in their order
	rich, flat int
}

func (l *NonLocal) newScratch() *nonLocalScratch {
	const n = nonLocalPatch * nonLocalPatch
	s := &nonLocalScratch{clusters: newClustering(l.PatchSize, len(l.Transforms)/2),
		first: l.solvers[0]().NewScratch(), others: l.solvers[1]().NewScratch(), axes: newGroupAxes(),
		rows: make([]float32, patchPanels*GroupSize*solve.Lanes)}
	for i := range s.noisy {
		m := kernel.NewPanels(n, n)
		s.noisy[i], s.pilot[i] = m[0], m[1]
	}
	return s
}

func (l *NonLocal) denoiseBand(s *nonLocalScratch, in Input, count int, sums patchSums) {
	s.clusters.sort(l.Classifier, count, func(panel []float32, lane, i int) {
		s.sum.write(panel, lane, in.Pilot, s.of(int32(i)), meanScale)
	})
	for c := range len(l.Transforms) / 2 {
		for groups := range s.clusters.chunks(c, chunkGroups) {
			l.denoiseChunk(s, c, in, groups, sums)
		}
	}
}

// of returns the members of group i of the band.
func (s *nonLocalScratch) of(i int32) []int32 {
	return s.groups.Of(s.from + int(i))
}

// meanScale times the sum of the patches of a group is their mean.
const meanScale = 1.0 / GroupSize

// patchSum is memory for the sum of the patches of a group.
type patchSum [nonLocalPatch * nonLocalPatch]float32

// write writes the sum of the patches of a group, times a scale, to a lane of a panel.
func (s *patchSum) write(panel []float32, lane int, p patchify.Plane, members []int32, scale float32) {
	kernel.Group{Corners: members, Stride: p.Width}.Sum(s[:], p.Pix)
	for i, v := range s {
		panel[i*solve.Lanes+lane] = v * scale
	}
}

// denoiseChunk denoises up to chunkGroups groups of a cluster.
func (l *NonLocal) denoiseChunk(s *nonLocalScratch, cluster int, in Input, groups []int32, sums patchSums) {
	s.gatherPilots(in.Pilot, groups)
	s.gatherNoisy(in.Noisy)
	for from := 0; from < s.rich; from += panelGroups {
		s.others.Y, s.others.P = s.noisy[from/panelGroups], s.pilot[from/panelGroups]
		l.solve(2*cluster+1, s.others, &s.free[1], true)
		for b := range min(panelGroups, s.rich-from) {
			s.freeOthers[from+b] = 0
			for _, v := range s.free[1][b*GroupSize+1 : (b+1)*GroupSize] {
				s.freeOthers[from+b] += v
			}
		}
	}
	center(s.means[:], s.first.P, s.first.Y)
	l.solve(2*cluster, s.first, &s.free[0], false)
	addRows(s.first.Y, s.means[:])
	for j, g := range groups { // in their order, so that the rounding of sums does not depend on chunks
		solved, weight := s.patches(s.blockOf[j])
		l.add(s, solved, s.of(g), weight, sums)
	}
}

// gatherNoisy gathers and rotates the noisy patches of groups with structure, and gathers the first columns of all.
func (s *nonLocalScratch) gatherNoisy(p patchify.Plane) {
	s.axes.find(s.rich)
	for i := range s.rich {
		pilot, noisy := block(s.pilot[:], i), block(s.noisy[:], i)
		gather(noisy, s.rows, p, s.of(s.groupOf[i]))
		s.axes.rotate(i, pilot, noisy)
		copyLane(s.first.P, i, pilot)
		copyLane(s.first.Y, i, noisy)
	}
	for i := s.flat; i < chunkGroups; i++ {
		copyLane(s.first.P, i, block(s.pilot[:], i))
		s.sum.write(s.first.Y, i, p, s.of(s.groupOf[i]), firstColumn)
	}
}

// patches turns the solutions of a block into patches, and returns their weight.
func (s *nonLocalScratch) patches(i int) (solved []float32, weight float32) {
	if i < s.flat {
		solved = block(s.noisy[:], i)
		putLane(solved, s.first.Y, i)
		s.axes.rotateBack(i, solved)
		return solved, 1 / (s.freeOthers[i] + s.free[0][i] + AggregationOffset)
	}
	solved = block(s.pilot[:], i)
	putLane(solved, s.first.Y, i)
	s.axes.fromDCT(solved)
	return solved, 1 / (s.free[0][i] + AggregationOffset)
}

// solve replaces the noisy columns of a panel by the solutions and writes the number of rows outside the zero sets to
// free. blocks says that the panel holds all columns of groups except the first, which share features.
func (l *NonLocal) solve(transform int, s *solve.PairPanelScratch, free *[solve.Lanes]float32, blocks bool) {
	p := l.solvers[transform]()
	p.Analyze(s)
	l.network.Weights(s.D, s.E, s.WP, s.WY, l.biases[transform], p.Rows(), blocks)
	p.Solve(s)
	p.CountFree(free[:], s)
}

// add adds the patches of a group, the lanes of a block, to the sums.
func (l *NonLocal) add(s *nonLocalScratch, block []float32, members []int32, weight float32, sums patchSums) {
	scatterRows(s.rows, block)
	for i, corner := range members {
		s.corners[i] = sums.index(corner)
	}
	group(s.corners[:], sums.pitch).Add(sums.numerator, sums.denominator, s.rows, l.kaiser, weight)
}
