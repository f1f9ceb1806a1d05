package batch

import (
	"errors"
	"io/fs"
	"os"
)

// Without backups, only the history tells whether a file was replaced before. Runs may overlap, such as two of a timer.
// So a run claims a file before it reads it, asks the history again, and writes down what it is about to put in its
// place before that has the name: another run finds the file claimed, or done.

// ErrTaken means that another run works on the input, or has replaced it since this run began. Nothing is left to do.
var ErrTaken = errors.New("another run has it")

type taken string

func (t taken) Error() string { return string(t) }
func (taken) Unwrap() error   { return ErrTaken }

// once says whether a file that was replaced already must be left alone, with nothing but the history to tell.
func (o Output) once() bool { return o.InPlace && !o.Backup && o.Overwrite != Always }

// claim takes an input for this run alone, until the file it returns is closed. The file is nil where files cannot be
// claimed.
func (o Output) claim(it Item, in *source, before fs.FileInfo) (*os.File, error) {
	if !before.Mode().IsRegular() { // reading it will give the error
		return nil, nil
	}
	f, err := in.openFile()
	if err != nil {
		return nil, err
	}
	switch o.History.refresh(it.Out); {
	case !claimed(f):
		err = taken("another run is denoising it")
	case in.changed(before):
		err = ErrChanged
	case o.replaced(it):
		err = taken("another run has denoised it")
	}
	if err != nil || !claimable {
		f.Close()
		return nil, err
	}
	return f, nil
}
