package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// extremes are finite values of all magnitudes, and infinities.
var extremes = []float32{0, float32(math.Copysign(0, -1)), 1e-45, -1e-45, 3e-40, 1e-38, -1e-38, 1e-20, 0.125, -0.875, 1,
	-3, 1e4, -1e4,
	1e18, -1e18, 3e19, -3e19, 3e38, -3e38, float32(math.Inf(1)), float32(math.Inf(-1))}

// drawnFrom returns a function that draws values.
func drawnFrom(v []float32, seed uint64) func() float32 {
	rng := rand.New(rand.NewPCG(seed, 7))
	return func() float32 { return v[rng.IntN(len(v))] }
}

// Where values are infinite, their difference may be NaN, whose logarithm is not specified.
func TestLogsAreTheSameBits(t *testing.T) {
	for _, b := range backends {
		for _, rows := range []int{1, 2, 64} {
			for name, value := range map[string]func() float32{"normal": normal(1), "extreme": drawnFrom(extremes, 1)} {
				m := &guards{}
				dst, v, w := m.floats(rows*Lanes), values(m, rows*Lanes, value), values(m, rows*Lanes, value)
				for at, want := range v {
					if d := want - w[at]; d != d {
						w[at] = 1
					}
				}
				withBackend(t, b, func() { Logs(dst, v) })
				for at, got := range dst {
					if want := logOf(v[at]); math.Float32bits(got) != math.Float32bits(want) {
						t.Fatalf("%s, %s: log of %g is %g, not %g", b.name, name, v[at], got, want)
					}
				}
				withBackend(t, b, func() { LogsOfDifference(dst, v, w) })
				for at, got := range dst {
					if want := logOf(v[at] - w[at]); math.Float32bits(got) != math.Float32bits(want) {
						t.Fatalf("%s, %s: log of %g - %g is %g, not %g", b.name, name, v[at], w[at], got, want)
					}
				}
				m.intact(t, "logarithms of "+b.name)
			}
		}
	}
}

func TestLogIsCloseAndMonotone(t *testing.T) {
	last := float32(math.Inf(-1))
	for v := float32(0); v < 1e6; v = v*1.01 + 1e-4 {
		got, want := logOf(-v), math.Log(float64(v)+0.125)
		if math.Abs(float64(got)-want) > 0.07 || got < last {
			t.Fatalf("the logarithm of %g is %g, not about %g", v, got, want)
		}
		last = got
	}
}

// solveProblem holds the operands of Solve: z, u, v, y, p, skip and most.
type solveProblem [7][]float32

func newSolveProblem(rows int, value func() float32) *solveProblem {
	var p solveProblem
	for i := range p[:5] {
		p[i] = values(&guards{}, rows*Lanes, value)
	}
	factor := normal(uint64(rows))
	p[5], p[6] = values(&guards{}, skips*rows, factor), make([]float32, rows)
	for k := range rows {
		p[6][k] = []float32{float32(math.Inf(1)), 0, 1}[k%3]
	}
	return &p
}

// run solves a copy of the problem and returns z.
func (p *solveProblem) run(t testing.TB, b *backend, m memory) []float32 {
	t.Helper()
	var c solveProblem
	for i, s := range p {
		c[i] = placed(m, s)
	}
	withBackend(t, b, func() { Solve(c[0], c[1], c[2], c[3], c[4], c[5], c[6]) })
	what := fmt.Sprintf("Solve of %s, %d rows", b.name, len(p[6]))
	m.intact(t, what)
	for i, s := range p[1:] {
		if !sameBits(s, c[1+i]) {
			t.Errorf("%s: operand %d has changed", what, 1+i)
		}
	}
	return c[0]
}

func TestSolutionsAreTheSameBits(t *testing.T) {
	for _, b := range backends[1:] {
		for _, rows := range []int{1, 2, 3, 7, 64} {
			for name, value := range map[string]func() float32{"normal": normal(2),
				"extreme": drawnFrom(extremes[:20], 2)} {
				p := newSolveProblem(rows, value)
				if name == "extreme" { // differences may overflow, but are not NaN
					for at, y := range p[3] {
						if at%2 == 0 {
							p[4][at] = y
						}
					}
				}
				want, got := p.run(t, &generic, &guards{}), p.run(t, b, &guards{})
				for at, w := range want {
					if math.Float32bits(w) != math.Float32bits(got[at]) {
						t.Fatalf("%s, %s, row %d of %d, lane %d: %g instead of %g", b.name, name, at/Lanes, rows,
							at%Lanes, got[at], w)
					}
				}
			}
		}
	}
}

// The formulas of Solve in float64.
func TestSolutionsAreThoseOfTheFormulas(t *testing.T) {
	for _, b := range backends {
		p := newSolveProblem(64, normal(3))
		for at, z := range p.run(t, b, &guards{}) {
			k, at64 := at/Lanes, func(i int) float64 { return float64(p[i][at]) }
			y, pilot := at64(3), at64(4)
			u, v := at64(1), at64(2)
			for j, x := range []float32{p[4][at], p[3][at] - p[4][at], p[3][at]} {
				u += float64(p[5][j*64+k]) * float64(logOf(x))
				v += float64(p[5][(3+j)*64+k]) * float64(logOf(x))
			}
			limit := min((u+math.Sqrt(u*u+4))/2, float64(p[6][k]))
			x := y + (1+v/math.Sqrt(v*v+4))/2*(pilot-y)
			want := math.Copysign(max(math.Abs(x)-limit, 0), x)
			if !(math.Abs(float64(z)-want) <= 1e-5) {
				t.Fatalf("%s, row %d: %g instead of %g", b.name, k, z, want)
			}
		}
	}
}

func TestNaNGivesZeroInItsLane(t *testing.T) {
	const at = 3*Lanes + 5 // without a largest threshold
	for _, b := range backends {
		clean := newSolveProblem(7, normal(4)).run(t, b, &guards{})
		for operand := 1; operand < 5; operand++ {
			p := newSolveProblem(7, normal(4))
			p[operand][at] = float32(math.NaN())
			for i, z := range p.run(t, b, &guards{}) {
				if i != at && z != clean[i] {
					t.Fatalf("%s: NaN in operand %d changes row %d, lane %d", b.name, operand, i/Lanes, i%Lanes)
				}
				if i == at && z != 0 {
					t.Errorf("%s: %g for NaN in operand %d", b.name, z, operand)
				}
			}
		}
	}
}

// The problem of a coefficient is solved exactly: no other value has a lower objective.
func TestSolutionIsTheMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y, p := float32(rapid.Float64Range(-20, 20).Draw(t, "y")), float32(rapid.Float64Range(-20, 20).Draw(t, "p"))
		d, k := rapid.Float64Range(0, 10).Draw(t, "d"), rapid.Float64Range(0, 50).Draw(t, "k")
		objective := func(z float64) float64 {
			return (z-float64(y))*(z-float64(y))/2 + d*math.Abs(z) + k/2*(z-float64(p))*(z-float64(p))
		}
		z := float64(shrink(y+float32(k/(1+k))*(p-y), float32(d/(1+k))))
		for _, step := range []float64{-1, -0.01, 0.01, 1, -z} {
			if objective(z+step) < objective(z)-1e-3 {
				t.Fatalf("the objective at %g is lower than at %g", z+step, z)
			}
		}
	})
}

func BenchmarkProblems(b *testing.B) {
	p := newSolveProblem(64, normal(1))
	benchmarkAll(b, map[string]func(){
		"Logs":  func() { Logs(p[0], p[1]) },
		"Solve": func() { Solve(p[0], p[1], p[2], p[3], p[4], p[5], p[6]) },
	})
}
