package kernel

import "math"

// gram computes gram[r][c] = sum over the rows of block[r] block[c].
func gram(gram, block []float32, rows, stride int) {
	clear(gram)
	for i := range rows {
		v := (*lane16)(block[i*stride:])
		for r, x := range v {
			sum := (*lane16)(gram[r*BlockLanes:])
			for c := range sum {
				sum[c] += float32(x * v[c])
			}
		}
	}
}

type lane16 = [BlockLanes]float32

// rightMultiply replaces each row of the block by the row times m.
func rightMultiply(block, m []float32, rows, stride int) {
	for i := range rows {
		v := (*lane16)(block[i*stride:])
		var sum lane16
		for c, x := range v {
			for l, f := range (*lane16)(m[c*BlockLanes:]) {
				sum[l] += float32(x * f)
			}
		}
		*v = sum
	}
}

// jacobi rotates, sweeps times, all pairs p < q, both 1 or more, so that element (p, q) becomes zero. With D = a_qq -
// a_pp:
//
//	t = sign(D) 2 a_pq / (|D| + sqrt(D^2 + 4 a_pq^2) + 1e-37)     c = 1 / sqrt(1 + t^2)     s = t c
//	a_pp -= t a_pq     a_qq += t a_pq     a_pq = 0
//	a_kp, a_kq = c a_kp - s a_kq, s a_kp + c a_kq                 and the same for rows p and q of the axes
func jacobi(axes, gram []float32, sweeps int) {
	at := func(m []float32, r, c int) *lane16 { return (*lane16)(m[(r*BlockLanes+c)*BlockLanes:]) }
	for range sweeps {
		for p := 1; p < BlockLanes; p++ {
			for q := p + 1; q < BlockLanes; q++ {
				var c, s lane16
				pp, pq, qq := at(gram, p, p), at(gram, p, q), at(gram, q, q)
				for l := range c {
					d, twice := qq[l]-pp[l], 2*pq[l]
					root := sqrt32(float32(d*d) + float32(twice*twice))
					t := float32(math.Copysign(float64(twice/(abs(d)+root+1e-37)),
						float64(twice)*math.Copysign(1, float64(d))))
					c[l] = 1 / sqrt32(1+float32(t*t))
					s[l] = t * c[l]
					pp[l] -= float32(t * pq[l])
					qq[l] += float32(t * pq[l])
					pq[l] = 0
				}
				for k := 1; k < BlockLanes; k++ {
					switch {
					case k < p:
						rotate(at(gram, k, p), at(gram, k, q), &c, &s)
					case k > p && k < q:
						rotate(at(gram, p, k), at(gram, k, q), &c, &s)
					case k > q:
						rotate(at(gram, p, k), at(gram, q, k), &c, &s)
					}
					rotate(at(axes, p, k), at(axes, q, k), &c, &s)
				}
			}
		}
	}
}

func rotate(x, y, c, s *lane16) {
	for l := range x {
		x[l], y[l] = float32(c[l]*x[l])-float32(s[l]*y[l]), float32(s[l]*x[l])+float32(c[l]*y[l])
	}
}

func sqrt32(v float32) float32 { return float32(math.Sqrt(float64(v))) }
