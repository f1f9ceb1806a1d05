package stage

import (
	"iter"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// clustering sorts patches by cluster. It is scratch memory for one goroutine.
type clustering struct {
	patches  []float32 // panel of patches
	features []float32 // panel of features
	scores   []float32 // panel of the clusters' scores
	bounds   []int     // the members of cluster c are order[bounds[c]:bounds[c+1]]
	next     []int
	labels   []int32
	order    []int32 // numbers of the patches, stably sorted by label
}

func newClustering(patchSize, clusters int) clustering {
	n := patchSize * patchSize
	return clustering{patches: make([]float32, n*solve.Lanes), features: make([]float32, (n-1)*solve.Lanes),
		scores: make([]float32, clusters*solve.Lanes), bounds: make([]int, clusters+1)}
}

// sort finds the clusters of count patches. It calls extract to write patch i to a lane of a panel. Without a
// classifier, all patches are in cluster 0.
func (s *clustering) sort(c *Classifier, count int, extract func(panel []float32, lane, i int)) {
	s.sortPanels(c, count, func(panel []float32, from, to int) {
		for i := from; i < to; i++ {
			extract(panel, i-from, i)
		}
	})
}

// sortPanels is like sort. It calls extract to write patches from..to-1 to lanes 0..to-from-1 of a panel.
func (s *clustering) sortPanels(c *Classifier, count int, extract func(panel []float32, from, to int)) {
	s.labels = grow(s.labels, count)
	clear(s.labels)
	if c != nil {
		var labels [solve.Lanes]int32
		for at := 0; at < count; at += solve.Lanes {
			end := min(at+solve.Lanes, count)
			extract(s.patches, at, end)
			c.Features(s.features, s.patches)
			c.Nearest(&labels, s.features, s.scores)
			copy(s.labels[at:end], labels[:])
		}
	}
	s.sortLabels()
}

// sortLabels sets order and bounds from labels.
func (s *clustering) sortLabels() {
	clear(s.bounds)
	for _, label := range s.labels {
		s.bounds[label+1]++
	}
	for c := range s.bounds[1:] {
		s.bounds[c+1] += s.bounds[c]
	}
	s.next = append(s.next[:0], s.bounds...)
	s.order = grow(s.order, len(s.labels))
	for i, label := range s.labels {
		s.order[s.next[label]] = int32(i)
		s.next[label]++
	}
}

// chunks yields the members of a cluster in order, in chunks of up to most.
func (s *clustering) chunks(cluster, most int) iter.Seq[[]int32] {
	return slices.Chunk(s.order[s.bounds[cluster]:s.bounds[cluster+1]], most)
}

// grow returns v with length n. Its content is undefined.
func grow[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}
