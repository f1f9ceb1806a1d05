package burst

import (
	"context"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const (
	side  = 8        // of the squares that are compared
	step  = side / 2 // from square to square
	cells = side * side
	// lowest frequencies along both axes tell of things that came or went.
	lowest = 2
	// brightnesses is how many ranges of brightness have their own noise. A camera has more of it where there is more
	// light.
	brightnesses = 8
	// maxTold is on how many squares the noise is measured.
	maxTold = 1 << 15
	// A frequency that differs by up to usual times the noise, in variances, counts in full. A square counts less if
	// all of its frequencies, or the lowest ones of it and its neighbours, differ by more than calm on the mean, and
	// not at all from stirred on.
	usual         = 6
	calm, stirred = 1.4, 2.2
	// unlike is which share of the contrast of the reference, in variances, may differ between shots beside the noise:
	// edges that lie a little elsewhere, and patterns as fine as the samples. Of something else, nearly all differs.
	unlike = 0.3
	// minNoise is the least variance of a difference that counts as noise: that of rounding to 8 bits.
	minNoise = 1.0 / (255 * 255 * 6)
)

// Least is the least side of a picture.
const Least = side

// PixelBytes is about how many bytes Mean takes for each pixel of a colour picture, with a shot that is laid over it.
const PixelBytes = 110

// Mean is the mean of a reference and other shots.
type Mean struct {
	reference []patchify.Plane // the first plane is compared by brightness
	sums      []patchify.Plane // what the other shots add
	taken     patchify.Plane   // sum of the shares that shots have in each place
	squares   patchify.Plane   // sum of their squares
	count     int              // of shots
	most      float32          // see NewMean
	workers   int
	aligner   aligner
	scratch   []patchify.Plane
	inside    []bool
}

// NewMean returns a mean that has only the reference. Its planes must have one size, of at least 8 x 8 samples; the
// first holds the brightness. Noise gives each frequency of the difference of two shots a variance of up to most, and
// what differs more does not count. Most is 0 if nobody knows the noise; then detail may differ a little, too.
func NewMean(reference []patchify.Plane, most float32, workers int) *Mean {
	m := &Mean{reference: reference, count: 1, most: most, workers: workers}
	like := func() patchify.Plane { return patchify.NewPlane(reference[0].Width, reference[0].Height) }
	for range reference {
		m.sums, m.scratch = append(m.sums, like()), append(m.scratch, like())
	}
	m.taken, m.squares = like(), like()
	m.inside = make([]bool, len(m.taken.Pix))
	m.aligner = aligner{pyramid(reference[0]), workers}
	return m
}

// Add adds a shot, whose planes must have the size of the reference. It returns the share of the shot that was taken, 0
// to 1.
func (m *Mean) Add(ctx context.Context, shot []patchify.Plane) (float64, error) {
	f, err := m.aligner.field(ctx, pyramid(m.roughly(shot[0])))
	if err != nil {
		return 0, err
	}
	if err := f.resample(ctx, m.scratch, shot, m.inside, m.workers); err != nil {
		return 0, err
	}
	m.light()
	n := m.noise()
	if !m.sameScene(&n) {
		return 0, nil
	}
	m.count++
	return m.add(ctx, &n)
}

// Two shots show one scene if their means over squares of 4 x 4 differ by at most maxOther times what those of
// unrelated ones would, in variances, or by maxBroad times what white noise would: that of cameras is broader. Medians
// tell, so that things may move.
const maxOther, maxBroad = 0.25, 6

// sameScene reports whether a shot shows the scene of the reference. The noise is wrong if not even most of it does.
func (m *Mean) sameScene(n *noise) bool {
	from, to := halved(halved(m.reference[0])), halved(halved(m.scratch[0]))
	var light, difference []float64
	for y := range from.Height {
		for x := range from.Width {
			if m.inside[4*y*m.taken.Width+4*x] && m.inside[(4*y+3)*m.taken.Width+4*x+3] {
				light = append(light, float64(from.Row(y)[x]))
				difference = append(difference, math.Abs(float64(from.Row(y)[x]-to.Row(y)[x])))
			}
		}
	}
	if len(light) == 0 {
		return false
	}
	middle := quantile.Median(light)
	for i, v := range light {
		light[i] = math.Abs(v - middle)
	}
	// both are 0.67 times the deviation of normal values
	contrast, different := quantile.Median(light), quantile.Median(difference)
	finest := 0.0
	for _, v := range n.variance[0] {
		finest = max(finest, float64(v[cells-1]))
	}
	return different*different <= max(2*maxOther*contrast*contrast, maxBroad*finest/16)
}

// grid is the squares of a plane.
type grid struct{ columns, rows int }

func (m *Mean) grid() grid {
	count := func(n int) int { return (n-side+step-1)/step + 1 }
	return grid{count(m.taken.Width), count(m.taken.Height)}
}

// corner returns where a square is. The last ones end where the plane ends.
func (m *Mean) corner(column, row int) (x, y int) {
	return min(column*step, m.taken.Width-side), min(row*step, m.taken.Height-side)
}

// isInside reports whether all of a square lies in the shot.
func (m *Mean) isInside(x, y int) bool {
	w := m.taken.Width
	return m.inside[y*w+x] && m.inside[y*w+x+side-1] && m.inside[(y+side-1)*w+x] && m.inside[(y+side-1)*w+x+side-1]
}

// stir is by how much a square differs, over the noise: in all frequencies and in the lowest.
type stir struct{ all, low float32 }

// add adds what is left of a shot where it does not differ.
func (m *Mean) add(ctx context.Context, n *noise) (float64, error) {
	g := m.grid()
	stirs := make([]stir, g.columns*g.rows)
	err := parallel.For(ctx, m.workers, g.rows, func(_, row int) {
		for column := range g.columns {
			x, y := m.corner(column, row)
			if !m.isInside(x, y) {
				stirs[row*g.columns+column] = stir{stirred, stirred}
				continue
			}
			stirs[row*g.columns+column] = m.stir(n, x, y)
		}
	})
	if err != nil {
		return 0, err
	}
	// Squares of up to three rows overlap. Every third row is done at a time, so that no two workers write to the same
	// samples.
	const apart = 3
	shares := make([]float64, g.rows)
	for first := range apart {
		err := parallel.For(ctx, m.workers, (g.rows+apart-1-first)/apart, func(_, i int) {
			row := apart*i + first
			for column := range g.columns {
				if share := m.share(stirs, g, column, row); share > 0 {
					shares[row] += float64(m.put(n, g, column, row, share))
				}
			}
		})
		if err != nil {
			return 0, err
		}
	}
	sum := 0.0
	for _, s := range shares {
		sum += s
	}
	return sum / float64(len(stirs)), nil
}

func (m *Mean) stir(n *noise, x, y int) (s stir) {
	light := brightness(m.reference[0], x, y)
	for p := range m.reference {
		var d square
		d.difference(m.reference[p], m.scratch[p], x, y)
		for f, v := range m.allowed(n, p, light, x, y) {
			r := d[f] * d[f] / v
			s.all += r
			if isLow(f) {
				s.low += r
			}
		}
	}
	s.all /= float32(cells * len(m.reference))
	s.low /= float32(lowest * lowest * len(m.reference))
	return s
}

// allowed returns how strong the difference of each frequency of a square of a plane may be, in variances.
func (m *Mean) allowed(n *noise, plane int, light float32, x, y int) (v [cells]float32) {
	var s square
	s.of(m.reference[plane], x, y)
	v = *n.of(plane, light)
	if m.most > 0 {
		for f := range v {
			v[f] = min(v[f], m.most)
		}
		return v
	}
	contrast, low := float32(0), float32(0)
	for f, c := range s[1:] {
		c = c*c - v[1+f]/2 // its own noise
		contrast += c
		if isLow(1 + f) {
			low += c
		}
	}
	contrast, low = max(contrast, 0)*unlike/cells, max(low, 0)*unlike/(lowest*lowest)
	for f := range v {
		if isLow(f) {
			v[f] += max(low, contrast)
			continue
		}
		v[f] += contrast
	}
	return v
}

func isLow(f int) bool { return f/side < lowest && f%side < lowest }

// share returns how much a square counts: 0 to 1.
func (m *Mean) share(stirs []stir, g grid, column, row int) float32 {
	low, count := float32(0), float32(0)
	for j := max(0, row-1); j <= min(g.rows-1, row+1); j++ {
		for i := max(0, column-1); i <= min(g.columns-1, column+1); i++ {
			low += stirs[j*g.columns+i].low
			count++
		}
	}
	own := stirs[row*g.columns+column]
	if own.all >= stirred && own.low >= stirred { // outside of the shot, too
		return 0
	}
	return calmness(own.all) * calmness(low/count)
}

func calmness(stir float32) float32 { return min(1, max(0, (stirred-stir)/(stirred-calm))) }

// put adds a square of the shot, and returns the share that was taken.
func (m *Mean) put(n *noise, g grid, column, row int, share float32) float32 {
	x, y := m.corner(column, row)
	light := brightness(m.reference[0], x, y)
	total := float32(0)
	for p := range m.reference {
		var d square
		d.difference(m.reference[p], m.scratch[p], x, y)
		for f, v := range m.allowed(n, p, light, x, y) {
			w := share
			if r := d[f] * d[f] / v; r > usual {
				w *= usual * usual / (r * r)
			}
			d[f] *= w
			total += w
		}
		d.samples()
		m.spread(m.sums[p], x, y, func(at int) float32 { return d[at] })
	}
	total /= float32(cells * len(m.reference))
	m.spread(m.taken, x, y, func(int) float32 { return total })
	m.spread(m.squares, x, y, func(int) float32 { return total * total })
	return total
}

// spread adds the values of a square to a plane.
func (m *Mean) spread(p patchify.Plane, x, y int, value func(at int) float32) {
	for j := range side {
		row := p.Row(y + j)[x:][:side]
		for i := range row {
			row[i] += window[i] * window[j] * value(j*side+i)
		}
	}
}

// Result returns the mean, and for each sample the variance of its noise over that of the reference.
func (m *Mean) Result() (planes []patchify.Plane, noise patchify.Plane) {
	columns, rows := m.weights()
	n := float32(m.count)
	noise = patchify.NewPlane(m.taken.Width, m.taken.Height)
	for y := range m.taken.Height {
		for x := range m.taken.Width {
			at, w := y*m.taken.Width+x, columns[x]*rows[y]
			own := n - m.taken.Pix[at]/w
			noise.Pix[at] = (own*own + m.squares.Pix[at]/w) / (n * n)
			for p, s := range m.sums {
				s.Pix[at] = m.reference[p].Pix[at] + s.Pix[at]/(w*n)
			}
		}
	}
	return m.sums, noise
}

// weights returns the sums of the windows over each column and row.
func (m *Mean) weights() (columns, rows []float32) {
	g := m.grid()
	columns, rows = make([]float32, m.taken.Width), make([]float32, m.taken.Height)
	for c := range g.columns {
		x, _ := m.corner(c, 0)
		for i, w := range window {
			columns[x+i] += w
		}
	}
	for r := range g.rows {
		_, y := m.corner(0, r)
		for i, w := range window {
			rows[y+i] += w
		}
	}
	return columns, rows
}
