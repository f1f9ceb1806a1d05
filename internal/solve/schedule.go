package solve

import (
	"errors"
	"math"
)

// Schedule sets the number of iterations of ADMM and the penalty rho of each. Rho is relative to rows of unit norm. It
// changes geometrically from RhoStart to RhoEnd over the first Ramp iterations and then stays. A rho that is too large
// slows ADMM down far more than one that is too small.
type Schedule struct {
	Iterations int     `json:"iterations"`
	RhoStart   float64 `json:"rho_start"`
	RhoEnd     float64 `json:"rho_end"`
	Ramp       int     `json:"ramp"`
	Relaxation float64 `json:"relaxation"` // over-relaxation in (0, 2), 1 = none; 1.5 to 1.8 is usual (Boyd et al. 2011, section 3.4.3)
}

// DefaultSchedule returns a schedule for square transforms, with which images are within 0.01 dB of the converged ones.
// Stacked transforms have larger eigenvalues and need a smaller rho: the stack of three of the model "paper" loses 0.5
// dB with this schedule (Set12 at sigma 25.5), but 0.02 dB with 9 iterations of the schedule that package train found
// for it.
func DefaultSchedule() Schedule {
	return Schedule{Iterations: 12, RhoStart: 0.7, RhoEnd: 10, Ramp: 8, Relaxation: 1.7}
}

// Rho returns the penalty of iteration t >= 0.
func (s Schedule) Rho(t int) float64 {
	if t >= s.Ramp || s.Ramp < 1 {
		return s.RhoEnd
	}
	return s.RhoStart * math.Pow(s.RhoEnd/s.RhoStart, float64(t)/float64(s.Ramp))
}

// Penalties returns an upper bound of the number of different rhos.
func (s Schedule) Penalties() int {
	if s.RhoStart == s.RhoEnd {
		return 1
	}
	return min(s.Iterations, s.Ramp+1)
}

// Limits of a schedule. Outside of these rhos ADMM does not converge.
const (
	maxIterations  = 10_000
	minRho, maxRho = 1e-6, 1e6
)

// Validate returns an error if a field is out of range.
func (s Schedule) Validate() error {
	switch {
	case s.Iterations < 1 || s.Iterations > maxIterations || s.Ramp < 0 || s.Ramp > maxIterations:
		return errors.New("schedule: iterations out of range")
	case !(min(s.RhoStart, s.RhoEnd) >= minRho && max(s.RhoStart, s.RhoEnd) <= maxRho):
		return errors.New("schedule: rho out of range")
	case !(s.Relaxation > 0 && s.Relaxation < 2):
		return errors.New("schedule: relaxation is not between 0 and 2")
	}
	return nil
}
