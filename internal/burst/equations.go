package burst

import "math"

// equations are the normal equations of a least-squares fit.
type equations struct {
	n      int
	matrix [8][8]float64
	right  [8]float64
	count  float64 // weights of all samples
}

// add adds a sample: the derivatives of its value by the unknowns, and what is missing.
func (e *equations) add(slopes []float64, missing, weight float64) {
	for i, s := range slopes {
		s *= weight
		for j := i; j < len(slopes); j++ {
			e.matrix[i][j] += s * slopes[j]
		}
		e.right[i] += s * missing
	}
	e.count += weight
}

func (e *equations) addAll(o *equations) {
	for i := range e.n {
		for j := range e.n {
			e.matrix[i][j] += o.matrix[i][j]
		}
		e.right[i] += o.right[i]
	}
	e.count += o.count
}

// solve returns the unknowns. Damping is added to the diagonal. It is false if they do not follow from the samples.
func (e *equations) solve(damping float64) (x [8]float64, ok bool) {
	m, b := e.matrix, e.right
	for i := range e.n {
		m[i][i] += damping
		for j := range i {
			m[i][j] = m[j][i]
		}
	}
	for i := range e.n {
		pivot := i
		for k := i + 1; k < e.n; k++ {
			if math.Abs(m[k][i]) > math.Abs(m[pivot][i]) {
				pivot = k
			}
		}
		m[i], m[pivot], b[i], b[pivot] = m[pivot], m[i], b[pivot], b[i]
		if !(math.Abs(m[i][i]) > 1e-12*(1+e.count)) {
			return x, false
		}
		for k := i + 1; k < e.n; k++ {
			f := m[k][i] / m[i][i]
			for j := i; j < e.n; j++ {
				m[k][j] -= f * m[i][j]
			}
			b[k] -= f * b[i]
		}
	}
	for i := e.n - 1; i >= 0; i-- {
		x[i] = b[i]
		for j := i + 1; j < e.n; j++ {
			x[i] -= m[i][j] * x[j]
		}
		x[i] /= m[i][i]
	}
	return x, true
}
