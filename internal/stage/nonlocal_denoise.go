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
	g, err := patchify.NewGridAt(l.offset(o), in.Noisy.Width, in.Noisy.Height, l.PatchSize, l.step(o))
	if err != nil {
		return err
	}
	matches := in.matches
	if matches == nil {
		matches = new(Matches)
	}
	groups, err := matches.groups(ctx, l, g, in, dst, o)
	if err != nil {
		return err
	}
	l.prepareSolvers(o.Workers)
	scratch := make([]*nonLocalScratch, parallel.Workers(o.Workers))
	for i := range scratch {
		scratch[i] = l.scratch.Get().(*nonLocalScratch)
		defer l.scratch.Put(scratch[i])
	}
	return patchify.AggregateGroups(ctx, dst, g, l.Window, o.Workers, func(worker int, b patchify.Band, sums *patchify.Scatter) {
		s := scratch[worker]
		s.groups, s.from = groups, b.From
		l.denoiseBand(s, in, b.Grid.Len(), sums)
	})
}

const (
	panelGroups = solve.Lanes / GroupSize // groups whose columns fill a panel
	chunkGroups = solve.Lanes             // groups whose first columns fill a panel
	chunkPanels = chunkGroups / panelGroups
)

// nonLocalScratch is the memory of one worker.
type nonLocalScratch struct {
	groups        *patchify.Groups
	from          int // number of the band's first group
	clusters      clustering
	first, others *solve.PairPanelScratch
	free          [2][solve.Lanes]float32 // rows outside the zero sets: of first columns, and of the others of one panel
	weights       [solve.Lanes]float32    // of the groups of a chunk
	mean          [solve.Lanes]float32    // of the pilots' first columns
	axes          *groupAxes              // of the groups of a chunk
	rows          []float32               // the patches of a group

	// Panels of groups with a block of lanes each, the members' or the columns': those of a chunk.
	noisy, pilot [chunkPanels][]float32
}

func (l *NonLocal) newScratch() *nonLocalScratch {
	const n = nonLocalPatch * nonLocalPatch
	s := &nonLocalScratch{clusters: newClustering(l.PatchSize, len(l.Transforms)/2),
		first: l.solvers[0].NewScratch(), others: l.solvers[1].NewScratch(), axes: newGroupAxes(), rows: make([]float32, patchPanels*GroupSize*solve.Lanes)}
	for i := range s.noisy {
		m := kernel.NewPanels(n, n)
		s.noisy[i], s.pilot[i] = m[0], m[1]
	}
	return s
}

func (l *NonLocal) denoiseBand(s *nonLocalScratch, in Input, count int, sums *patchify.Scatter) {
	s.clusters.sort(l.Classifier, count, func(panel []float32, lane, i int) {
		meanPatch(panel, lane, in.Pilot, s.of(int32(i)))
	})
	for c := range len(l.Transforms) / 2 {
		for groups := range s.clusters.chunks(c, chunkGroups) {
			l.denoiseChunk(s, c, in, groups, sums)
		}
	}
}

// meanPatch writes the mean of a group's patches to one lane of a panel.
func meanPatch(panel []float32, lane int, p patchify.Plane, members []int32) {
	const scale = 1 / float32(GroupSize)
	var sum [nonLocalPatch * nonLocalPatch]float32
	kernel.Group{Corners: members, Stride: p.Width}.Sum(sum[:], p.Pix)
	for i, v := range sum {
		panel[i*solve.Lanes+lane] = v * scale
	}
}

// denoiseChunk denoises up to chunkGroups groups of a cluster.
func (l *NonLocal) denoiseChunk(s *nonLocalScratch, cluster int, in Input, groups []int32, sums *patchify.Scatter) {
	for i := range groups {
		pilot := block(s.pilot[:], i)
		gather(pilot, s.rows, in.Pilot, s.of(groups[i]))
		s.axes.add(i, pilot)
	}
	s.axes.find(len(groups))
	for i := range groups {
		pilot, noisy := block(s.pilot[:], i), block(s.noisy[:], i)
		gather(noisy, s.rows, in.Noisy, s.of(groups[i]))
		s.axes.turn(i, pilot, noisy)
		copyLane(s.first.P, i, pilot)
		copyLane(s.first.Y, i, noisy)
	}
	for from := 0; from < len(groups); from += panelGroups {
		s.others.Y, s.others.P = s.noisy[from/panelGroups], s.pilot[from/panelGroups]
		l.solve(2*cluster+1, s.others, &s.free[1], true)
		for b := range min(panelGroups, len(groups)-from) {
			s.weights[from+b] = 0
			for _, v := range s.free[1][b*GroupSize+1 : (b+1)*GroupSize] {
				s.weights[from+b] += v
			}
		}
	}
	center(s.mean[:], s.first.P, s.first.Y)
	l.solve(2*cluster, s.first, &s.free[0], false)
	addRows(s.first.Y, s.mean[:])
	for i := range groups {
		solved := block(s.noisy[:], i)
		putLane(solved, s.first.Y, i)
		s.axes.turnBack(i, solved)
		l.add(s, solved, s.of(groups[i]), 1/(s.weights[i]+s.free[0][i]+aggregationOffset), sums)
	}
}

// aggregationOffset keeps the weight of groups without degrees of freedom finite.
const aggregationOffset = 4

// nonLocalPatch is the side of the patches of non-local stages, fixed so that a row of them moves in one instruction.
const nonLocalPatch = kernel.PatchSide

// block is that of the i-th group of a chunk.
func block(panels [][]float32, i int) []float32 {
	return panels[i/panelGroups][i%panelGroups*GroupSize:]
}

// place is where sample i of a group's first patch is in panels that hold the patches as rows, patchPanels of GroupSize
// rows each. Blocks of kernel.BlockSide samples lie side by side.
func place(sample int) int { return sample/solve.Lanes*(GroupSize*solve.Lanes) + sample%solve.Lanes }

const patchPanels = (nonLocalPatch*nonLocalPatch + solve.Lanes - 1) / solve.Lanes

// rowPlaces is where the rows of the first patch are.
var rowPlaces = func() (places [nonLocalPatch]int) {
	for r := range places {
		places[r] = place(r * nonLocalPatch)
	}
	return places
}()

// group is a group in images with rows stride apart.
func group(members []int32, stride int) kernel.Group {
	return kernel.Group{Places: &rowPlaces, Corners: members, Stride: stride}
}

// gather puts the patches of a group into the lanes of its block. Rows is scratch memory for them.
func gather(block, rows []float32, p patchify.Plane, members []int32) {
	group(members, p.Width).Gather(rows, p.Pix)
	for i := 0; i < nonLocalPatch*nonLocalPatch; i += kernel.BlockSide {
		kernel.Transpose(block[i*solve.Lanes:], solve.Lanes, rows[place(i):], solve.Lanes)
	}
}

// of returns the members of a group of the band.
func (s *nonLocalScratch) of(group int32) []int32 {
	return s.groups.Of(s.from + int(group))
}

// copyLane copies the first lane of a block to a lane of a panel, putLane does the opposite.
func copyLane(panel []float32, lane int, block []float32) {
	for i := 0; i < len(panel); i += solve.Lanes {
		panel[i+lane] = block[i]
	}
}

func putLane(block, panel []float32, lane int) {
	for i := 0; i < len(panel); i += solve.Lanes {
		block[i] = panel[i+lane]
	}
}

// solve replaces the noisy columns of a panel by the solutions and counts the rows outside the zero sets.
func (l *NonLocal) solve(transform int, s *solve.PairPanelScratch, free *[solve.Lanes]float32, blocks bool) {
	p := l.solvers[transform]
	p.Analyze(s)
	l.weights.Weights(s.D, s.E, s.WP, s.WY, l.biases[transform], p.Rows(), blocks)
	p.Solve(s)
	p.CountFree(free[:], s)
}

// center takes the mean of each lane of the pilot from both panels, so that brightness does not matter.
func center(mean, pilot, noisy []float32) {
	clear(mean)
	for at := 0; at < len(pilot); at += solve.Lanes {
		for l, v := range pilot[at : at+solve.Lanes] {
			mean[l] += v
		}
	}
	for l := range mean {
		mean[l] *= -float32(solve.Lanes) / float32(len(pilot))
	}
	addRows(pilot, mean)
	addRows(noisy, mean)
	for l := range mean {
		mean[l] = -mean[l]
	}
}

// addRows adds a row to all rows of a panel.
func addRows(panel, row []float32) {
	for at := 0; at < len(panel); at += solve.Lanes {
		for l, v := range row {
			panel[at+l] += v
		}
	}
}

// add adds the patches of a group, which are the lanes of a block, to the sums.
func (l *NonLocal) add(s *nonLocalScratch, block []float32, members []int32, weight float32, sums *patchify.Scatter) {
	for i := 0; i < nonLocalPatch*nonLocalPatch; i += kernel.BlockSide {
		kernel.Transpose(s.rows[place(i):], solve.Lanes, block[i*solve.Lanes:], solve.Lanes)
	}
	group(members, sums.Width).Add(sums.Numerator, sums.Denominator, -sums.Offset(0), s.rows, l.window, weight)
}

func grow[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}
