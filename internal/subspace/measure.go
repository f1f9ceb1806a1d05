package subspace

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
)

// Point is the variance of the noise at a level, both in the unit of the samples.
type Point struct {
	Level, Variance float64
	// Falling is how many times the standard deviation is smaller in fewer, smoother patches: about 1 for noise.
	Falling float64
}

const (
	maxPatches = 60000 // of a picture; more tell nothing
	binPatches = 2500  // of a brightness, at least
	maxBins    = 10
	tileSide   = 24  // of the squares that belong to the one half or to the other
	chosen     = 0.4 // share of the patches that are chosen, again and again
	least      = 0.3 // share of the directions that show noise alone
	minHalf    = 60  // patches of a half
	nearWhite  = 0.98
	// maxFalling is how far noise may fall, at the median brightness. Drawn pictures that were measured right have up
	// to 1.03, those measured up to twice too high 1.17, others from 1.48 on.
	maxFalling = 1.2
)

// IsNoise reports whether points of a picture show noise, and not texture.
func IsNoise(points []Point) bool {
	var falling []float64
	for _, p := range points {
		falling = append(falling, p.Falling)
	}
	return quantile.Median(falling) <= maxFalling
}

// Measure measures planes of one colour, whose samples lie beside each other. White clips samples; places as bright as
// that are left out. Points are by rising level; there are none if the planes are too small.
func Measure(ctx context.Context, planes [][]float32, width, height int, white float64, workers int) []Point {
	side := 8
	if len(planes) > 1 {
		side = 6
	}
	s := sampler{planes, width, side}
	all := s.patches(height, float32(nearWhite*white))
	bins := min(maxBins, len(all)/binPatches)
	points := make([]Point, bins)
	parallel.For(ctx, workers, bins, func(_, i int) {
		points[i] = s.point(all[i*len(all)/bins : (i+1)*len(all)/bins])
	})
	return slices.DeleteFunc(points, func(p Point) bool { return p.Falling == 0 })
}

// sampler takes patches from all planes.
type sampler struct {
	planes      [][]float32
	width, side int
}

// patch is at a place, in one of two halves, and has a mean.
type patch struct {
	x, y, half int
	mean       float64
}

// patches returns patches by rising mean.
func (s sampler) patches(height int, limit float32) (all []patch) {
	across, down := s.width-s.side+1, height-s.side+1
	if across < 1 || down < 1 {
		return nil
	}
	step := max(1, int(math.Sqrt(float64(across)*float64(down)/maxPatches)))
	for y := 0; y < down; y += step {
		for x := 0; x < across; x += step {
			p, most := patch{x, y, (x/tileSide + y/tileSide) % 2, 0}, float32(0)
			for _, plane := range s.planes {
				for j := range s.side {
					for _, v := range plane[(y+j)*s.width+x:][:s.side] {
						p.mean += float64(v)
						most = max(most, v)
					}
				}
			}
			if p.mean /= float64(s.dimensions()); most < limit {
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b patch) int { return cmp.Compare(a.mean, b.mean) })
	return all
}

func (s sampler) dimensions() int { return len(s.planes) * s.side * s.side }

// point returns the noise of patches of about one brightness.
func (s sampler) point(all []patch) (p Point) {
	var halves [2]half
	for _, q := range all {
		halves[q.half].patches = append(halves[q.half].patches, q)
	}
	for i := range halves {
		s.fill(&halves[i])
	}
	const steps = 4
	last := 0.0
	for step := range steps {
		if min(len(halves[0].patches), len(halves[1].patches)) < minHalf {
			return Point{}
		}
		var bases [2]*mat.Dense
		for i := range halves {
			bases[i] = halves[1-i].directions(s.dimensions())
		}
		sum, level, n := 0.0, 0.0, 0
		for i := range halves {
			variance := halves[i].choose(bases[i], len(s.planes))
			sum += variance / 2
			for _, q := range halves[i].patches {
				level += q.mean
				n++
			}
			if step < steps-1 {
				halves[i].keep()
			}
		}
		if step < steps-1 {
			p, last = Point{Level: level / float64(n), Variance: sum}, sum
			continue
		}
		p.Falling = math.Sqrt(last / max(sum, math.SmallestNonzeroFloat64))
	}
	return p
}

// half is patches with their samples, less the mean of each plane.
type half struct {
	patches []patch
	samples []float64
	texture []float64 // energy of each patch in the directions that vary most
}

func (s sampler) fill(h *half) {
	n := s.side * s.side
	for _, p := range h.patches {
		for _, plane := range s.planes {
			from := len(h.samples)
			mean := 0.0
			for j := range s.side {
				for _, v := range plane[(p.y+j)*s.width+p.x:][:s.side] {
					h.samples = append(h.samples, float64(v))
					mean += float64(v) / float64(n)
				}
			}
			for i := range n {
				h.samples[from+i] -= mean
			}
		}
	}
}

// directions returns the eigenvectors of the covariance as columns, by rising eigenvalue.
func (h *half) directions(n int) *mat.Dense {
	rows := blas64.General{Rows: len(h.patches), Cols: n, Stride: n, Data: h.samples}
	covariance := mat.NewSymDense(n, nil)
	blas64.Syrk(blas.Trans, 1/float64(len(h.patches)), rows, 0, covariance.RawSymmetric())
	var eigen mat.EigenSym
	var vectors mat.Dense
	if eigen.Factorize(covariance, true) {
		eigen.VectorsTo(&vectors)
	}
	return &vectors
}

// choose returns the variance in the directions that vary least, and notes the energy in the others. It skips the first
// directions, one for each plane: fill has removed the means, so patches do not vary in them at all.
func (h *half) choose(directions *mat.Dense, means int) (variance float64) {
	n, _ := directions.Dims()
	h.texture = make([]float64, len(h.patches))
	if n == 0 {
		return math.Inf(1)
	}
	var in mat.Dense
	in.Mul(mat.NewDense(len(h.patches), n, h.samples), directions)
	noise := int(least * float64(n-means))
	for i := range h.patches {
		row := in.RawRowView(i)
		for _, v := range row[means:][:noise] {
			variance += v * v / float64(noise*len(h.patches))
		}
		for _, v := range row[means+noise:] {
			h.texture[i] += v * v
		}
	}
	return variance
}

// keep keeps the patches with the least texture.
func (h *half) keep() {
	n := len(h.samples) / len(h.patches)
	order := make([]int, len(h.patches))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(h.texture[a], h.texture[b]) })
	var kept half
	for _, i := range order[:int(chosen*float64(len(order)))] {
		kept.patches = append(kept.patches, h.patches[i])
		kept.samples = append(kept.samples, h.samples[i*n:][:n]...)
	}
	*h = kept
}
