package batch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// source is where an input is read. One that was found in a folder is reached from that folder without following links,
// so that a folder which becomes a link meanwhile leads nowhere. One that was named is reached by its path.
type source struct {
	folder *disk.Folder // that it is in, or nil
	name   string       // in the folder, or the path
}

// open opens the folder that an input is in.
func (in Input) open() (*source, error) {
	if in.Root == "" {
		return &source{name: in.Path}, nil
	}
	folder, err := below(in.Root, filepath.Dir(in.Path), (*disk.Folder).Sub)
	if err != nil {
		return nil, err
	}
	return &source{folder, filepath.Base(in.Path)}, nil
}

func (s *source) close() {
	if s.folder != nil {
		s.folder.Close()
	}
}

func (s *source) root() *os.Root {
	if s.folder == nil {
		return nil
	}
	return s.folder.Root()
}

func (s *source) stat() (fs.FileInfo, error) {
	if s.folder == nil {
		return os.Stat(s.name)
	}
	info, err := s.folder.Lstat(s.name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = &fs.PathError{Op: "open", Path: filepath.Join(s.folder.Path(), s.name), Err: disk.ErrLink}
	}
	return info, err
}

func (s *source) openFile() (*os.File, error) {
	if s.folder == nil {
		return os.Open(s.name)
	}
	return s.folder.Open(s.name)
}

// changed says whether the name has another file, or another content, than before. A file that is gone was read
// as it was.
func (s *source) changed(before fs.FileInfo) bool {
	after, err := s.stat()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return !os.SameFile(before, after) || before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime())
}
