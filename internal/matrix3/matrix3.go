// Package matrix3 has the algebra of colours: matrices of 3 x 3 and vectors of 3.
package matrix3

// Vector is a column of 3 numbers.
type Vector = [3]float64

// Matrix is a matrix of 3 x 3 by rows.
type Matrix [3]Vector

// Times returns the product with a vector.
func (m Matrix) Times(v Vector) (out Vector) {
	for i, r := range m {
		out[i] = r[0]*v[0] + r[1]*v[1] + r[2]*v[2]
	}
	return out
}

// Inverse returns the inverse. The numbers are not finite if there is none.
func (m Matrix) Inverse() (out Matrix) {
	minor := func(i, j int) float64 {
		a, b, c, d := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
		return m[a][c]*m[b][d] - m[a][d]*m[b][c]
	}
	det := m[0][0]*minor(0, 0) + m[0][1]*minor(0, 1) + m[0][2]*minor(0, 2)
	for i := range 3 {
		for j := range 3 {
			out[j][i] = minor(i, j) / det
		}
	}
	return out
}
