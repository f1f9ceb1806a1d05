package train

// pairSource is a Source that gives pairs in turn.
type pairSource struct {
	clean, noisy [][]float64
	first        int // pair of the minibatch
	skip         int // pairs before the first step
}

func (s *pairSource) Begin(step, batch int) { s.first = s.skip + step*batch }

func (s *pairSource) Sample(i int, clean, noisy []float64) {
	at := (s.first + i) % len(s.clean)
	copy(clean, s.clean[at])
	copy(noisy, s.noisy[at])
}
