package guided

import (
	"context"
	"math"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/convnet"
	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Denoiser is a network that is ready to run on planes. Goroutines may share it.
type Denoiser struct {
	*Network
	run     *convnet.Runner
	scratch sync.Pool // of *scratch
}

// NewDenoiser prepares a network that Check accepts.
func NewDenoiser(n *Network) *Denoiser {
	d := &Denoiser{Network: n, run: convnet.NewRunner(n.Net)}
	d.scratch.New = func() any { return newScratch(n) }
	return d
}

// Denoise writes the result for patches at the given stride to dst. The result does not depend on the number of workers.
// Done is told the number of patches after each band, by several goroutines at the same time.
func (d *Denoiser) Denoise(ctx context.Context, dst patchify.Plane, in Input, stride, workers int, done func(patches int)) error {
	g, err := patchify.NewGrid(in.Noisy.Width, in.Noisy.Height, PatchSide, stride)
	if err != nil {
		return err
	}
	all := make([]*scratch, parallel.Workers(workers))
	for i := range all {
		all[i] = d.scratch.Get().(*scratch)
		defer d.scratch.Put(all[i])
	}
	return patchify.Average(ctx, dst, g, workers, func(worker int, b patchify.Band, acc *patchify.Accumulator) {
		d.band(all[worker], in, g, b, acc)
		done(b.Grid.Len())
	})
}

// scratch is the memory of one worker.
type scratch struct {
	convnet.Scratch
	panels
	hidden, out []float32            // panels of the outputs of the first and the last layer
	states      [2]*convnet.TileGrid // outputs of a layer and of the one before
}

func newScratch(n *Network) *scratch {
	return &scratch{panels: newPanels(n), hidden: make([]float32, n.Net[0].Out*kernel.Lanes), out: make([]float32, outputs(n.Signed())*kernel.Lanes),
		states: [2]*convnet.TileGrid{new(convnet.TileGrid), new(convnet.TileGrid)}}
}

// band denoises the patches of some rows of a grid. The convolutions see as many further rows as they reach. Their tiles start at even rows
// of the whole grid, so that the rounding does not depend on the band.
func (d *Denoiser) band(s *scratch, in Input, whole patchify.Grid, b patchify.Band, acc *patchify.Accumulator) {
	width, reach := len(whole.Xs), d.Net.Reach()
	first := b.From / width
	top, end := max(first-reach, 0)&^1, min(first+len(b.Grid.Ys)+reach, len(whole.Ys))
	seen := whole
	seen.Ys = whole.Ys[top:end]

	last := len(d.Net) - 1
	state, next := s.states[0], s.states[1]
	state.Reset(d.Net[0].Out, width, end-top)
	eachPanel(seen, func(r run) {
		s.read(in, r)
		d.run.Panel(s.hidden, 0, s.features)
		r.each(func(lane, n, x, y int, _ []int, _ int) { state.Put(x, y, s.hidden, lane, n) })
	})
	for l := 1; l < last; l++ {
		next.Reset(d.Net[l].Out, width, end-top)
		reach -= d.Net[l].Side / 2
		from, to := max(first-reach, 0)-top, min(first+len(b.Grid.Ys)+reach, len(whole.Ys))-top
		d.run.ConvolveTiles(next, state, l, from, to, &s.Scratch) // the rows that later layers see
		state, next = next, state
	}
	eachPanel(b.Grid, func(r run) {
		s.analyse(s.y, in.Noisy, r)
		s.analyse(s.p, in.Pilot, r)
		r.each(func(lane, n, x, y int, _ []int, _ int) { state.Get(s.hidden, lane, n, x, y+first-top) })
		d.run.Panel(s.out, last, s.hidden)
		if s.signed {
			s.logs()
		}
		d.solvePanel(s.z, s.out, s.y, s.p, s.features)
		kernel.InverseDCT(s.patches, s.z)
		r.each(func(lane, _, _, _ int, xs []int, y int) { acc.AddRun(s.patches, kernel.Lanes, lane, xs, y) })
	})
}

// panels holds the patches of a panel and what the network makes of them. Lanes without a patch keep their content, which
// affects no other lane.
type panels struct {
	patches, y, p, z []float32
	guides           [][]float32
	features         []float32
	signed           bool
}

func newPanels(n *Network) panels {
	panel := func() []float32 { return make([]float32, panelLen) }
	s := panels{patches: panel(), y: panel(), p: panel(), z: panel(), features: make([]float32, n.Net[0].In*kernel.Lanes), signed: n.Signed()}
	for range n.Guides {
		s.guides = append(s.guides, panel())
	}
	return s
}

// read fills y, p, guides and features.
func (s *panels) read(in Input, r run) {
	s.analyse(s.y, in.Noisy, r)
	s.analyse(s.p, in.Pilot, r)
	s.logs()
	rest := s.features[3*panelLen:]
	next := func() (panel []float32) {
		panel, rest = rest[:panelLen], rest[panelLen:]
		return panel
	}
	for i, g := range in.Guides {
		s.analyse(s.guides[i], g, r)
		kernel.Logs(next(), s.guides[i])
	}
	if s.signed {
		signedLogs(next(), s.p)
		difference := next()
		for i, y := range s.y {
			difference[i] = y - s.p[i]
		}
	}
	row := rest[:kernel.Lanes]
	for i := range row {
		row[i] = in.Level
	}
}

// panelLen is the number of coefficients of a panel.
const panelLen = Coefs * kernel.Lanes

// logs sets the first features to the logarithms of p, y-p and y.
func (s *panels) logs() {
	kernel.Logs(s.features[:panelLen], s.p)
	kernel.LogsOfDifference(s.features[panelLen:2*panelLen], s.y, s.p)
	kernel.Logs(s.features[2*panelLen:3*panelLen], s.y)
}

// signedLogs sets dst to about log(|v| + 1) with the sign of v. Where |v| + 1 is a power of two it is exact, and it is linear in between. The first
// row is 0: it has the means of patches, which networks need not know.
func signedLogs(dst, v []float32) {
	const sign, one = 1 << 31, 127 << 23
	clear(dst[:kernel.Lanes])
	for i := kernel.Lanes; i < len(v); i++ {
		bits := math.Float32bits(v[i])
		above := math.Float32bits(math.Float32frombits(bits&^sign)+1) - one
		log := float32(int32(above)) * (math.Ln2 / (1 << 23))
		dst[i] = math.Float32frombits(math.Float32bits(log) | bits&sign)
	}
}

// analyse writes the coefficients of the patches of a plane to dst.
func (s *panels) analyse(dst []float32, p patchify.Plane, r run) {
	r.each(func(lane, _, _, _ int, xs []int, y int) { extract(s.patches, lane, p, xs, y) })
	kernel.DCT(dst, s.patches)
}

// extract copies the patches of a run to lanes of a panel.
func extract(panel []float32, lane int, p patchify.Plane, xs []int, y int) {
	n := regular(xs) / kernel.PatchRun * kernel.PatchRun
	if n > 0 {
		kernel.ExtractPatches(panel[lane:], p.Pix[y*p.Width+xs[0]:], n, p.Width)
	}
	if n < len(xs) {
		patchify.ExtractRun(panel, kernel.Lanes, lane+n, p, xs[n:], y, PatchSide)
	}
}

// regular returns how many patches from the first on are kernel.PatchStep samples apart. The last of a row may be nearer.
func regular(xs []int) int {
	n := len(xs)
	for n > 1 && xs[n-1]-xs[0] != (n-1)*kernel.PatchStep {
		n--
	}
	return n
}

// run is the patches of a panel: some neighbouring ones of a grid.
type run struct {
	grid     patchify.Grid
	from, to int
}

// eachPanel calls f for all patches of a grid, a panel at a time.
func eachPanel(g patchify.Grid, f func(r run)) {
	for at := 0; at < g.Len(); at += kernel.Lanes {
		f(run{g, at, min(at+kernel.Lanes, g.Len())})
	}
}

// each calls f for the patches in each row of the grid: n patches from lane on, whose cells start at (x, y), with the corners xs and
// top.
func (r run) each(f func(lane, n, x, y int, xs []int, top int)) {
	w := len(r.grid.Xs)
	r.grid.Runs(r.from, r.to, func(i int, xs []int, top int) { f(i-r.from, len(xs), i%w, i/w, xs, top) })
}
