package model

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const localKind = "local"

// Local denoises each patch on its own, by the paper's lower-level problem, and averages the patches. With several
// transforms it is a union of transforms: each patch takes the transform of its cluster, which a classifier reads off
// the pilot's patch.
type Local struct {
	PatchSize  int
	Schedule   Schedule
	Transforms []Transform // K x PatchSize^2 each, on patches in units of sigma; all of one size
	Classifier *Classifier // nil for a single transform

	solvers []*PanelSolver
}

// NewLocal checks that the parts fit and prepares the solvers.
func NewLocal(patchSize int, s Schedule, transforms []Transform, c *Classifier) (*Local, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	clusters := 1
	if c != nil {
		clusters = len(c.Centroids)
	}
	if len(transforms) == 0 || len(transforms) != clusters {
		return nil, fmt.Errorf("%d transforms for %d clusters", len(transforms), clusters)
	}
	l := &Local{PatchSize: patchSize, Schedule: s, Transforms: transforms, Classifier: c}
	for _, t := range transforms {
		if t.N != patchSize*patchSize || t.K != transforms[0].K {
			return nil, fmt.Errorf("a transform of %d x %d for patches of side %d", t.K, t.N, patchSize)
		}
		l.solvers = append(l.solvers, NewPanelSolver(t, s))
	}
	return l, nil
}

// Kind is "local".
func (l *Local) Kind() string { return localKind }

// PatchSide is the side of the patches.
func (l *Local) PatchSide() int { return l.PatchSize }

// Filters returns the transforms.
func (l *Local) Filters() []Transform { return l.Transforms }

// Denoise implements Stage.
func (l *Local) Denoise(ctx context.Context, noisy, pilot patchify.Plane, o Options) (patchify.Plane, error) {
	g, err := patchify.NewGrid(noisy.Width, noisy.Height, l.PatchSize, o.Stride)
	if err != nil {
		return patchify.Plane{}, err
	}
	scratch := make([]*localScratch, parallel.Workers(o.Workers))
	return patchify.Aggregate(ctx, g, noisy.Width, noisy.Height, o.Workers, func(worker int, b patchify.Band, acc *patchify.Accumulator) {
		if scratch[worker] == nil {
			scratch[worker] = l.newScratch()
		}
		l.denoiseBand(scratch[worker], noisy, pilot, b, acc)
	})
}

// localScratch is the memory of one worker.
type localScratch struct {
	panel    *PanelScratch
	y        []float32 // panel of patches
	features []float32 // panel of features
	scores   []float32 // panel of the clusters' scores
	labels   []int32
	order    []int32   // patches of the band, sorted by label
	patches  []float32 // solutions of the band, one after the other
}

func (l *Local) newScratch() *localScratch {
	n := l.PatchSize * l.PatchSize
	return &localScratch{panel: l.solvers[0].NewScratch(), y: make([]float32, n*Lanes),
		features: make([]float32, (n-1)*Lanes), scores: make([]float32, len(l.solvers)*Lanes)}
}

// denoiseBand solves the patches of a band, cluster by cluster in full panels, then adds them in the order of the grid.
func (l *Local) denoiseBand(s *localScratch, noisy, pilot patchify.Plane, b patchify.Band, acc *patchify.Accumulator) {
	g, n := b.Grid, l.PatchSize*l.PatchSize
	s.patches = slices.Grow(s.patches[:0], g.Len()*n)[:g.Len()*n]
	bounds := l.sortByCluster(s, pilot, g)
	for c, solver := range l.solvers {
		for at := bounds[c]; at < bounds[c+1]; at += Lanes {
			members := s.order[at:min(at+Lanes, bounds[c+1])]
			for lane, i := range members { // lanes left over keep what they had, which no other lane sees
				x, y := g.At(int(i))
				patchify.ExtractLane(s.y, Lanes, lane, noisy, x, y, l.PatchSize)
			}
			solver.Solve(s.y, s.panel)
			for lane, i := range members {
				out := s.patches[int(i)*n : int(i+1)*n]
				for j := range out {
					out[j] = s.y[j*Lanes+lane]
				}
			}
		}
	}
	for i := range g.Len() {
		x, y := g.At(i)
		acc.Add(s.patches[i*n:(i+1)*n], x, y, l.PatchSize, 1)
	}
}

// sortByCluster fills s.order with the patches of the grid, stably sorted by cluster; cluster c is
// order[bounds[c]:bounds[c+1]].
func (l *Local) sortByCluster(s *localScratch, pilot patchify.Plane, g patchify.Grid) (bounds []int) {
	bounds = make([]int, len(l.solvers)+1)
	l.label(s, pilot, g)
	for _, label := range s.labels {
		bounds[label+1]++
	}
	for c := range l.solvers {
		bounds[c+1] += bounds[c]
	}
	next := slices.Clone(bounds)
	s.order = slices.Grow(s.order[:0], g.Len())[:g.Len()]
	for i, label := range s.labels {
		s.order[next[label]] = int32(i)
		next[label]++
	}
	return bounds
}

// label writes the cluster of each patch of the grid to s.labels.
func (l *Local) label(s *localScratch, pilot patchify.Plane, g patchify.Grid) {
	s.labels = slices.Grow(s.labels[:0], g.Len())[:g.Len()]
	if l.Classifier == nil {
		clear(s.labels)
		return
	}
	var labels [Lanes]int32
	for at := 0; at < g.Len(); at += Lanes {
		count := min(Lanes, g.Len()-at)
		for lane := range count {
			x, y := g.At(at + lane)
			patchify.ExtractLane(s.y, Lanes, lane, pilot, x, y, l.PatchSize)
		}
		l.Classifier.Features(s.features, s.y)
		l.Classifier.Nearest(&labels, s.features, s.scores)
		copy(s.labels[at:], labels[:count])
	}
}

// localParams is a local stage in the metadata of a model file.
type localParams struct {
	PatchSize int      `json:"patch_size"`
	Schedule  Schedule `json:"schedule"`
	Clusters  int      `json:"clusters"`
}

func (l *Local) encode(tensors map[string]safetensors.Tensor, prefix string) any {
	k, n := l.Transforms[0].K, l.Transforms[0].N
	w := safetensors.Tensor{DType: safetensors.F32, Shape: []int{len(l.Transforms), k, n}}
	for _, t := range l.Transforms {
		w.Values = append(w.Values, t.W...)
	}
	tensors[prefix+"transforms"] = w
	if l.Classifier != nil {
		c := safetensors.Tensor{DType: safetensors.F32, Shape: []int{len(l.Classifier.Centroids), n - 1}}
		for _, centroid := range l.Classifier.Centroids {
			c.Values = append(c.Values, centroid...)
		}
		tensors[prefix+"centroids"] = c
	}
	return localParams{l.PatchSize, l.Schedule, len(l.Transforms)}
}

func decodeLocal(params json.RawMessage, tensors map[string]safetensors.Tensor, prefix string) (Stage, error) {
	var p localParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, fmt.Errorf("%w: stage: %v", ErrFormat, err)
	}
	const maxPatchSize = 16
	if p.PatchSize < 2 || p.PatchSize > maxPatchSize {
		return nil, fmt.Errorf("%w: patch size %d", ErrFormat, p.PatchSize)
	}
	w, err := tensor(tensors, prefix+"transforms", 3)
	if err != nil {
		return nil, err
	}
	var classifier *Classifier
	if p.Clusters > 1 {
		c, err := tensor(tensors, prefix+"centroids", 2)
		if err != nil {
			return nil, err
		}
		if c.Shape[1] != p.PatchSize*p.PatchSize-1 {
			return nil, fmt.Errorf("%w: centroids of %d features", ErrFormat, c.Shape[1])
		}
		classifier = NewClassifier(p.PatchSize, slices.Collect(slices.Chunk(c.Values, c.Shape[1])))
	}
	var transforms []Transform
	for values := range slices.Chunk(w.Values, w.Shape[1]*w.Shape[2]) {
		transforms = append(transforms, Transform{w.Shape[1], w.Shape[2], values})
	}
	l, err := NewLocal(p.PatchSize, p.Schedule, transforms, classifier)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrFormat, err)
	}
	return l, nil
}
