package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/train"
	"github.com/blorc-denoise/blorc-denoise/watch"
)

// Exit codes. They are part of the interface: exitHelp documents them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitFormat      = 3
	exitUnsupported = 4
	exitLimit       = 5
	exitIO          = 6
	exitMemory      = 7
	exitInterrupted = 130
)

const exitHelp = `Exit codes:
  0    everything was done
  1    some of several files failed, all failed for different reasons, or the program has a fault
  2    the command line is wrong
  3    a file is damaged, not what it should be, or does not fit another
  4    a file is of a kind that is not supported
  5    a file is larger than a limit
  6    a file could not be opened, read or written, or an address is in use
  7    the memory that the system allows does not suffice (ulimit -v)
  130  interrupted`

// errUsage is the kind of errors of the command line, errMismatch of files that do not fit together.
var (
	errUsage    = errors.New("usage")
	errMismatch = errors.New("files do not fit together")
)

// exitCode returns the exit code for the kind of an error.
func exitCode(err error) int {
	is := func(kinds ...error) bool {
		for _, k := range kinds {
			if errors.Is(err, k) {
				return true
			}
		}
		return false
	}
	var pathError *fs.PathError
	var linkError *os.LinkError
	var netError *net.OpError // an address that is in use
	switch {
	case err == nil:
		return exitOK
	case is(context.Canceled):
		return exitInterrupted
	case is(errUsage, denoise.ErrArgument, batch.ErrConflict, train.ErrSettings):
		return exitUsage
	case is(imageio.ErrFormat, model.ErrFormat, errMismatch, train.ErrCheckpoint, train.ErrData, denoise.ErrProfile,
		denoise.ErrShots):
		return exitFormat
	case is(imageio.ErrUnsupported, model.ErrUnsupported):
		return exitUnsupported
	case is(imageio.ErrLimit, model.ErrLimit):
		return exitLimit
	case errors.As(err, &pathError), errors.As(err, &linkError), errors.As(err, &netError),
		is(fs.ErrExist, fs.ErrNotExist, fs.ErrPermission, batch.ErrChanged, watch.ErrLocked, watch.ErrOutputGone):
		return exitIO
	}
	return exitFailed
}

// errorKind returns the name of an exit code in the output of --json.
func errorKind(code int) string {
	switch code {
	case exitUsage:
		return "usage"
	case exitFormat:
		return "format"
	case exitUnsupported:
		return "unsupported"
	case exitLimit:
		return "limit"
	case exitIO:
		return "io"
	case exitInterrupted:
		return "interrupted"
	}
	return "internal"
}

// faultError is a panic in the work on one file.
type faultError struct {
	value any
	stack []byte
}

func (e faultError) Error() string { return fmt.Sprintf("fault in the program: %v", e.value) }

// tally counts the results of the files of one call.
type tally struct {
	done  int
	codes []int
}

// code returns the exit code of the call: the common one if all files failed with it, else exitFailed.
func (t tally) code() int {
	if len(t.codes) == 0 {
		return exitOK
	}
	for _, c := range t.codes {
		if c == exitInterrupted {
			return exitInterrupted
		}
	}
	for _, c := range t.codes {
		if c != t.codes[0] || t.done > 0 {
			return exitFailed
		}
	}
	return t.codes[0]
}
