package guided

import "github.com/blorc-denoise/blorc-denoise/patchify"

// A prediction of a plane is a linear function of two guides, plus a constant. The three factors are fitted by least
// squares in a window around each sample, and a mean of the fits around a sample is used, as in K. He, J. Sun, X. Tang,
// "Guided image filtering", 2010. So a prediction has the edges of the guides where the plane changes along with them.
// A fit that leaves much of the plane unexplained has little weight in the mean: its window may hold an edge that the
// guides do not have. The fits are made at half the size, as in K. He, J. Sun, "Fast guided filter", 2015.
type predictor struct {
	radius  int  // of the window, in samples at half the size
	ofPilot bool // the pilot is predicted, else the noisy plane
}

// Radii of windows, in samples at half the size. The noisy plane needs a larger window, to average its noise.
const (
	radiusOfNoisy = 4
	radiusOfPilot = 1
)

// predictors are what networks see, the first of them or all.
var predictors = [MaxPredictions]predictor{{radiusOfNoisy, false}, {radiusOfPilot, true}}

// MaxPredictions is the largest number of predictions of a network, and PredictionGuides the number of guides that they
// need.
const (
	MaxPredictions   = 2
	PredictionGuides = 2
)

// PredictionReach is how far from a sample of a plane predictions change: the radius of the window of a fit and that of
// the mean of fits, and two samples for the way to half the size and back. A sample at half the size counts twice.
const PredictionReach = 2 * (2*max(radiusOfNoisy, radiusOfPilot) + 2)

// Variances, in units of that of the noise. The ridge keeps factors small where guides are smooth: it is added to the
// variances of the guides. The other is added to what a fit leaves, and the weight of the fit is the inverse square of
// the sum.
const (
	ridge       = 0.01
	unexplained = 0.05
)

// Sums are exact integers, so that they do not depend on where they begin: a part of a plane has the predictions of the
// whole. Samples are rounded to 1/fixedPoint, and limited so that no sum can overflow.
const (
	fixedPoint = 1 << 10
	fixedLimit = 1 << 27
)

func fixed(v float32) int64 {
	if v *= fixedPoint; v > -fixedLimit { // not if v is NaN
		return int64(min(v, fixedLimit))
	}
	return -fixedLimit
}

// moments are sums over the samples of a window: of the plane t, of the guides a and b, and of products.
type moments struct{ t, a, b, tt, at, bt, aa, ab, bb int64 }

func (m *moments) add(o *moments) {
	m.t, m.a, m.b = m.t+o.t, m.a+o.a, m.b+o.b
	m.tt, m.at, m.bt = m.tt+o.tt, m.at+o.at, m.bt+o.bt
	m.aa, m.ab, m.bb = m.aa+o.aa, m.ab+o.ab, m.bb+o.bb
}

func (m *moments) subtract(o *moments) {
	m.t, m.a, m.b = m.t-o.t, m.a-o.a, m.b-o.b
	m.tt, m.at, m.bt = m.tt-o.tt, m.at-o.at, m.bt-o.bt
	m.aa, m.ab, m.bb = m.aa-o.aa, m.ab-o.ab, m.bb-o.bb
}

// fit returns the two factors and the constant, times the weight, and the weight, for the sums of n samples.
func (m *moments) fit(n int) [fitParts]float32 {
	const square = fixedPoint * fixedPoint
	share := 1 / float64(n)
	t, a, b := share*float64(m.t), share*float64(m.a), share*float64(m.b)
	aa, bb, ab := share*float64(m.aa)-a*a+ridge*square, share*float64(m.bb)-b*b+ridge*square, share*float64(m.ab)-a*b
	at, bt := share*float64(m.at)-a*t, share*float64(m.bt)-b*t
	scale := 1 / (aa*bb - ab*ab)
	u, v := scale*(bb*at-ab*bt), scale*(aa*bt-ab*at)
	left := (share*float64(m.tt) - t*t - u*at - v*bt) / square
	left = max(left, 0) + unexplained
	weight := 1 / (left * left)
	return [...]float32{float32(weight * u), float32(weight * v), float32(weight * (t - u*a - v*b) / fixedPoint),
		float32(weight)}
}

// fitParts is the number of parts of a row of fits.
const fitParts = 4

// predictionRows computes the rows of a prediction from top to bottom and keeps some of them.
type predictionRows struct {
	predictor
	target patchify.Plane
	guides [PredictionGuides]patchify.Plane

	columns []moments // for each column at half the size, sums over the rows of a window
	sums    int       // the row around which they are
	fits    rows      // what moments.fit returns
	means   rows      // means of the factors and the constant
	total   []float32 // fits, summed over rows
	between []float32 // means, interpolated in y

	kept patchify.Plane // the rows that are kept
	from int            // row of the plane that is the first of them
}

// rows is a ring of the last rows at half the size. A row has several parts.
type rows struct {
	ring [][]float32
	next int // the row after the last one
}

func (r *rows) reset(count, length, next int) {
	for len(r.ring) < count {
		r.ring = append(r.ring, nil)
	}
	r.ring = r.ring[:count]
	for i := range r.ring {
		r.ring[i] = grown(r.ring[i], length)
	}
	r.next = next
}

func (r *rows) at(y int) []float32 { return r.ring[y%len(r.ring)] }

// push returns the place of the next row.
func (r *rows) push() []float32 {
	r.next++
	return r.at(r.next - 1)
}

func grown[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// start prepares for the rows from a given one on.
func (s *predictionRows) start(p predictor, in Input, from int) {
	s.predictor, s.target = p, in.Noisy
	if p.ofPilot {
		s.target = in.Pilot
	}
	s.guides = [PredictionGuides]patchify.Plane(in.Guides)
	w, _ := s.half()
	first := max(from/2-1, 0) // of the means
	fit := max(first-p.radius, 0)
	s.fits.reset(2*p.radius+1, fitParts*(w+2*p.radius), fit) // with padding on both sides
	s.means.reset(3, 3*w, first)
	s.total, s.between = grown(s.total, fitParts*(w+2*p.radius)), grown(s.between, 3*w)
	s.columns = grown(s.columns, w)
	clear(s.columns)
	s.sums = fit
	for y := fit - p.radius; y <= fit+p.radius; y++ {
		s.addRow(y, 1)
	}
	s.kept = patchify.Plane{Width: in.Noisy.Width, Pix: s.kept.Pix[:0]}
	s.from = from
}

// half returns the size of the planes at half the size.
func (s *predictionRows) half() (width, height int) {
	return (s.target.Width + 1) / 2, (s.target.Height + 1) / 2
}

// addRow adds a row at half the size to the sums of all columns, times sign: 1, or -1 to take it away. Beyond the
// edges, rows are those at the edges.
func (s *predictionRows) addRow(y int, sign int64) {
	_, height := s.half()
	y = min(max(y, 0), height-1)
	t, a, b := twoRows(s.target, y), twoRows(s.guides[0], y), twoRows(s.guides[1], y)
	for x := range s.columns {
		u, v, w := fixed(t.mean(x)), fixed(a.mean(x)), fixed(b.mean(x))
		m, signedV, signedW := &s.columns[x], sign*v, sign*w
		m.t, m.a, m.b, m.tt = m.t+sign*u, m.a+signedV, m.b+signedW, m.tt+sign*(u*u)
		m.at, m.bt = m.at+signedV*u, m.bt+signedW*u
		m.aa, m.ab, m.bb = m.aa+signedV*v, m.ab+signedV*w, m.bb+signedW*w
	}
}

// rowPair is two rows of a plane that give one at half the size, as patchify.Downsample2 does.
type rowPair struct{ above, below []float32 }

func twoRows(p patchify.Plane, y int) rowPair {
	return rowPair{p.Row(2 * y), p.Row(min(2*y+1, p.Height-1))}
}

func (r rowPair) mean(x int) float32 {
	left, right := 2*x, min(2*x+1, len(r.above)-1)
	return ((r.above[left] + r.above[right]) + (r.below[left] + r.below[right])) / 4
}

// fitRow computes the factors of the next row.
func (s *predictionRows) fitRow() {
	for y := s.fits.next; s.sums < y; s.sums++ {
		s.addRow(s.sums-s.radius, -1)
		s.addRow(s.sums+s.radius+1, 1)
	}
	out := s.fits.push()
	w, r := len(s.columns), s.radius
	part := w + 2*r
	var m moments
	for x := -r; x <= r; x++ {
		m.add(s.column(x))
	}
	for x := range w {
		f := m.fit((2*r + 1) * (2*r + 1))
		at := r + x
		out[at], out[part+at], out[2*part+at], out[3*part+at] = f[0], f[1], f[2], f[3]
		m.subtract(s.column(x - r))
		m.add(s.column(x + r + 1))
	}
	for k := range fitParts {
		row := out[k*part:][:part]
		for i := range r {
			row[i], row[part-1-i] = row[r], row[part-1-r]
		}
	}
}

func (s *predictionRows) column(x int) *moments { return &s.columns[min(max(x, 0), len(s.columns)-1)] }

// meanRow computes the means of the factors of the next row.
func (s *predictionRows) meanRow() {
	_, height := s.half()
	w, r, y := len(s.columns), s.radius, s.means.next
	for s.fits.next <= min(y+r, height-1) {
		s.fitRow()
	}
	clear(s.total)
	for i := y - r; i <= y+r; i++ {
		for x, v := range s.fits.at(min(max(i, 0), height-1)) {
			s.total[x] += v
		}
	}
	out := s.means.push()
	part := w + 2*r
	u, v, c, weights := s.total[:part], s.total[part:2*part], s.total[2*part:3*part], s.total[3*part:]
	for x := range w {
		var sums [fitParts]float32
		for i := x; i <= x+2*r; i++ {
			sums[0], sums[1], sums[2], sums[3] = sums[0]+u[i], sums[1]+v[i], sums[2]+c[i], sums[3]+weights[i]
		}
		scale := 1 / sums[3]
		out[x], out[w+x], out[2*w+x] = scale*sums[0], scale*sums[1], scale*sums[2]
	}
}

// extend computes the rows before a given one that are not there yet.
func (s *predictionRows) extend(to int) {
	_, height := s.half()
	for y := s.from + s.kept.Height; y < to; y++ {
		near, far := y/2, nextNearest(y, height)
		for s.means.next <= max(near, far) {
			s.meanRow()
		}
		below := s.means.at(far)
		for i, v := range s.means.at(near) {
			s.between[i] = 0.75*v + 0.25*below[i]
		}
		s.kept.Height++
		s.kept.Pix = append(s.kept.Pix, s.guides[0].Row(y)...)
		s.apply(s.kept.Row(s.kept.Height-1), s.guides[1].Row(y))
	}
}

// apply replaces a row of the first guide by the prediction.
func (s *predictionRows) apply(row, second []float32) {
	w := len(s.columns)
	a, b, c := s.between[:w], s.between[w:2*w], s.between[2*w:3*w]
	for x := range row {
		i, j := x/2, nextNearest(x, w)
		row[x] = (0.75*a[i]+0.25*a[j])*row[x] + (0.75*b[i]+0.25*b[j])*second[x] + (0.75*c[i] + 0.25*c[j])
	}
}

// nextNearest returns the index of the second nearest of n samples at half the size, seen from sample i at full size.
func nextNearest(i, n int) int {
	if i%2 == 0 {
		return max(i/2-1, 0)
	}
	return min(i/2+1, n-1)
}

// drop forgets the rows before a given one.
func (s *predictionRows) drop(before int) {
	if n := min(before-s.from, s.kept.Height); n > 0 {
		s.kept.Pix = append(s.kept.Pix[:0], s.kept.Pix[n*s.kept.Width:]...)
		s.kept.Height -= n
		s.from += n
	}
}
