package denoise

import (
	"errors"
	"fmt"
)

// ErrArgument is the kind of error for options, sizes and pointers that make no sense, for errors.Is.
var ErrArgument = errors.New("bad argument")

// argumentError is an ErrArgument with a text of its own.
type argumentError struct{ text string }

func (e argumentError) Error() string        { return e.text }
func (e argumentError) Is(target error) bool { return target == ErrArgument }

func badArgument(format string, args ...any) error {
	return argumentError{fmt.Sprintf(format, args...)}
}
