package model

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/model/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Denoise implements Stage.
func (l *NonLocal) Denoise(ctx context.Context, dst patchify.Plane, in Input, o Options) error {
	g, err := patchify.NewGrid(in.Noisy.Width, in.Noisy.Height, l.PatchSize, l.step(o))
	if err != nil {
		return err
	}
	l.prepareSolvers(o.Workers)
	scratch := make([]*nonLocalScratch, parallel.Workers(o.Workers))
	for i := range scratch {
		scratch[i] = l.scratch.Get()
		defer l.scratch.Put(scratch[i])
	}
	return patchify.AggregateGroups(ctx, dst, g, l.Window, o.Workers, func(worker int, b patchify.Band, sums *patchify.Scatter) {
		l.denoiseBand(scratch[worker], in, b.Grid, sums)
	})
}

const (
	panelGroups = Lanes / GroupSize // groups whose columns fill a panel
	chunkGroups = Lanes             // groups whose first columns fill a panel
	chunkPanels = chunkGroups / panelGroups
)

// nonLocalScratch is the memory of one worker.
type nonLocalScratch struct {
	matcher       *patchify.Matcher
	members       []int32 // of the groups of a band
	clusters      clustering
	first, others *PairScratch
	free          [2][Lanes]float32 // rows outside the zero sets: of first columns, and of the others of one panel
	weights       [Lanes]float32    // of the groups of a chunk
	mean          [Lanes]float32    // of the pilots' first columns

	// Groups with the members, and later the columns, as rows: panelGroups patches of n samples side by side are as
	// many panels of GroupSize rows.
	noisy, pilot, rotated []float32
	solved                []float32 // the solutions of a chunk in that form
}

func (l *NonLocal) newScratch() *nonLocalScratch {
	n := l.PatchSize * l.PatchSize
	rows := GroupSize * panelGroups * n
	m := kernel.NewPanels(rows/Lanes, rows/Lanes, rows/Lanes, chunkPanels*rows/Lanes)
	return &nonLocalScratch{matcher: patchify.NewMatcher(l.matching()), clusters: newClustering(l.PatchSize, len(l.Transforms)/2),
		first: l.solvers[0].NewScratch(), others: l.solvers[1].NewScratch(),
		noisy: m[0], pilot: m[1], rotated: m[2], solved: m[3]}
}

func (l *NonLocal) denoiseBand(s *nonLocalScratch, in Input, g patchify.Grid, sums *patchify.Scatter) {
	s.members = grow(s.members, g.Len()*GroupSize)
	s.matcher.Match(s.members, in.Guide, g)
	s.clusters.sort(l.Classifier, g.Len(), func(panel []float32, lane, i int) {
		meanPatch(panel, lane, in.Pilot, s.members[i*GroupSize:(i+1)*GroupSize])
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
		panel[i*Lanes+lane] = v * scale
	}
}

// denoiseChunk denoises up to chunkGroups groups of a cluster.
func (l *NonLocal) denoiseChunk(s *nonLocalScratch, cluster int, in Input, groups []int32, sums *patchify.Scatter) {
	size := len(s.noisy)
	for from := 0; from < len(groups); from += panelGroups {
		part := groups[from:min(from+panelGroups, len(groups))]
		l.rotate(s, s.noisy, s.others.Y, s.first.Y, in.Noisy, part, from)
		l.rotate(s, s.pilot, s.others.P, s.first.P, in.Pilot, part, from)
		l.solve(2*cluster+1, s.others, &s.free[1], true)
		l.transpose(s.solved[from/panelGroups*size:][:size], s.others.Y)
		for b := range part {
			sum := float32(0)
			for _, v := range s.free[1][b*GroupSize+1 : (b+1)*GroupSize] {
				sum += v
			}
			s.weights[from+b] = sum
		}
	}
	center(s.mean[:], s.first.P, s.first.Y)
	l.solve(2*cluster, s.first, &s.free[0], false)
	addRows(s.first.Y, s.mean[:])
	for i := range groups {
		s.weights[i] = 1 / (s.weights[i] + s.free[0][i] + aggregationOffset)
	}
	for from := 0; from < len(groups); from += panelGroups {
		part := groups[from:min(from+panelGroups, len(groups))]
		columns := s.solved[from/panelGroups*size:][:size]
		l.putFirst(columns, s.first.Y, from, len(part))
		for at := 0; at < size; at += GroupSize * Lanes {
			kernel.Mul(s.rotated[at:at+GroupSize*Lanes], l.back, columns[at:at+GroupSize*Lanes])
		}
		l.add(s, part, s.weights[from:], sums)
	}
}

// aggregationOffset keeps the weight of groups without degrees of freedom finite.
const aggregationOffset = 4

// Sample i of member m of group b of a part is at place(b*n+i) + m*Lanes. Eight samples of a row of a patch, and blocks of
// GroupSize samples, always lie side by side.
func place(sample int) int { return sample/Lanes*(GroupSize*Lanes) + sample%Lanes }

// groupPlaces is where the rows of the patches of each group of a part are.
var groupPlaces = func() (places [panelGroups][nonLocalPatch]int) {
	for b := range places {
		for r := range places[b] {
			places[b][r] = place((b*nonLocalPatch + r) * nonLocalPatch)
		}
	}
	return places
}()

// nonLocalPatch is the side of the patches of non-local stages, fixed so that a row of them moves in one instruction.
const nonLocalPatch = kernel.PatchSide

// rotate gathers groups, rotates them along their members, and transposes the columns into lanes: all into others, where
// lane 0 of each block of lanes, the first column, means nothing, and the first into lane from.. of first.
func (l *NonLocal) rotate(s *nonLocalScratch, gathered, others, first []float32, p patchify.Plane, groups []int32, from int) {
	const n = nonLocalPatch * nonLocalPatch
	for b, group := range groups {
		s.group(group, b, p.Width).Gather(gathered, p.Pix)
	}
	for at := 0; at < len(gathered); at += GroupSize * Lanes {
		kernel.Mul(s.rotated[at:at+GroupSize*Lanes], l.along, gathered[at:at+GroupSize*Lanes])
	}
	for b := range groups {
		for i := 0; i < n; i += GroupSize {
			columns := s.rotated[place(b*n+i):]
			kernel.Transpose(others[i*Lanes+b*GroupSize:], Lanes, columns, Lanes)
			for j, v := range columns[:GroupSize] {
				first[(i+j)*Lanes+from+b] = v
			}
		}
	}
}

// transpose puts the lanes of a panel of columns back in rows.
func (l *NonLocal) transpose(columns, panel []float32) {
	n := l.PatchSize * l.PatchSize
	for b := range panelGroups {
		for i := 0; i < n; i += GroupSize {
			kernel.Transpose(columns[place(b*n+i):], Lanes, panel[i*Lanes+b*GroupSize:], Lanes)
		}
	}
}

// putFirst replaces the first columns of groups, which are in the lanes from.. of a panel.
func (l *NonLocal) putFirst(columns, first []float32, from, groups int) {
	n := l.PatchSize * l.PatchSize
	for b := range groups {
		for i := range n {
			columns[place(b*n+i)] = first[i*Lanes+from+b]
		}
	}
}

// solve replaces the noisy columns of a panel by the solutions and counts the rows outside the zero sets.
func (l *NonLocal) solve(transform int, s *PairScratch, free *[Lanes]float32, blocks bool) {
	p := l.solvers[transform]
	p.Analyze(s)
	l.weights.Weights(s.D, s.E, s.WP, s.WY, l.biases[transform], p.k, blocks)
	p.Solve(s)
	p.CountFree(free[:], s)
}

// center takes the mean of each lane of the pilot from both panels, so that brightness does not matter.
func center(mean, pilot, noisy []float32) {
	clear(mean)
	for at := 0; at < len(pilot); at += Lanes {
		for l, v := range pilot[at : at+Lanes] {
			mean[l] += v
		}
	}
	for l := range mean {
		mean[l] *= -float32(Lanes) / float32(len(pilot))
	}
	addRows(pilot, mean)
	addRows(noisy, mean)
	for l := range mean {
		mean[l] = -mean[l]
	}
}

// addRows adds a row to all rows of a panel.
func addRows(panel, row []float32) {
	for at := 0; at < len(panel); at += Lanes {
		for l, v := range row {
			panel[at+l] += v
		}
	}
}

// add adds the patches of groups, which stand in s.rotated, to the sums.
func (l *NonLocal) add(s *nonLocalScratch, groups []int32, weights []float32, sums *patchify.Scatter) {
	for b, group := range groups {
		s.group(group, b, sums.Width).Add(sums.Numerator, sums.Denominator, -sums.Offset(0), s.rotated, l.window, weights[b])
	}
}

// group is the members of a group, which has place b in a part, in images with rows stride apart.
func (s *nonLocalScratch) group(group int32, b, stride int) kernel.Group {
	return kernel.Group{Places: &groupPlaces[b], Corners: s.members[int(group)*GroupSize:][:GroupSize], Stride: stride}
}

func grow[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}
