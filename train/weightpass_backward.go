package train

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// weightGradient is the gradient by the parameters of a weight function.
type weightGradient struct {
	A, B       []float64
	B0, B1, A0 float64
	Bias       []float64 // for each signal
}

func (g *weightGradient) clear() {
	clear(g.A)
	clear(g.B)
	clear(g.Bias)
	g.B0, g.B1, g.A0 = 0, 0, 0
}

// backward takes the gradients gd and ge by the penalties and adds those by the parameters to g and those by the
// coefficients to gwp and gwy. It overwrites the results of forward.
func (w *weightPass) backward(f *stage.WeightFunction, g *weightGradient, gwp, gwy, gd, ge, wp, wy []float64) {
	const nf = stage.WeightFeatures
	w.backOutputs(g, gd, ge)
	b := blas64.General{Rows: w.hidden, Cols: 2, Stride: 2, Data: f.B}
	gb := blas64.General{Rows: w.hidden, Cols: 2, Stride: 2, Data: g.B}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, w.active, w.out, 1, gb)
	back := newGeneral(w.active.Rows, w.hidden)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, w.out, b, 0, back)
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
	// from here on features holds the gradients by them
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, back, a, 0, w.features)
	for i := range gd {
		w.features.Data[i*nf] -= f.A0 * w.out.Data[2*i]
	}
	w.backFeatures(gwp, gwy, wp, wy)
}

// backOutputs replaces the outputs by the gradients by them, and adds the gradients by the scalars to g.
func (w *weightPass) backOutputs(g *weightGradient, gd, ge []float64) {
	out := w.out.Data
	for i := range gd {
		o0, o1 := gd[i]*w.d[i], ge[i]*w.e[i]
		if clipped(out[2*i]) {
			o0 = 0
		}
		if clipped(out[2*i+1]) {
			o1 = 0
		}
		out[2*i], out[2*i+1] = o0, o1
		g.B0 += o0
		g.B1 += o1
		g.A0 -= o0 * w.features.Data[i*stage.WeightFeatures]
	}
}

// clipped reports whether clipLog changes v or v is at a bound, where its derivative is 0.
func clipped(v float64) bool { return !(v > kernel.MinLogWeight && v < kernel.MaxLogWeight) }

// backFeatures adds the gradients by the coefficients, given those by the features in w.features.
func (w *weightPass) backFeatures(gwp, gwy, wp, wy []float64) {
	for l := range w.signals {
		first, end := l*w.k, (l+1)*w.k
		var g1, g4 float64
		for at := first; at < end; at++ {
			f := w.featuresOf(at)
			if w.block == 0 {
				f[1], f[4] = f[1]+f[2], f[4]+f[5]
			}
			g1 += f[1]
			g4 += f[4]
		}
		pp, rr := sumsOfSquares(wp, wy, first, w.k, 1)
		g1 *= logRootSlope(pp/float64(w.k), w.k, kernel.PilotOffset)
		g4 *= logRootSlope(rr/float64(w.k), w.k, kernel.ResidualOffset)
		for at := first; at < end; at++ {
			f, p, r := w.featuresOf(at), wp[at], wy[at]-wp[at]
			gr := f[3]*logSlope(r, kernel.ResidualOffset) + g4*r
			gwp[at] += f[0]*logSlope(p, kernel.PilotOffset) + g1*p - gr
			gwy[at] += f[6]*logSlope(wy[at], kernel.NoisyOffset) + gr
		}
	}
	w.eachBlockRow(func(first int) {
		var g2, g5 float64
		for l := range w.block {
			f := w.featuresOf(first + l*w.k)
			g2 += f[2]
			g5 += f[5]
		}
		pp, rr := sumsOfSquares(wp, wy, first, w.block, w.k)
		g2 *= logRootSlope(pp/float64(w.block), w.block, kernel.PilotOffset)
		g5 *= logRootSlope(rr/float64(w.block), w.block, kernel.ResidualOffset)
		for l := range w.block {
			at := first + l*w.k
			p, r := wp[at], wy[at]-wp[at]
			gwp[at] += g2*p - g5*r
			gwy[at] += g5 * r
		}
	})
}

// logSlope returns the derivative of log(|v| + offset).
func logSlope(v, offset float64) float64 {
	return math.Copysign(1, v) / (math.Abs(v) + offset)
}

// logRootSlope returns c with d logRoot(mean of v^2) = c (sum of v dv), for a mean over count values.
func logRootSlope(mean float64, count int, offset float64) float64 {
	root := math.Sqrt(mean)
	if root == 0 {
		return 0
	}
	return 1 / (float64(count) * root * (root + offset))
}
