package model

import (
	"errors"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// Errors of this package are of these kinds, for errors.Is, or come from the file system.
var (
	// ErrFormat means that a file is damaged or no model file, or that a model cannot be written to a file.
	ErrFormat = stage.ErrFormat
	// ErrUnsupported means that a file is of another version, has a stage of an unknown kind, or is not a regular file.
	ErrUnsupported = stage.ErrUnsupported
	// ErrLimit means that a file is larger than any model.
	ErrLimit = errors.New("model file over a limit")
)

// errForeign is of the kind ErrFormat. It does not call a file damaged that another program may have written.
var errForeign = foreignError{}

type foreignError struct{}

func (foreignError) Error() string {
	return "not a model file of this program: it has no checksum"
}
func (foreignError) Is(target error) bool { return target == ErrFormat }
