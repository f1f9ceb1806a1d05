package main

import "fmt"

// kernel describes a function that multiplies a packed matrix by a panel. Its tail finishes every element of the
// product while that is still in a register. With noProduct, the tail gets the elements of the start panel instead.
type kernel struct {
	name      string
	doc       []string
	signature string
	panels    []string // parameters addressed like the product
	perRow    string   // parameter with one value for each row
	constants []string
	start     string // panel that the sums start from; "" is zero
	noProduct bool
	tail      func(m machine, at place)
}

// lanes is the width of a panel, as kernel.Lanes.
const lanes = 48

var kernels = []kernel{
	{
		name:      "mul",
		doc:       []string{"c = a b"},
		signature: "func(c, a, b []float32, rows, cols int)",
		panels:    []string{"c"},
		tail:      func(m machine, at place) { m.store("c", at, at.sum()) },
	},
	{
		name:      "affine",
		doc:       []string{"c = a b + bias, with one bias for each row"},
		signature: "func(c, a, b, bias []float32, rows, cols int)",
		panels:    []string{"c"},
		perRow:    "bias",
		tail: func(m machine, at place) {
			m.addRow(at.sum(), at)
			m.store("c", at, at.sum())
		},
	},
	{
		name:      "rectified",
		doc:       []string{"c = max(a b + bias, 0), with one bias for each row"},
		signature: "func(c, a, b, bias []float32, rows, cols int)",
		panels:    []string{"c"},
		perRow:    "bias",
		tail: func(m machine, at place) {
			m.addRow(at.sum(), at)
			m.cut(at.sum())
			m.store("c", at, at.sum())
		},
	},
	{
		name:      "primalStep",
		doc:       []string{"x = scale (y + a b), with one scale for each row"},
		signature: "func(x, a, b, y, scale []float32, rows, cols int)",
		panels:    []string{"x", "y"},
		perRow:    "scale",
		start:     "y",
		tail: func(m machine, at place) {
			m.mulRow(at.sum(), at)
			m.store("x", at, at.sum())
		},
	},
	{
		name:      "dual",
		doc:       []string{"u = clip(a b + q, -bound, bound), with one bound for each row"},
		signature: "func(u, a, b, q, bounds []float32, rows, cols int)",
		panels:    []string{"u", "q"},
		perRow:    "bounds",
		start:     "q",
		tail: func(m machine, at place) {
			u := temp(3)
			m.clipNaN(u, at.sum(), "bounds", at)
			m.store("u", at, u)
		},
	},
	{
		name: "dualStep",
		doc: []string{"s = a b + q", "e = clip(s, -bound, bound) - s, with one bound for each row",
			"q = s + c1 e", "v = -q - c2 e"},
		signature: "func(v, a, b, q, bounds []float32, rows, cols int, c1, c2 float32)",
		panels:    []string{"v", "q"},
		perRow:    "bounds",
		constants: []string{"c1", "c2"},
		start:     "q",
		tail: func(m machine, at place) {
			v := temp(3)
			m.clip(v, at.sum(), "bounds", at)
			update(m, v, at.sum(), "q", at)
			m.store("v", at, v)
		},
	},
	{
		name: "startSingle",
		doc: []string{
			"y = a b", "s = rho y", "e = clip(s, -bound, bound) - s, with one bound for each row",
			"q = s + c1 e", "v = (-q - c2 e) - next y",
		},
		signature: "func(v, a, b, q, y, bounds []float32, rows, cols int, c1, c2, rho, next float32)",
		panels:    []string{"v", "q", "y"},
		perRow:    "bounds",
		constants: []string{"c1", "c2", "rho", "next"},
		tail: func(m machine, at place) {
			m.store("y", at, at.sum())
			m.scale(at.sum(), "rho")
			finishSingle(m, at)
		},
	},
	{
		name: "dualStepSingle",
		doc: []string{
			"s = scale (y + a b) + q", "e = clip(s, -bound, bound) - s, with one bound for each row",
			"q = s + c1 e", "v = (-q - c2 e) - next y",
		},
		signature: "func(v, a, b, q, y, bounds []float32, rows, cols int, c1, c2, scale, next float32)",
		panels:    []string{"v", "q", "y"},
		perRow:    "bounds",
		constants: []string{"c1", "c2", "scale", "next"},
		start:     "y",
		tail: func(m machine, at place) {
			m.scale(at.sum(), "scale")
			m.addPanel(at.sum(), at.sum(), "q", at)
			finishSingle(m, at)
		},
	},
	{
		name: "dualStepPair",
		doc: []string{
			"s = scale (y + a b) + q", "t = scale (y + a b) + r",
			"f = clip(s, -d, d) - s", "g = clip(t - rho p, -e, e) - t",
			"q = s + c1 f", "r = t + c1 g",
			"v = ((-q - c2 f) + (-r - c2 g)) - next y, with panels of bounds d and e",
		},
		signature: "func(v, a, b, q, r, d, e, p, y []float32, rows, cols int, c1, c2, rho, scale, next float32)",
		panels:    []string{"v", "q", "r", "d", "e", "p", "y"},
		constants: []string{"c1", "c2", "rho", "scale", "next"},
		start:     "y",
		tail: func(m machine, at place) {
			s, t, v := at.sum(), temp(2), temp(3)
			m.scale(s, "scale")
			m.addPanel(t, s, "r", at)
			m.addPanel(s, s, "q", at)
			m.clip(v, s, "d", at)
			update(m, v, s, "q", at)
			m.subScaled(s, t, "rho", "p", at)
			m.clip(s, s, "e", at)
			update(m, s, t, "r", at)
			finish(m, s, v, at)
		},
	},
	{
		name: "startPair",
		doc: []string{
			"s = t = rho p",
			"f = clip(s, -d, d) - s", "g = -t",
			"q = s + c1 f", "r = t + c1 g",
			"v = ((-q - c2 f) + (-r - c2 g)) - next y, with a panel of bounds d",
		},
		signature: "func(v, q, r, d, p, y []float32, rows int, c1, c2, rho, next float32)",
		panels:    []string{"v", "q", "r", "d", "p", "y"},
		constants: []string{"c1", "c2", "rho", "next"},
		start:     "p",
		noProduct: true,
		tail: func(m machine, at place) {
			s, t, v := at.sum(), temp(2), temp(3)
			m.scale(s, "rho")
			m.move(t, s)
			m.clip(v, s, "d", at)
			update(m, v, s, "q", at)
			m.zero(s)
			update(m, s, t, "r", at)
			finish(m, s, v, at)
		},
	},
}

// finishSingle is the end of a dual step of one penalty, from s on.
func finishSingle(m machine, at place) {
	s, v := at.sum(), temp(3)
	m.clip(v, s, "bounds", at)
	update(m, v, s, "q", at)
	m.subScaled(s, v, "next", "y", at)
	m.store("v", at, s)
}

// update is the end of a dual step. From the clipped u and s, it computes v in u and q in s, and stores q.
func update(m machine, u, s vec, q string, at place) {
	m.sub(u, s)
	m.addScaled(s, "c1", u)
	m.store(q, at, s)
	m.negScaledSub(u, "c2", s)
}

// finish is the end of a dual step of two penalties. It stores the sum of both parts minus the share of y.
func finish(m machine, s, v vec, at place) {
	m.add(s, v)
	m.subScaled(v, s, "next", "y", at)
	m.store("v", at, v)
}

// machine has the operations of tails for an instruction set. Tails may use temp(2) and temp(3). The operations
// overwrite temp(0) and temp(1).
type machine interface {
	store(panel string, at place, v vec)
	zero(dst vec)
	move(dst, v vec)
	scale(dst vec, constant string)                        // dst *= constant
	add(dst, v vec)                                        // dst += v
	sub(dst, v vec)                                        // dst -= v
	addPanel(dst, v vec, panel string, at place)           // dst = v + panel
	addScaled(dst vec, constant string, v vec)             // dst += constant v
	subScaled(dst, v vec, constant, panel string, _ place) // dst = v - constant panel, with dst other than v
	negScaledSub(dst vec, constant string, v vec)          // dst = -constant dst - v
	mulRow(dst vec, at place)                              // dst *= the value of the row
	addRow(dst vec, at place)                              // dst += the value of the row
	cut(dst vec)                                           // dst = max(dst, 0), NaN if dst is NaN
	clip(dst, v vec, bounds string, at place)              // dst = v in [-bounds, bounds], any value if v is NaN
	clipNaN(dst, v vec, bounds string, at place)           // the same, NaN if v is NaN
}

// vec names a vector register: 0 and above the sums of a tile, below 0 the temporaries.
type vec int

func temp(i int) vec { return vec(-1 - i) }

// place is vector j of row i of the tile.
type place struct{ i, j int }

// tileVectors is the width of all tiles in vectors.
const tileVectors = 3

func (p place) sum() vec { return vec(p.i*tileVectors + p.j) }

// tile says how wide vectors are, and how a product is cut into tiles.
type tile struct {
	suffix string // end of function names
	rows   int    // rows of the matrix that Pack interleaves
	width  int    // lanes of one vector
	unroll int
}

func (t tile) chunkBytes() int { return tileVectors * t.width * 4 }

func (t tile) chunks() int { return lanes * 4 / t.chunkBytes() }

// offset returns the distance of a place from the start of the tile, in bytes.
func (t tile) offset(p place) int { return (p.i*lanes + p.j*t.width) * 4 }

// each calls f for the vectors of row i.
func each(i int, f func(at place)) {
	for j := range tileVectors {
		f(place{i, j})
	}
}

// of returns the tile for a kernel. Without a product, more than one row would not help.
func (t tile) of(k kernel) tile {
	if k.noProduct {
		t.rows = 1
	}
	return t
}

// comment returns the documentation of the kernel. The first line follows the name.
func (k kernel) comment(t tile) []string {
	lines := []string{fmt.Sprintf("computes, for a of rows x cols packed in tiles of %d rows:", t.rows), ""}
	if k.noProduct {
		lines[0] = "computes, for panels of the given rows:"
	}
	for _, l := range k.doc {
		lines = append(lines, "\t"+l)
	}
	return lines
}

// sameAs returns the documentation of a function whose plain Go version has the details.
func sameAs(name string) string { return "is " + name + " in assembly." }
