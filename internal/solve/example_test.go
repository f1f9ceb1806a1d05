package solve_test

import (
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

func ExampleADMM_Solve() {
	w := solve.Identity(3, 0.5)
	r := solve.NewADMM(w, solve.Schedule{Iterations: 200, RhoStart: 1, RhoEnd: 1, Relaxation: 1.7}).Solve([]float64{2,
		-0.25, 1})
	fmt.Printf("%.3f\n", r.X)
	// Output: [1.500 0.000 0.500]
}
