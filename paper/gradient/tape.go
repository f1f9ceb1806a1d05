package gradient

import "gonum.org/v1/gonum/mat"

// tape records operations on matrices for reverse-mode differentiation, as in A. Griewank, A. Walther, "Evaluating
// derivatives", 2nd edition, SIAM, 2008. It keeps every intermediate value.
type tape struct{ nodes []*node }

// node is a value on the tape and the derivative of the loss with respect to it.
type node struct {
	value, adjoint *mat.Dense
	back           func() // adds to the adjoints of the operands
}

// put records a value.
func (t *tape) put(value *mat.Dense) *node {
	r, c := value.Dims()
	n := &node{value: value, adjoint: mat.NewDense(r, c, nil)}
	t.nodes = append(t.nodes, n)
	return n
}

// run computes the adjoints of all nodes from the derivative with respect to the last node.
func (t *tape) run(derivative *mat.Dense) {
	last := t.nodes[len(t.nodes)-1]
	last.adjoint.Copy(derivative)
	for i := len(t.nodes) - 1; i >= 0; i-- {
		if back := t.nodes[i].back; back != nil {
			back()
		}
	}
}

// sub records a - b.
func (t *tape) sub(a, b *node) *node {
	var v mat.Dense
	v.Sub(a.value, b.value)
	n := t.put(&v)
	n.back = func() {
		a.adjoint.Add(a.adjoint, n.adjoint)
		b.adjoint.Sub(b.adjoint, n.adjoint)
	}
	return n
}

// mul records the product a b.
func (t *tape) mul(a, b *node) *node {
	var v mat.Dense
	v.Mul(a.value, b.value)
	n := t.put(&v)
	n.back = func() {
		addProduct(a.adjoint, n.adjoint, b.value.T())
		addProduct(b.adjoint, a.value.T(), n.adjoint)
	}
	return n
}

// transpose records a'.
func (t *tape) transpose(a *node) *node {
	n := t.put(mat.DenseCopyOf(a.value.T()))
	n.back = func() { a.adjoint.Add(a.adjoint, n.adjoint.T()) }
	return n
}

// solve records a^-1 b for a symmetric and positive definite a.
func (t *tape) solve(a, b *node) (*node, error) {
	size, _ := a.value.Dims()
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(size, a.value.RawMatrix().Data)) {
		return nil, ErrSingular
	}
	var v mat.Dense
	if err := factor.SolveTo(&v, b.value); err != nil {
		return nil, ErrSingular
	}
	n := t.put(&v)
	n.back = func() {
		var d mat.Dense
		_ = factor.SolveTo(&d, n.adjoint) // no error, as the same factor worked above
		b.adjoint.Add(b.adjoint, &d)
		d.Scale(-1, &d)
		addProduct(a.adjoint, &d, n.value.T())
	}
	return n, nil
}

// addProduct adds a b to dst.
func addProduct(dst *mat.Dense, a, b mat.Matrix) {
	var product mat.Dense
	product.Mul(a, b)
	dst.Add(dst, &product)
}
