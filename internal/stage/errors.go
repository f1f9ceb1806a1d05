package stage

import "errors"

// Kinds of errors that reading stages from a model file can give, for errors.Is.
var (
	ErrFormat      = errors.New("damaged model file")
	ErrUnsupported = errors.New("unsupported model file")
)
