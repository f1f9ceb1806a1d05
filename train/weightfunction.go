package train

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// weightPass runs a stage.WeightFunction on the coefficients of signals in float64, forwards and backwards. Coefficient
// i of signal l is number l*k + i everywhere. See stage.WeightFunction for what is computed.
type weightPass struct {
	signals, k, hidden int
	block              int // members of a block of signals, which share f2 and f5; 0: each signal is on its own

	features blas64.General // a row for each coefficient
	active   blas64.General // hidden units after max(0, .)
	out      blas64.General // o0, o1 before the clip
	d, e     []float64
}

func newGeneral(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

func newWeightPass(signals, k, hidden, block int) *weightPass {
	n := signals * k
	return &weightPass{signals: signals, k: k, hidden: hidden, block: block,
		features: newGeneral(n, stage.WeightFeatures), active: newGeneral(n, hidden), out: newGeneral(n, 2),
		d: make([]float64, n), e: make([]float64, n)}
}

// forward sets d and e from the coefficients of the pilots and of the noisy signals; bias holds the hidden units' bias
// for each signal.
func (w *weightPass) forward(f *stage.WeightFunction, wp, wy []float64, bias []float64) {
	w.setFeatures(wp, wy)
	for l := range w.signals {
		for i := range w.k {
			copy(w.active.Data[(l*w.k+i)*w.hidden:], bias[l*w.hidden:(l+1)*w.hidden])
		}
	}
	a := blas64.General{Rows: w.hidden, Cols: stage.WeightFeatures, Stride: stage.WeightFeatures, Data: f.A}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, w.features, a, 1, w.active)
	for i, v := range w.active.Data {
		w.active.Data[i] = max(0, v)
	}
	for i := range w.d {
		w.out.Data[2*i] = f.B0 - f.A0*w.features.Data[i*stage.WeightFeatures]
		w.out.Data[2*i+1] = f.B1
	}
	b := blas64.General{Rows: w.hidden, Cols: 2, Stride: 2, Data: f.B}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, w.active, b, 1, w.out)
	for i := range w.d {
		w.d[i] = math.Exp(clipLog(w.out.Data[2*i]))
		w.e[i] = math.Exp(clipLog(w.out.Data[2*i+1]))
	}
}

func clipLog(v float64) float64 { return max(kernel.MinLogWeight, min(v, kernel.MaxLogWeight)) }

func inClip(v float64) bool { return v > kernel.MinLogWeight && v < kernel.MaxLogWeight }

func (w *weightPass) setFeatures(wp, wy []float64) {
	k := w.k
	for l := range w.signals {
		p, y := wp[l*k:(l+1)*k], wy[l*k:(l+1)*k]
		var pp, rr float64
		for i := range p {
			r := y[i] - p[i]
			pp += p[i] * p[i]
			rr += r * r
		}
		f1, f4 := logRoot(pp/float64(k), kernel.PilotOffset), logRoot(rr/float64(k), kernel.ResidualOffset)
		for i := range p {
			f := w.featuresOf(l, i)
			f[0] = math.Log(math.Abs(p[i]) + kernel.PilotOffset)
			f[1], f[2] = f1, f1
			f[3] = math.Log(math.Abs(y[i]-p[i]) + kernel.ResidualOffset)
			f[4], f[5] = f4, f4
			f[6] = math.Log(math.Abs(y[i]) + kernel.NoisyOffset)
		}
	}
	if w.block == 0 {
		return
	}
	for first := 0; first < w.signals; first += w.block {
		for i := range k {
			var pp, rr float64
			for l := first; l < first+w.block; l++ {
				p := wp[l*k+i]
				r := wy[l*k+i] - p
				pp += p * p
				rr += r * r
			}
			f2, f5 := logRoot(pp/float64(w.block), kernel.PilotOffset), logRoot(rr/float64(w.block), kernel.ResidualOffset)
			for l := first; l < first+w.block; l++ {
				f := w.featuresOf(l, i)
				f[2], f[5] = f2, f5
			}
		}
	}
}

func (w *weightPass) featuresOf(l, i int) []float64 {
	return w.features.Data[(l*w.k+i)*stage.WeightFeatures:][:stage.WeightFeatures]
}

func logRoot(mean, offset float64) float64 { return math.Log(math.Sqrt(mean) + offset) }

// logRootSlope is c in d logRoot(mean of v^2) = c (sum of v dv), for a mean of count values.
func logRootSlope(mean float64, count int, offset float64) float64 {
	root := math.Sqrt(mean)
	if root == 0 {
		return 0
	}
	return 1 / (float64(count) * root * (root + offset))
}

// weightGradient is what the weight function's parameters get from one pass.
type weightGradient struct {
	A, B       []float64
	B0, B1, A0 float64
	Bias       []float64 // of each signal
}

func (g *weightGradient) clear() {
	clear(g.A)
	clear(g.B)
	clear(g.Bias)
	g.B0, g.B1, g.A0 = 0, 0, 0
}

// backward adds to g and to gwp and gwy, the gradients of the coefficients, what the gradients gd and ge of the weights
// bring. It overwrites gd, ge and the pass.
func (w *weightPass) backward(f *stage.WeightFunction, g *weightGradient, gwp, gwy, gd, ge, wp, wy []float64) {
	const nf = stage.WeightFeatures
	out := w.out
	for i := range gd {
		o0, o1 := gd[i]*w.d[i], ge[i]*w.e[i]
		if !inClip(out.Data[2*i]) {
			o0 = 0
		}
		if !inClip(out.Data[2*i+1]) {
			o1 = 0
		}
		out.Data[2*i], out.Data[2*i+1] = o0, o1
		g.B0 += o0
		g.B1 += o1
		g.A0 -= o0 * w.features.Data[i*nf]
	}
	b := blas64.General{Rows: w.hidden, Cols: 2, Stride: 2, Data: f.B}
	gb := blas64.General{Rows: w.hidden, Cols: 2, Stride: 2, Data: g.B}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, w.active, out, 1, gb)
	back := newGeneral(w.active.Rows, w.hidden)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, out, b, 0, back)
	for i, v := range w.active.Data {
		if v == 0 {
			back.Data[i] = 0
		}
	}
	for l := range w.signals {
		sum := g.Bias[l*w.hidden : (l+1)*w.hidden]
		for i := range w.k {
			for h, v := range back.Data[(l*w.k+i)*w.hidden:][:w.hidden] {
				sum[h] += v
			}
		}
	}
	a := blas64.General{Rows: w.hidden, Cols: nf, Stride: nf, Data: f.A}
	ga := blas64.General{Rows: w.hidden, Cols: nf, Stride: nf, Data: g.A}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, back, w.features, 1, ga)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, back, a, 0, w.features) // now the gradients of the features
	for i := range gd {
		w.features.Data[i*nf] -= f.A0 * out.Data[2*i]
	}
	w.backFeatures(gwp, gwy, wp, wy)
}

// backFeatures carries the gradients of the features, which stand in their place, to the coefficients.
func (w *weightPass) backFeatures(gwp, gwy, wp, wy []float64) {
	k := w.k
	for l := range w.signals {
		p, y := wp[l*k:(l+1)*k], wy[l*k:(l+1)*k]
		var pp, rr, g1, g4 float64
		for i := range p {
			f, r := w.featuresOf(l, i), y[i]-p[i]
			if w.block == 0 {
				f[1], f[4] = f[1]+f[2], f[4]+f[5]
			}
			g1 += f[1]
			g4 += f[4]
			pp += p[i] * p[i]
			rr += r * r
		}
		g1 *= logRootSlope(pp/float64(k), k, kernel.PilotOffset)
		g4 *= logRootSlope(rr/float64(k), k, kernel.ResidualOffset)
		for i := range p {
			f, r := w.featuresOf(l, i), y[i]-p[i]
			gr := f[3]*slopeOfLog(r, kernel.ResidualOffset) + g4*r
			gwp[l*k+i] += f[0]*slopeOfLog(p[i], kernel.PilotOffset) + g1*p[i] - gr
			gwy[l*k+i] += f[6]*slopeOfLog(y[i], kernel.NoisyOffset) + gr
		}
	}
	if w.block == 0 {
		return
	}
	for first := 0; first < w.signals; first += w.block {
		for i := range k {
			var pp, rr, g2, g5 float64
			for l := first; l < first+w.block; l++ {
				p := wp[l*k+i]
				r := wy[l*k+i] - p
				pp += p * p
				rr += r * r
				f := w.featuresOf(l, i)
				g2 += f[2]
				g5 += f[5]
			}
			g2 *= logRootSlope(pp/float64(w.block), w.block, kernel.PilotOffset)
			g5 *= logRootSlope(rr/float64(w.block), w.block, kernel.ResidualOffset)
			for l := first; l < first+w.block; l++ {
				p := wp[l*k+i]
				r := wy[l*k+i] - p
				gwp[l*k+i] += g2*p - g5*r
				gwy[l*k+i] += g5 * r
			}
		}
	}
}

// slopeOfLog is the derivative of log(|v| + offset).
func slopeOfLog(v, offset float64) float64 {
	return math.Copysign(1, v) / (math.Abs(v) + offset)
}
