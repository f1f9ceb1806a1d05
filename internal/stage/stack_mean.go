package stage

import (
	"context"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/series"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Mean is the mean of a page and its neighbours along the motion.
type Mean struct {
	Planes [][]float32
	Level  []float32 // the noise of each sample as a share of that of a page
}

const (
	// meanStride is the distance of the patches that are averaged, in samples.
	meanStride = 4
	// meanDistance is the squared distance for each sample, in variances of the noise, at which a patch counts e times
	// less.
	meanDistance = 0.1
	// meanJump is memberJump for means. What is chosen for its noise makes a mean whose noise is broad.
	meanJump = 1
)

// means makes the means of all pages. What is compared is the guide, one plane without noise.
type means struct {
	field
	planes  []patchify.Plane // with noise, in all slots
	workers []*averager
}

func newMeans(s *Stack, at passAt, planes []patchify.Plane) *means {
	m := &means{field: newField(s, at, planes[0].Width, planes[0].Height)}
	for range planes {
		m.planes = append(m.planes, m.tall())
	}
	return m
}

// arrive takes the planes of a page, one plane with noise, and the guide. Both are in units of the noise.
func (m *means) arrive(ctx context.Context, number int, planes []patchify.Plane, gray, guide patchify.Plane,
	o Options) (*visit, error) {
	g, err := patchify.NewGrid(m.width, m.height, nonLocalPatch, meanStride)
	if err != nil {
		return nil, err
	}
	v := &visit{ctx: ctx, o: o, grid: g}
	if err := m.enter(v, number); err != nil {
		return nil, err
	}
	for i, p := range planes {
		copy(m.slot(m.planes[i], number).Pix, p.Pix)
	}
	copy(m.slot(m.matching, number).Pix, guide.Pix)
	m.level(v, append([]patchify.Plane{guide}, planes...), m.brighten)
	m.compare(v, gray, guide)
	return v, nil
}

// brighten changes the planes of a page.
func (m *means) brighten(number int, levels []series.Level) {
	for i, p := range m.planes {
		levels[1+i].Apply(m.slot(p, number).Pix)
	}
}

func (m *means) done(number int) bool { return m.reference > number }

// next makes the mean for the reference page.
func (m *means) next() error {
	v := m.visit(m.reference)
	m.likeReference(m.brighten)
	m.reference++
	if !m.hasNeighbours(v.number) {
		return nil
	}
	size := m.width * m.height
	sums := make([][]float32, len(m.planes)+1) // the last is of variances
	for i := range sums {
		sums[i] = make([]float32, size)
	}
	for len(m.workers) < parallel.Workers(v.o.Workers) {
		m.workers = append(m.workers, &averager{crosser: newCrosser(&m.field, 1, meanJump), means: m})
	}
	bands := v.grid.Strips()
	err := parallel.InOrder(v.ctx, len(m.workers), len(bands), func(worker, i int) {
		m.workers[worker].band(v, bands[i])
	}, func(worker, _ int) {
		a := m.workers[worker]
		for k, s := range a.sums {
			addRow(sums[k][a.top*m.width:], s)
		}
	})
	weights := patchesOver(v.grid)
	for _, s := range sums {
		weights.divide(s)
	}
	level := sums[len(m.planes)]
	for i, x := range level {
		level[i] = float32(math.Sqrt(float64(x)))
	}
	v.mean = Mean{Planes: sums[:len(m.planes)], Level: level}
	return err
}

// averager is the memory of one worker.
type averager struct {
	*crosser
	means *means
	top   int         // first row of the sums
	sums  [][]float32 // of a band
}

func (a *averager) band(v *visit, b patchify.Band) {
	m := a.means
	a.top = b.Grid.Ys[0]
	n := (b.Grid.Ys[len(b.Grid.Ys)-1] + nonLocalPatch - a.top) * m.width
	for len(a.sums) < len(m.planes)+1 {
		a.sums = append(a.sums, nil)
	}
	for i := range a.sums {
		a.sums[i] = cleared(a.sums[i], n)
	}
	a.blocks(v.number, b.Grid, func(column, row int, others []candidate) {
		a.add(v.number, b.Grid.Xs[column], b.Grid.Ys[row], others)
	})
}

// add adds the weighted mean of patches to the sums.
func (a *averager) add(number, x, y int, others []candidate) {
	m := a.means
	sum, squares := float32(1), float32(1)
	for i, o := range others {
		w := float32(math.Exp(-float64(o.distance) / (nonLocalPatch * nonLocalPatch * meanDistance)))
		others[i].distance = w
		sum += w
		squares += w * w
	}
	own := m.base(number) + int32(y*m.width+x)
	variance := squares / (sum * sum)
	for j := range nonLocalPatch {
		to := (y-a.top+j)*m.width + x
		level := a.sums[len(m.planes)][to:][:nonLocalPatch]
		for k := range level {
			level[k] += variance
		}
		for i, p := range m.planes {
			dst := a.sums[i][to:][:nonLocalPatch]
			at := j * m.width
			var row [nonLocalPatch]float32
			copy(row[:], p.Pix[int(own)+at:][:nonLocalPatch])
			for _, o := range others {
				src := p.Pix[int(o.corner)+at:][:nonLocalPatch]
				for k, s := range src {
					row[k] += o.distance * s
				}
			}
			for k, s := range row {
				dst[k] += s / sum
			}
		}
	}
}

// overlap counts the patches over each column and each row.
type overlap struct{ columns, rows []float32 }

func patchesOver(g patchify.Grid) overlap {
	count := func(corners []int) []float32 {
		n := make([]float32, corners[len(corners)-1]+g.PatchSize)
		for _, c := range corners {
			for i := range g.PatchSize {
				n[c+i]++
			}
		}
		return n
	}
	return overlap{count(g.Xs), count(g.Ys)}
}

func (o overlap) divide(plane []float32) {
	for y, rows := range o.rows {
		row := plane[y*len(o.columns):][:len(o.columns)]
		for x, columns := range o.columns {
			row[x] /= rows * columns
		}
	}
}
