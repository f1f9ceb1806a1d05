package main

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"slices"

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
  1    some of several files failed, all failed for different reasons, or the
       program has a fault
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

// kinds are the exit codes of errors, and what --json calls them. The first that an error is of counts.
var kinds = []struct {
	code int
	name string
	of   []error
}{
	{exitInterrupted, "interrupted", []error{context.Canceled}},
	{exitUsage, "usage", []error{errUsage, denoise.ErrArgument, batch.ErrConflict, train.ErrSettings}},
	{exitFormat, "format", []error{imageio.ErrFormat, model.ErrFormat, errMismatch, train.ErrCheckpoint, train.ErrData,
		denoise.ErrProfile, denoise.ErrShots}},
	{exitUnsupported, "unsupported", []error{imageio.ErrUnsupported, model.ErrUnsupported}},
	{exitLimit, "limit", []error{imageio.ErrLimit, model.ErrLimit}},
	{exitIO, "io", []error{fs.ErrExist, fs.ErrNotExist, fs.ErrPermission, batch.ErrChanged, watch.ErrLocked,
		watch.ErrOutputGone}},
}

// exitCode returns the exit code for the kind of an error.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	for _, k := range kinds {
		if slices.ContainsFunc(k.of, func(kind error) bool { return errors.Is(err, kind) }) {
			return k.code
		}
	}
	var pathError *fs.PathError
	var linkError *os.LinkError
	var netError *net.OpError // an address that is in use
	if errors.As(err, &pathError) || errors.As(err, &linkError) || errors.As(err, &netError) {
		return exitIO
	}
	return exitFailed
}

// errorKind returns the name of an exit code in the output of --json.
func errorKind(code int) string {
	for _, k := range kinds {
		if k.code == code {
			return k.name
		}
	}
	return "internal"
}

// tally counts the results of the files of one call.
type tally struct {
	done  int
	codes []int
}

// fail prints the error of a file and counts it. Path is the file, or empty if the error names it.
func (t *tally) fail(u *ui, path string, err error) { t.codes = append(t.codes, u.fail(path, err)) }

// refused prints and counts what cannot be an input.
func (t *tally) refused(u *ui, found *batch.Found) {
	for _, r := range found.Refused {
		t.fail(u, r.Path, r.Err)
	}
}

// err returns the error of the call, which has been told.
func (t tally) err() error {
	if code := t.code(); code != exitOK {
		return silent(code)
	}
	return nil
}

// code returns the exit code of the call: the common one if all files failed with it, else exitFailed.
func (t tally) code() int {
	if len(t.codes) == 0 {
		return exitOK
	}
	if slices.Contains(t.codes, exitInterrupted) {
		return exitInterrupted
	}
	for _, c := range t.codes {
		if c != t.codes[0] || t.done > 0 {
			return exitFailed
		}
	}
	return t.codes[0]
}
