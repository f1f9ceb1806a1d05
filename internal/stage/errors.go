package stage

import "errors"

// Decode returns errors of these kinds, for errors.Is.
var (
	ErrFormat      = errors.New("damaged model file")
	ErrUnsupported = errors.New("unsupported model file")
)
