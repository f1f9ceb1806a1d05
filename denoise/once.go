package denoise

import "context"

// onceDone returns a function that calls f until it has succeeded once: a call that was cancelled has not. Calls take
// turns, and one that waits ends with its context.
func onceDone[T any](f func(context.Context) (T, error)) func(context.Context) (T, error) {
	next := newTurn()
	done := false
	var value T
	return func(ctx context.Context) (T, error) {
		var none T
		if err := next.take(ctx); err != nil {
			return none, err
		}
		defer next.give()
		if done {
			return value, nil
		}
		v, err := f(ctx)
		if err != nil {
			return none, err
		}
		value, done = v, true
		return value, nil
	}
}

// turn is a lock. Whoever waits for it ends with his context.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) give() { <-t }
