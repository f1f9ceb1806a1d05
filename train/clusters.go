package train

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// place is the position of a patch: the number of a crop and the corner in it.
type place struct{ crop, x, y int32 }

// clusterPatches is a Source that draws the patches of one cluster from crops.
type clusterPatches struct {
	crops     []Pair
	places    []place // whose patches on the pilot are in the cluster
	sigma     float64
	patchSize int
	basis     solve.Transform
	seed      uint64

	step uint64
}

// Begin implements Source.
func (c *clusterPatches) Begin(step, _ int) { c.step = uint64(step) }

// Sample implements Source.
func (c *clusterPatches) Sample(i int, clean, noisy []float64) {
	rng := rand.New(rand.NewPCG(c.seed, c.step<<24|uint64(i)))
	p := c.places[rng.IntN(len(c.places))]
	x, y := int(p.x), int(p.y)
	toBasis(clean, patchIn(c.crops[p.crop].Clean, x, y, c.patchSize, c.sigma), c.basis)
	toBasis(noisy, patchIn(c.crops[p.crop].Noisy, x, y, c.patchSize, c.sigma), c.basis)
}

// clusterStride is the distance of neighbouring patches that are taken from a crop, in samples.
const clusterStride = 2

// features returns the places of all patches of the pilots, every clusterStride samples, and the classifier's features
// of each. The pilots are in units of sigma.
func features(ctx context.Context, pilots []patchify.Plane, patchSize, workers int) ([]place, [][]float32, error) {
	places := make([][]place, len(pilots))
	found := make([][][]float32, len(pilots))
	classifier := stage.NewClassifier(patchSize, nil)
	err := parallel.For(ctx, workers, len(pilots), func(_, i int) {
		g, err := patchify.NewGrid(pilots[i].Width, pilots[i].Height, patchSize, clusterStride)
		if err != nil {
			return // smaller than a patch
		}
		patches := make([]float32, patchSize*patchSize*solve.Lanes)
		panel := make([]float32, (patchSize*patchSize-1)*solve.Lanes)
		for at := 0; at < g.Len(); at += solve.Lanes {
			count := min(solve.Lanes, g.Len()-at)
			for lane := range count {
				x, y := g.At(at + lane)
				patchify.ExtractLane(patches, solve.Lanes, lane, pilots[i], x, y, patchSize)
				places[i] = append(places[i], place{int32(i), int32(x), int32(y)})
			}
			classifier.Features(panel, patches)
			for lane := range count {
				f := make([]float32, patchSize*patchSize-1)
				for j := range f {
					f[j] = panel[j*solve.Lanes+lane]
				}
				found[i] = append(found[i], f)
			}
		}
	})
	var allPlaces []place
	var all [][]float32
	for i := range places {
		allPlaces = append(allPlaces, places[i]...)
		all = append(all, found[i]...)
	}
	return allPlaces, all, err
}

// kMeans returns the centroids of k clusters. It runs Lloyd's iterations from a k-means++ start (Arthur, Vassilvitskii:
// k-means++: the advantages of careful seeding, SODA 2007). The result does not depend on workers. There must be
// points.
func kMeans(ctx context.Context, points [][]float32, k, iterations, workers int, rng *rand.Rand) ([][]float64, error) {
	centroids := startCentroids(points, k, rng)
	labels := make([]int, len(points))
	for range iterations {
		if err := assign(ctx, labels, points, centroids, workers); err != nil {
			return nil, err
		}
		sums, counts := make([][]float64, k), make([]float64, k)
		for c := range sums {
			sums[c] = make([]float64, len(points[0]))
		}
		for i, p := range points {
			counts[labels[i]]++
			for j, v := range p {
				sums[labels[i]][j] += float64(v)
			}
		}
		for c := range sums {
			if counts[c] == 0 { // an empty cluster keeps its centroid
				continue
			}
			for j := range sums[c] {
				centroids[c][j] = sums[c][j] / counts[c]
			}
		}
	}
	return centroids, ctx.Err()
}

// startCentroids draws each centroid from the points with probabilities proportional to the squared distance to the
// nearest centroid so far.
func startCentroids(points [][]float32, k int, rng *rand.Rand) [][]float64 {
	distance := make([]float64, len(points))
	for i := range distance {
		distance[i] = math.Inf(1)
	}
	centroids := [][]float64{toFloat64(points[rng.IntN(len(points))])}
	for len(centroids) < k {
		total := 0.0
		for i, p := range points {
			distance[i] = min(distance[i], squaredDistance(p, centroids[len(centroids)-1]))
			total += distance[i]
		}
		next, at := 0, rng.Float64()*total
		for at -= distance[0]; at > 0 && next+1 < len(points); at -= distance[next] {
			next++
		}
		centroids = append(centroids, toFloat64(points[next]))
	}
	return centroids
}

// assign writes the number of the nearest centroid of each point to labels.
func assign(ctx context.Context, labels []int, points [][]float32, centroids [][]float64, workers int) error {
	const piece = 512
	return parallel.For(ctx, workers, (len(points)+piece-1)/piece, func(_, p int) {
		for i := p * piece; i < min((p+1)*piece, len(points)); i++ {
			nearest := math.Inf(1)
			for c, centroid := range centroids {
				if d := squaredDistance(points[i], centroid); d < nearest {
					labels[i], nearest = c, d
				}
			}
		}
	})
}

func squaredDistance(p []float32, c []float64) (d float64) {
	for j, v := range p {
		e := float64(v) - c[j]
		d += e * e
	}
	return d
}

func toFloat64(p []float32) []float64 {
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = float64(v)
	}
	return out
}
