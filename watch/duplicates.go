package watch

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// The values of Options.Duplicates.
const (
	linkDuplicates = "link"
	copyDuplicates = "copy"
	skipDuplicates = "skip"
)

// duplicate gives a file an output of its own: the output of the job that was done with its content under another name.
// It returns the record of the file with the name and the stamp of that output, or as it was if there is nothing to
// give. An output that is there already, since a daemon was killed, counts as made.
func (d *Daemon) duplicate(seen, job record) (record, error) {
	if d.o.Duplicates == skipDuplicates || seen.Name == job.Name {
		return seen, nil
	}
	info, err := d.out.Lstat(filepath.FromSlash(string(job.Out)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return seen, nil
	case err != nil:
		return seen, err
	case stampOf(info).content() != job.Made.content():
		d.o.Log.Warn("no output", "file", string(seen.Name), "reason", "the output of the same content was changed",
			"output", string(job.Out))
		return seen, nil
	}
	name := string(seen.Name)
	if err := disk.FromRoot(d.out).Make(path.Dir(name)); err != nil {
		return seen, err
	}
	for _, out := range outputNames(name, job.ID) {
		made, err := d.giveOutput(string(job.Out), out)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			seen.Out, seen.Made = fileName(out), made
		}
		return seen, err
	}
	return seen, nil
}

// giveOutput makes a link or a copy of an output under another name. It returns fs.ErrExist if another file has that
// name.
func (d *Daemon) giveOutput(from, to string) (Stamp, error) {
	folder, err := disk.FromRoot(d.out).Below(path.Dir(to))
	if err != nil {
		return Stamp{}, err
	}
	defer folder.Close()
	err = fs.ErrInvalid
	if d.o.Duplicates != copyDuplicates {
		err = d.out.Link(filepath.FromSlash(from), filepath.FromSlash(to))
	}
	switch {
	case err == nil:
		err = folder.Sync()
	case !errors.Is(err, fs.ErrExist): // not every file system has links
		err = d.copyOutput(folder, from, path.Base(to))
	}
	if errors.Is(err, fs.ErrExist) && d.sameOutput(from, to) {
		err = folder.Sync()
	}
	if err != nil {
		return Stamp{}, err
	}
	return lookIn(folder, path.Base(to))
}

// copyOutput writes a copy of an output under a name that nothing has.
func (d *Daemon) copyOutput(folder *disk.Folder, from, base string) error {
	source, err := d.out.Open(filepath.FromSlash(from))
	if err != nil {
		return err
	}
	defer source.Close()
	return folder.Write(base, disk.WriteOptions{}, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}

// sameOutput says whether two names stand for one regular file, or for two with the same bytes.
func (d *Daemon) sameOutput(a, b string) bool {
	one, err1 := d.out.Lstat(filepath.FromSlash(a))
	other, err2 := d.out.Lstat(filepath.FromSlash(b))
	if err1 != nil || err2 != nil || !one.Mode().IsRegular() || !other.Mode().IsRegular() {
		return false
	}
	return os.SameFile(one, other) || one.Size() == other.Size() && d.sameBytes(a, b)
}

func (d *Daemon) sameBytes(a, b string) bool {
	f, err := d.out.Open(filepath.FromSlash(a))
	if err != nil {
		return false
	}
	defer f.Close()
	g, err := d.out.Open(filepath.FromSlash(b))
	if err != nil {
		return false
	}
	defer g.Close()
	x, y := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, err1 := io.ReadFull(f, x)
		m, err2 := io.ReadFull(g, y)
		if !bytes.Equal(x[:n], y[:m]) {
			return false
		}
		if err1 != nil || err2 != nil {
			return ended(err1) && ended(err2)
		}
	}
}

// ended says whether an error of io.ReadFull is the end of the file.
func ended(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

// duplicateAt finds the record of a file whose output, under its own name, is that of another. Like maker, it reads the
// whole ledger.
func (l *ledger) duplicateAt(name string) (r record, found bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err = l.eachNamed(name, func(one record, _ int64) {
		if one.Kind == kindSeen && string(one.Name) == name && string(one.Out) == name {
			r, found = one, true
		}
	})
	return r, found, err
}

// owner finds what made an output: a job, or a file that got the output of another. In that case the record is of kind
// seen.
func (l *ledger) owner(name string) (record, bool, error) {
	r, found, err := l.maker(name)
	if found || err != nil {
		return r, found, err
	}
	return l.duplicateAt(name)
}
