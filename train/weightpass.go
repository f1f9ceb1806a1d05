package train

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// weightPass evaluates a stage.WeightFunction on the coefficients of signals in float64, forwards and backwards. See
// stage.WeightFunction for the formulas. Coefficient i of signal l is at l*k + i everywhere.
type weightPass struct {
	signals, k, hidden int
	block              int // number of signals of a block, which share f2 and f5; 0 = no blocks

	features blas64.General // a row for each coefficient
	active   blas64.General // hidden units after max(0, .), a row for each coefficient
	out      blas64.General // outputs before the clip, a row for each coefficient
	d, e     []float64
}

// newGeneral returns a matrix of zeros.
func newGeneral(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

func newWeightPass(signals, k, hidden, block int) *weightPass {
	n := signals * k
	return &weightPass{signals: signals, k: k, hidden: hidden, block: block,
		features: newGeneral(n, stage.WeightFeatures), active: newGeneral(n, hidden), out: newGeneral(n, 2),
		d: make([]float64, n), e: make([]float64, n)}
}

// forward computes d and e from the coefficients of the pilots and of the noisy signals. bias holds the biases of the
// hidden units for each signal.
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

func (w *weightPass) setFeatures(wp, wy []float64) {
	for l := range w.signals {
		pp, rr := sumsOfSquares(wp, wy, l*w.k, w.k, 1)
		f1, f4 := logRoot(pp/float64(w.k), kernel.PilotOffset), logRoot(rr/float64(w.k), kernel.ResidualOffset)
		for at := l * w.k; at < (l+1)*w.k; at++ {
			f := w.featuresOf(at)
			f[0] = math.Log(math.Abs(wp[at]) + kernel.PilotOffset)
			f[1], f[2] = f1, f1
			f[3] = math.Log(math.Abs(wy[at]-wp[at]) + kernel.ResidualOffset)
			f[4], f[5] = f4, f4
			f[6] = math.Log(math.Abs(wy[at]) + kernel.NoisyOffset)
		}
	}
	w.eachBlockRow(func(first int) {
		pp, rr := sumsOfSquares(wp, wy, first, w.block, w.k)
		f2, f5 := logRoot(pp/float64(w.block), kernel.PilotOffset), logRoot(rr/float64(w.block), kernel.ResidualOffset)
		for l := range w.block {
			f := w.featuresOf(first + l*w.k)
			f[2], f[5] = f2, f5
		}
	})
}

// eachBlockRow calls visit for each row of each block of signals, with the index of the coefficient of the first
// signal. The others follow at distances of k. Without blocks it does nothing.
func (w *weightPass) eachBlockRow(visit func(first int)) {
	if w.block == 0 {
		return
	}
	for l := 0; l < w.signals; l += w.block {
		for i := range w.k {
			visit(l*w.k + i)
		}
	}
}

// featuresOf returns the features of the coefficient at an index.
func (w *weightPass) featuresOf(at int) []float64 {
	return w.features.Data[at*stage.WeightFeatures:][:stage.WeightFeatures]
}

// sumsOfSquares returns the sums of p^2 and of (y - p)^2 over count coefficients from first on, stride apart.
func sumsOfSquares(wp, wy []float64, first, count, stride int) (pp, rr float64) {
	for at := first; at < first+count*stride; at += stride {
		p := wp[at]
		r := wy[at] - p
		pp += p * p
		rr += r * r
	}
	return pp, rr
}

// logRoot returns the logarithm of offset + the root of a mean of squares.
func logRoot(mean, offset float64) float64 { return math.Log(math.Sqrt(mean) + offset) }
