package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

const backupSuffix = ".orig"

// BackupName is what an input is called after it was replaced: by its ending no image, so that folders do not give it back.
func BackupName(path string) string { return path + backupSuffix }

// done says whether a file has been replaced before. A backup that is the file itself, or has its bytes, was made by a
// run that did not come to the replacing.
func done(path string) bool {
	saved, err := os.Lstat(BackupName(path))
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	if err != nil {
		return true
	}
	return !os.SameFile(saved, info) && !equal(path, BackupName(path), saved, info)
}

// backup gives a file a second name, or copies it where there are no second names.
func backup(path string) error {
	err := os.Link(path, BackupName(path))
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) && !done(path) {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "backup", Path: BackupName(path), Err: fs.ErrExist}
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	return imageio.WriteFileAtomic(BackupName(path), false, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// equal compares files that may be large and mostly differ in size.
func equal(a, b string, x, y fs.FileInfo) bool {
	if x.Size() != y.Size() || !x.Mode().IsRegular() || !y.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(a)
	if err != nil {
		return false
	}
	defer f.Close()
	g, err := os.Open(b)
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

// tempBeside makes a name of the kind that is swept.
func tempBeside(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".blorc-%016x.tmp", rand.Uint64()))
}
