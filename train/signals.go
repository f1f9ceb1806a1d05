package train

import (
	"fmt"
	"math/rand/v2"
)

// Source provides training pairs (x_t, y_t) in units of sigma. Pairs depend only on the step and the index in the
// minibatch, never on the order of calls, so that training gives the same bytes with any number of workers and after a
// resume.
type Source interface {
	// Begin is called before the Samples of a step. batch is the size of the minibatch.
	Begin(step, batch int)
	// Sample writes pair i of the minibatch to clean and noisy. Several goroutines may call it at a time.
	Sample(i int, clean, noisy []float64)
}

// checkedSource is a source that knows whether it can draw signals of n samples.
type checkedSource interface{ check(n int) error }

// Signals is a fixed set of pairs. It is shuffled at the start of each epoch, as in Algorithm 1. The last minibatch of
// an epoch goes on into the next one.
type Signals struct {
	Clean, Noisy [][]float64 // in units of sigma, all of the same length
	Seed         uint64

	first int
	order map[int][]int // by epoch, for the epochs of the minibatch
}

func (s *Signals) check(n int) error {
	if len(s.Clean) == 0 || len(s.Clean) != len(s.Noisy) {
		return fmt.Errorf("%w: %d clean signals and %d noisy ones", ErrData, len(s.Clean), len(s.Noisy))
	}
	for i, c := range s.Clean {
		if len(c) != n || len(s.Noisy[i]) != n {
			return fmt.Errorf("%w: signals of %d and %d samples, not %d", ErrData, len(c), len(s.Noisy[i]), n)
		}
	}
	return nil
}

// Begin implements Source.
func (s *Signals) Begin(step, batch int) {
	if len(s.Clean) == 0 {
		return
	}
	s.first = step * batch
	from, to := s.first/len(s.Clean), (s.first+batch-1)/len(s.Clean)
	old := s.order
	s.order = map[int][]int{}
	for epoch := from; epoch <= to; epoch++ {
		if s.order[epoch] = old[epoch]; s.order[epoch] == nil {
			s.order[epoch] = rand.New(rand.NewPCG(s.Seed, uint64(epoch))).Perm(len(s.Clean))
		}
	}
}

// Sample implements Source. Transforms.Gradient checks the signals before.
func (s *Signals) Sample(i int, clean, noisy []float64) {
	i += s.first
	t := s.order[i/len(s.Clean)][i%len(s.Clean)]
	copy(clean, s.Clean[t])
	copy(noisy, s.Noisy[t])
}
