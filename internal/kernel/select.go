package kernel

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
)

// variable names the environment variable that selects a backend when the program starts. It is read nowhere else.
const variable = "BLORC_KERNEL"

// ErrUnsupported is the error for a backend that does not exist or cannot run on this computer.
var ErrUnsupported = errors.New("unsupported kernel")

var (
	names    = []string{"go", "avx2", "avx512", "neon"}
	backends = append([]*backend{&generic}, assembly()...) // the fastest last
	selected atomic.Pointer[backend]
	startErr error
)

func init() { startErr = start(os.Getenv(variable)) }

// start selects the named backend. If there is no name, or an unknown one, it selects the fastest.
func start(name string) error {
	selected.Store(backends[len(backends)-1])
	if name == "" {
		return nil
	}
	if err := Select(name); err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	return nil
}

// StartError returns the error of the environment variable when the program started, or nil. After an error the fastest
// backend runs.
func StartError() error { return startErr }

// Available returns the names of the backends that run on this computer, from the slowest to the fastest.
func Available() []string {
	var s []string
	for _, b := range backends {
		s = append(s, b.name)
	}
	return s
}

// Name returns the name of the selected backend.
func Name() string { return selected.Load().name }

// Select selects a backend by name. Matrices and weight functions that exist already keep their backend. The error is
// ErrUnsupported.
func Select(name string) error {
	b, err := find(name)
	if err == nil {
		selected.Store(b)
	}
	return err
}

func find(name string) (*backend, error) {
	for _, b := range backends {
		if b.name == name {
			return b, nil
		}
	}
	if slices.Contains(names, name) {
		return nil, fmt.Errorf("%w: %s does not run here, only %s", ErrUnsupported, name,
			strings.Join(Available(), ", "))
	}
	return nil, fmt.Errorf("%w: %q is none of %s", ErrUnsupported, name, strings.Join(names, ", "))
}
