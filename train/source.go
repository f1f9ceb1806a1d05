package train

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
