package watch

import (
	"errors"
	"fmt"
	"log/slog"
)

// The kinds of error, to be told apart with errors.Is. All others are of the file system and pass.
var (
	// ErrRefused: the content of the file is not fit for the job, and never will be. Work returns it by Refuse.
	ErrRefused = errors.New("refused")
	// ErrCrashed: the process that did the job died, panicked, or did not end in time.
	ErrCrashed = errors.New("the job crashed")
	// ErrChanging: the file is being written to, or is not the one that was looked at.
	ErrChanging = errors.New("the file is changing")
	// ErrFolders: two of the folders lie in one another.
	ErrFolders = errors.New("folders overlap")
	// ErrLocked: another daemon has the output folder.
	ErrLocked = errors.New("in use by another daemon")
	// ErrOutputGone: the output folder is not the one that the daemon began with, for example unmounted.
	ErrOutputGone = errors.New("the output folder has been replaced or is gone")
	// ErrOptions: the options contradict themselves.
	ErrOptions = errors.New("bad options")
)

// Refuse marks an error of Work as a verdict on the file's content, which no second try will change.
func Refuse(err error) error { return &kinded{ErrRefused, err.Error(), err} }

// kinded is an error with a kind and a text of its own.
type kinded struct {
	kind error
	text string
	err  error
}

func (e *kinded) Error() string   { return e.text }
func (e *kinded) Unwrap() []error { return []error{e.kind, e.err} }

func failf(kind error, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &kinded{kind, err.Error(), err}
}

// ifAny is an error for the log, where none is to show as nothing.
func ifAny(key string, err error) slog.Attr {
	if err == nil {
		return slog.Attr{}
	}
	return slog.Any(key, err)
}
