package paper

import "math/rand/v2"

// shuffled is a train.Source of a fixed set of pairs. It is shuffled at the start of each epoch, as in Algorithm 1. The
// last minibatch of an epoch goes on into the next one.
type shuffled struct {
	noisyPairs
	seed uint64

	start int           // of the minibatch
	order map[int][]int // by epoch, for the epochs of the minibatch
}

// Begin implements train.Source.
func (s *shuffled) Begin(step, batch int) {
	s.start = step * batch
	old := s.order
	s.order = map[int][]int{}
	for epoch := s.start / s.count(); epoch <= (s.start+batch-1)/s.count(); epoch++ {
		if s.order[epoch] = old[epoch]; s.order[epoch] == nil {
			s.order[epoch] = rand.New(rand.NewPCG(s.seed, uint64(epoch))).Perm(s.count())
		}
	}
}

// Sample implements train.Source.
func (s *shuffled) Sample(i int, clean, noisy []float64) {
	i += s.start
	t := s.order[i/s.count()][i%s.count()]
	copy(clean, s.Clean[t])
	copy(noisy, s.Noisy[t])
}
