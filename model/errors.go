package model

import "errors"

// Kinds of errors that reading a model file can give, for errors.Is. Errors of the file system stay as they are.
var (
	ErrFormat      = errors.New("damaged model file")
	ErrUnsupported = errors.New("unsupported model file")
	ErrLimit       = errors.New("model file over a limit")
)
