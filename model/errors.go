package model

import (
	"errors"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// Kinds of errors that reading a model file can give, for errors.Is. Errors of the file system stay as they are.
var (
	ErrFormat      = stage.ErrFormat
	ErrUnsupported = stage.ErrUnsupported
	ErrLimit       = errors.New("model file over a limit")
)
