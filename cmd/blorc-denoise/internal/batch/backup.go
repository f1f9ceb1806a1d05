package batch

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

const backupSuffix = ".orig"

// BackupName is what an input is called after it was replaced. The ending is not that of an image, so that
// folders do not give it back.
func BackupName(path string) string { return path + backupSuffix }

// doneAt is done for a path.
func doneAt(path string) bool {
	folder, err := disk.Open(filepath.Dir(path))
	if err != nil {
		return false
	}
	defer folder.Close()
	return done(folder, filepath.Base(path))
}

// done says whether a file has been replaced before. A backup that is the file itself, or has its bytes, was made by a
// run that ended before it replaced the file. One that is empty only reserves its name, see disk.Folder.Write.
func done(folder *disk.Folder, name string) bool {
	saved, err := folder.Lstat(BackupName(name))
	if err != nil {
		return false
	}
	info, err := folder.Lstat(name)
	if err != nil {
		return true
	}
	return saved.Size() > 0 && !os.SameFile(saved, info) && !equal(folder, name, BackupName(name), saved, info)
}

// backup gives a file a second name, or copies it where there are no second names.
func backup(folder *disk.Folder, name string) error {
	err := folder.Link(name, BackupName(name))
	if err == nil {
		return nil
	}
	again := errors.Is(err, fs.ErrExist) && !done(folder, name)
	if saved, err := folder.Lstat(BackupName(name)); again && err == nil && saved.Size() > 0 {
		return nil
	}
	in, err := folder.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return folder.Write(BackupName(name), disk.WriteOptions{Overwrite: again}, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// equal compares the bytes of two files, which may be large and mostly differ in size.
func equal(folder *disk.Folder, a, b string, x, y fs.FileInfo) bool {
	if x.Size() != y.Size() || !x.Mode().IsRegular() || !y.Mode().IsRegular() {
		return false
	}
	f, err := folder.Open(a)
	if err != nil {
		return false
	}
	defer f.Close()
	g, err := folder.Open(b)
	if err != nil {
		return false
	}
	defer g.Close()
	var p, q [1 << 15]byte
	for {
		n, err := io.ReadFull(f, p[:])
		m, _ := io.ReadFull(g, q[:])
		if !bytes.Equal(p[:n], q[:m]) {
			return false
		}
		if err != nil {
			return err == io.EOF || err == io.ErrUnexpectedEOF
		}
	}
}
