package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// The kinds of error, for errors.Is. All other errors come from the file system and may go away.
var (
	// ErrRefused means that the content of the file is not fit for the job and never will be. Work returns it by
	// Refuse.
	ErrRefused = errors.New("refused")
	// ErrCrashed means that the process that did the job died, panicked, or did not end in time.
	ErrCrashed = errors.New("the job crashed")
	// ErrChanging means that the file is being written to, or is not the one that was looked at.
	ErrChanging = errors.New("the file is changing")
	// ErrFolders means that two of the folders lie in one another, or that daemons would feed each other in a circle.
	ErrFolders = errors.New("folders overlap")
	// ErrLocked means that another daemon has the output folder.
	ErrLocked = errors.New("in use by another daemon")
	// ErrOutputGone means that the output folder is not the one that the daemon began with, for example since it was
	// unmounted.
	ErrOutputGone = errors.New("the output folder has been replaced or is gone")
	// ErrOptions means that the options contradict themselves.
	ErrOptions = errors.New("bad options")
)

// errFull marks errors of a disk without room, for the way from a worker to the daemon.
var errFull = errors.New("the disk is full")

// errNoWorker marks errors of a Runner that has nothing to work with, such as a Child that cannot start its process.
var errNoWorker = errors.New("no worker")

// markFull gives an error that kind if it is about a full disk.
func markFull(err error) error {
	if disk.IsFull(err) {
		return &kinded{errFull, err.Error(), err}
	}
	return err
}

// Refuse marks an error of Work as a verdict about the file's content: a second try would end the same way. It
// returns nil for nil.
func Refuse(err error) error {
	if err == nil {
		return nil
	}
	return &kinded{ErrRefused, err.Error(), err}
}

// kinded is an error with a kind and its own text.
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

// withPath puts the path that the user knows into an error of an open file, which was opened from folder to folder.
func withPath(err error, path string) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return &fs.PathError{Op: p.Op, Path: path, Err: p.Err}
	}
	return err
}

// ifAny returns a log attribute for an error, and an empty one for nil.
func ifAny(key string, err error) slog.Attr {
	if err == nil {
		return slog.Attr{}
	}
	return slog.Any(key, err)
}
