package guided

import (
	"context"
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

// NewDenoiser prepares a network that Check accepts, on at most the given number of processors.
func NewDenoiser(n *Network, workers int) *Denoiser {
	d := &Denoiser{Network: n, run: convnet.NewRunner(n.Net, workers)}
	d.scratch.New = func() any { return newScratch(n) }
	return d
}

// Denoise writes the result for patches at the given stride to dst. The result does not depend on the number of
// workers. Done is told the number of patches after each band, by several goroutines at the same time.
func (d *Denoiser) Denoise(ctx context.Context, dst patchify.Plane, in Input, stride, workers int,
	done func(patches int)) error {
	g, err := patchify.NewGrid(in.Noisy.Width, in.Noisy.Height, PatchSide, stride)
	if err != nil {
		return err
	}
	all := make([]*scratch, parallel.Workers(workers))
	for i := range all {
		all[i] = d.scratch.Get().(*scratch)
		defer d.scratch.Put(all[i])
	}
	return patchify.AverageHighBands(ctx, dst, g, workers,
		func(worker int, b patchify.Band, acc *patchify.Accumulator) {
			d.band(ctx, all[worker], in, g, b, acc, done)
		})
}

// scratch is the memory of one worker.
type scratch struct {
	convnet.Scratch
	panels
	hidden, out []float32           // panels of the outputs of the first and the last layer
	states      []*convnet.TileGrid // outputs of all layers but the last, some rows of each
}

func newScratch(n *Network) *scratch {
	s := &scratch{panels: newPanels(n), hidden: make([]float32, n.Net[0].Out*kernel.Lanes),
		out: make([]float32, outputs(n.Predictions)*kernel.Lanes)}
	for range len(n.Net) - 1 {
		s.states = append(s.states, new(convnet.TileGrid))
	}
	return s
}

// A band is denoised in strips of some rows of patches, from top to bottom, and every layer keeps what the next one
// still needs of the rows above: stripKept rows, and one more above these. A strip of a layer begins stripKept rows
// higher than that of the layer before.
const stripKept = 2

// stripRows returns the rows of a strip, an even number. A strip of few patches leaves lanes of panels empty, and one
// of many takes much memory for each worker.
func stripRows(width int) int { return min(max(2, 2000/width&^1), 8) }

// band denoises the patches of some rows of a grid. The convolutions see as many further rows as they reach. Their
// tiles start at even rows of the whole grid, so that the rounding does not depend on the band.
func (d *Denoiser) band(ctx context.Context, s *scratch, in Input, whole patchify.Grid, b patchify.Band,
	acc *patchify.Accumulator, done func(patches int)) {
	width, height, reach := len(whole.Xs), len(whole.Ys), d.Net.Reach()
	first := b.From / width
	end := first + len(b.Grid.Ys)
	seen, strip := min(end+reach, height), stripRows(width)
	for l, state := range s.states {
		state.Reset(d.Net[l].Out, width, strip+stripKept)
		state.Clear()
	}
	last := len(s.states) - 1
	s.predict(in, whole.Ys[max(first-reach, 0)&^1])
	for top := max(first-reach, 0) &^ 1; top-last*stripKept < end && ctx.Err() == nil; top += strip {
		s.extend(whole.Ys[min(top+strip, seen)-1] + PatchSide)
		eachPanel(rowsOf(whole, min(top, seen), min(top+strip, seen)), func(r run) {
			s.read(in, r)
			d.run.Panel(s.hidden, 0, s.features)
			r.each(func(lane, n, x, y int, _ []int, _ int) { s.states[0].Put(x, y+stripKept, s.hidden, lane, n) })
		})
		clearOutside(s.states[0], top, strip, height)
		for l := 1; l <= last; l++ {
			d.run.ConvolveTiles(s.states[l], s.states[l-1], l, strip, stripKept, &s.Scratch)
			clearOutside(s.states[l], top-l*stripKept, strip, height)
		}
		ready := top - last*stripKept // the first row of the strip of the last state
		from, to := max(first, ready), min(end, ready+strip)
		if from < to {
			d.solve(s, in, rowsOf(whole, from, to), from-ready+stripKept, acc)
			done((to - from) * width)
		}
		for _, state := range s.states {
			state.Scroll()
		}
		if ready += strip; ready > first && ready < height {
			s.drop(whole.Ys[ready])
			acc.Done(whole.Ys[ready])
		}
	}
}

// rowsOf returns the rows from..to-1 of a grid.
func rowsOf(g patchify.Grid, from, to int) patchify.Grid {
	g.Ys = g.Ys[from:to]
	return g
}

// clearOutside clears the rows of a strip that are above or below the whole grid. Top is the strip's first row.
func clearOutside(state *convnet.TileGrid, top, rows, height int) {
	for y := top; y < top+rows; y++ {
		if y < 0 || y >= height {
			state.ClearRow(y - top + stripKept)
		}
	}
}

// solve denoises the patches of some rows. At is the row of the last state that belongs to the first of them.
func (d *Denoiser) solve(s *scratch, in Input, rows patchify.Grid, at int, acc *patchify.Accumulator) {
	last := len(d.Net) - 1
	eachPanel(rows, func(r run) {
		s.analyse(s.y, in.Noisy, r)
		s.analyse(s.p, in.Pilot, r)
		r.each(func(lane, n, x, y int, _ []int, _ int) { s.states[last-1].Get(s.hidden, lane, n, x, y+at) })
		d.run.Panel(s.out, last, s.hidden)
		if d.moves() {
			s.logs()
		}
		s.analysePredictions(r)
		d.solvePanel(s.z, s.out, s.y, s.p, s.features, s.differences)
		kernel.InverseDCT(s.patches, s.z)
		r.each(func(lane, _, _, _ int, xs []int, y int) { acc.AddRun(s.patches, kernel.Lanes, lane, xs, y) })
	})
}

// panels holds the patches of a panel and what the network makes of them. Lanes without a patch keep their content,
// which affects no other lane.
type panels struct {
	patches, y, p, z []float32
	guides           [][]float32
	predictions      []*predictionRows
	differences      [][]float32 // predictions less the pilot
	features         []float32
}

func newPanels(n *Network) panels {
	panel := func() []float32 { return make([]float32, panelLen) }
	s := panels{patches: panel(), y: panel(), p: panel(), z: panel(),
		features: make([]float32, n.Net[0].In*kernel.Lanes)}
	for range n.Guides {
		s.guides = append(s.guides, panel())
	}
	for range n.Predictions {
		s.predictions, s.differences = append(s.predictions, new(predictionRows)), append(s.differences, panel())
	}
	return s
}

// predict starts all predictions, at a row of the planes.
func (s *panels) predict(in Input, from int) {
	for j, p := range s.predictions {
		p.start(predictors[j], in, from)
	}
}

// extend computes the rows of all predictions before a given one.
func (s *panels) extend(to int) {
	for _, p := range s.predictions {
		p.extend(to)
	}
}

// drop forgets the rows of all predictions before a given one.
func (s *panels) drop(before int) {
	for _, p := range s.predictions {
		p.drop(before)
	}
}

// analysePredictions fills differences. The pilot must be there.
func (s *panels) analysePredictions(r run) {
	for j, p := range s.predictions {
		r.each(func(lane, _, _, _ int, xs []int, y int) { extract(s.patches, lane, p.kept, xs, y-p.from) })
		kernel.DCT(s.differences[j], s.patches)
		for i, v := range s.p {
			s.differences[j][i] -= v
		}
	}
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
	s.analysePredictions(r)
	for _, d := range s.differences {
		kernel.Logs(next(), d)
		for i, p := range s.p {
			s.z[i] = s.y[i] - p
		}
		kernel.LogsOfDifference(next(), s.z, d)
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

// regular returns how many patches from the first on are kernel.PatchStep samples apart. The last of a row may be
// nearer.
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

// each calls f for the patches in each row of the grid: n patches from lane on, whose cells start at (x, y), with the
// corners xs and top.
func (r run) each(f func(lane, n, x, y int, xs []int, top int)) {
	w := len(r.grid.Xs)
	r.grid.Runs(r.from, r.to, func(i int, xs []int, top int) { f(i-r.from, len(xs), i%w, i/w, xs, top) })
}
