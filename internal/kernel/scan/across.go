package scan

// Across finds, for the references of a block, the most similar patches in another plane, such as the next page of a
// series. Open, Begin and Against must be called before Scan, in this order.
type Across struct {
	size, count int
	*loops

	ys        []int // rows of the references in the block
	x0, y0    int   // corner of the block in its plane
	columns   int   // that scan sums
	height    int   // of the block with its patches
	width     int   // of both planes
	corners   []int32
	places    []int32
	bounds    []float32
	distances []float32
	found     []int32

	from, to   []float32 // the block, and the part of the other plane around its place there
	pitch      int       // samples from row to row of both
	reach      int       // largest offset from that place
	atX, atY   int       // offset of that place from the block
	base       int32     // added to the corners of the other plane
	sums, near []float32 // scratch memory of the loops
	hits       []int32
}

// NewAcross returns an Across for patches of size x size samples and lists of count patches, with offsets of at most
// reach samples.
func NewAcross(size, count, reach int) *Across {
	return &Across{size: size, count: count, reach: reach, loops: choose(size, count)}
}

// Open starts a block of references in the columns x0 + xs and the rows y0 + ys of a plane.
func (a *Across) Open(p Plane, x0, y0 int, xs, ys []int) {
	a.ys, a.x0, a.y0, a.width = ys, x0, y0, p.Width
	a.columns, a.height = roundUp(xs[len(xs)-1]+a.size), ys[len(ys)-1]+a.size
	a.pitch = roundUp(a.columns+2*a.reach) | Lanes
	a.from = resize(a.from, a.height*a.pitch)
	gatherPart(a.from, p, x0, y0, a.columns, a.height, a.pitch)
	n := len(xs) * len(ys)
	a.corners, a.distances, a.found = resize(a.corners, n), resize(a.distances, n*a.count), resize(a.found, n*a.count)
	a.bounds, a.places = resize(a.bounds, roundUp(n)), resize(a.places, roundUp(n))
	for i := range a.places {
		a.places[i] = 0
	}
	for i := range n {
		x, row := xs[i%len(xs)], i/len(xs)
		a.corners[i] = int32((y0+ys[row])*p.Width + x0 + x)
		a.places[i] = int32(row*a.columns + x)
	}
	a.sums = resize(a.sums, len(ys)*a.columns)
	a.hits, a.near = resize(a.hits, len(a.bounds)+Lanes), resize(a.near, len(a.bounds)+Lanes)
}

// Begin empties all lists. What is found next has base added to its corners.
func (a *Across) Begin(base int32) {
	a.base = base
	for i := range a.bounds {
		a.bounds[i] = -1
	}
	for i := range a.corners {
		a.bounds[i] = farthest
	}
	for i := range a.distances {
		a.distances[i], a.found[i] = farthest, -1
	}
}

// Against makes Scan look at a plane of the same width, around the place that is (x, y) away from the block.
func (a *Across) Against(p Plane, x, y int) {
	a.atX, a.atY = x, y
	height := a.height + 2*a.reach
	a.to = resize(a.to, height*a.pitch)
	gatherPart(a.to, p, a.x0+x-a.reach, a.y0+y-a.reach, a.columns+2*a.reach, height, a.pitch)
}

// Scan compares each reference with the patch at an offset from the place of Against. The penalty is added to its
// squared distance. An offset from the block must not be scanned twice after Begin.
func (a *Across) Scan(dx, dy int, penalty float32) {
	to := a.to[(dy+a.reach)*a.pitch+dx+a.reach:]
	n := a.scan(a.hits, a.near, a.sums, a.from, to, a.bounds, a.places, a.ys, a.size, a.columns, a.pitch)
	if penalty > 0 {
		n = a.punish(n, penalty)
	}
	shift := (dy+a.atY)*a.width + dx + a.atX + int(a.base)
	a.insert(a.bounds, a.distances, a.found, a.corners, a.hits[:n], a.near[:n], a.count, shift)
}

// punish adds a penalty to the first n hits, and returns how many still are some.
func (a *Across) punish(n int, penalty float32) (left int) {
	for i, h := range a.hits[:n] {
		if d := a.near[i] + penalty; d <= a.bounds[h] {
			a.hits[left], a.near[left] = h, d
			left++
		}
	}
	return left
}

// List returns the corners of the patches that are most similar to reference i, in order of their distance with its
// penalty. They are -1 where there are too few patches.
func (a *Across) List(i int) []int32 { return a.found[i*a.count:][:a.count] }

// Corner returns the corner of reference i.
func (a *Across) Corner(i int) int32 { return a.corners[i] }

// Offset returns where a patch of the list of a reference is, seen from the reference.
func (a *Across) Offset(i int, corner int32) (x, y int) {
	at, from := int(corner-a.base), int(a.corners[i])
	return at%a.width - from%a.width, at/a.width - from/a.width
}

// gatherPart copies a part of a plane to rows that start pitch samples apart. Samples outside the plane are +Inf.
func gatherPart(dst []float32, p Plane, x0, y0, width, height, pitch int) {
	left, right := min(max(-x0, 0), width), max(min(p.Width-x0, width), 0)
	for r := range height {
		row := dst[r*pitch:][:pitch]
		y := y0 + r
		if y < 0 || y >= p.Height || left >= right {
			fillOutside(row)
			continue
		}
		fillOutside(row[:left])
		copy(row[left:right], p.Pix[y*p.Width+x0+left:])
		fillOutside(row[right:])
	}
}
