package kernel

import "fmt"

// Logs sets dst to about log(|v| + 1/8): exact within rounding where |v| + 1/8 is a power of two, and linear in
// between. The lengths must be equal and multiples of Lanes. NaN gives a finite number or NaN; all other values give
// the same bits with all backends.
func Logs(dst, v []float32) {
	checkRowsOf(dst, v)
	if len(v) > 0 {
		selected.Load().logs(dst, v)
	}
}

// LogsOfDifference is Logs for a - b.
func LogsOfDifference(dst, a, b []float32) {
	checkRowsOf(dst, a, b)
	if len(a) > 0 {
		selected.Load().logsOfDifference(dst, a, b)
	}
}

func checkRowsOf(panels ...[]float32) {
	n := len(panels[0])
	if n%Lanes != 0 {
		panic(fmt.Sprintf("kernel: %d values are no rows of a panel", n))
	}
	for _, p := range panels {
		checkLen(p, n)
	}
}

// Solve solves a problem for each row and lane. Its parameters come from the panels y, p, u and v, from a column of
// skip, which has 6 rows, and from most:
//
//	u' = u + skip[0] log(p) + skip[1] log(y - p) + skip[2] log(y), with the logarithms of Logs
//	v' = v + skip[3] log(p) + skip[4] log(y - p) + skip[5] log(y)
//	t = min((u' + sqrt(u'^2 + 4)) / 2, most)
//	a = (1 + v' / sqrt(v'^2 + 4)) / 2
//	x = y + a (p - y)
//	z = sign(x) max(|x| - t, 0)
//
// If u' is NaN, t is most. If x is NaN, z is 0. Every operation is rounded, so all backends give the same bits unless
// an operand is NaN. The panel z may be one of the others.
func Solve(z, u, v, y, p, skip, most []float32) {
	rows := len(most)
	for _, panel := range [][]float32{z, u, v, y, p} {
		checkLen(panel, rows*Lanes)
	}
	checkLen(skip, skips*rows)
	if rows > 0 {
		selected.Load().solve(z, u, v, y, p, skip, most)
	}
}

// skips is the number of rows of Solve's factors: for three logarithms in each of two parameters.
const skips = 6
