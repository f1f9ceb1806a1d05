package denoise

import (
	"context"
	"errors"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// ErrArgument is the kind of error for options, sizes and pointers that make no sense, and for samples that are no
// numbers, for errors.Is. Wrong options for reading and writing have the same kind.
var ErrArgument = imageio.ErrArgument

var (
	// ErrProfile means that a file is no noise profile, or has numbers that no noise has.
	ErrProfile = errors.New("not a noise profile")
	// ErrShots means that images are no shots of one scene that noise can be measured from.
	ErrShots = errors.New("shots do not fit together")
)

// FaultError is a panic in a function of this package, with its stack: a fault of the program, and not of its input.
type FaultError = crash.Error

// argumentError is an ErrArgument with a text of its own.
type argumentError struct{ text string }

func (e argumentError) Error() string        { return e.text }
func (e argumentError) Is(target error) bool { return target == ErrArgument }

// checkContext reports a context that is missing or has ended.
func checkContext(ctx context.Context) error {
	if ctx == nil {
		return badArgument("no context")
	}
	return ctx.Err()
}

func badArgument(format string, args ...any) error {
	return argumentError{fmt.Sprintf(format, args...)}
}
