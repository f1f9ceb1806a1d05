package watch

import (
	"context"
	"fmt"
	"time"
)

// Work does a job: out of the bytes of an input it makes the file out, whole or not at all, flushed to the disk with
// the folder it is in (or its name may be lost with the power). It must reach the file through out.Root, so that
// nothing is written outside the output folder. The path in is for messages.
//
// It never replaces a file. If there is one with just the bytes that it would write, the job is done; if there is
// another, the error satisfies errors.Is(err, fs.ErrExist), and Work is called again with another out. A verdict on the
// content is an error made by Refuse; after any other error the job is tried again. The text is a note for the log,
// such as what was found in the input.
type Work func(ctx context.Context, in string, data []byte, out Output) (text string, err error)

// Begin is called with the digest of an input that has been read. It returns the place of the output, or the zero
// Target if there is nothing to do. Before it returns, nothing may be done with the bytes.
type Begin func(sum Sum) Target

// Runner reads inputs and does jobs, one after the other.
type Runner interface {
	// Run reads the file in, calls begin, and works. The error is one of Work, of reading, or of kind ErrChanging or
	// ErrCrashed.
	Run(ctx context.Context, in Source, begin Begin) (text string, err error)
	// Close ends what Run left running.
	Close() error
}

// DefaultMaxBytes is the largest size of a file in bytes where nothing else is set.
const DefaultMaxBytes = 4 << 30

func limit(max int64) int64 {
	if max == 0 {
		return DefaultMaxBytes
	}
	return max
}

func tooLarge(max int64) error { return Refuse(fmt.Errorf("file of more than %d bytes", max)) }

// Pauses that tests shorten.
var (
	firstPause = time.Second     // before a job is tried again
	pollEvery  = 5 * time.Second // between scans of a folder without events
)

// backoff returns the pause before the n-th repetition, n from 1: the first one, doubled each time up to the longest.
func backoff(n int, longest time.Duration) time.Duration {
	if n > 20 {
		return longest
	}
	return min(firstPause<<(n-1), longest)
}
