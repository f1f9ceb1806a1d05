package patchify

import (
	"errors"
	"fmt"
)

// ErrArgument is the kind of error for arguments that are missing, out of range or do not fit each other, for
// errors.Is. Only errors of a context are of another kind.
var ErrArgument = errors.New("bad argument")

// argumentError is an ErrArgument with a text of its own.
type argumentError struct{ text string }

func (e argumentError) Error() string        { return e.text }
func (e argumentError) Is(target error) bool { return target == ErrArgument }

func badArgument(format string, args ...any) error {
	return argumentError{fmt.Sprintf(format, args...)}
}
