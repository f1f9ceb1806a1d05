package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// plain works on the names in a folder by its path, where the folder cannot be opened.
type plain string

func (p plain) at(name string) string { return filepath.Join(string(p), name) }

func (p plain) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(p.at(name), flag, perm)
}
func (p plain) Lstat(name string) (fs.FileInfo, error)    { return os.Lstat(p.at(name)) }
func (p plain) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(p.at(name), perm) }
func (p plain) Link(old, name string) error               { return os.Link(p.at(old), p.at(name)) }
func (p plain) Rename(old, name string) error             { return os.Rename(p.at(old), p.at(name)) }
func (p plain) Remove(name string) error                  { return os.Remove(p.at(name)) }
func (p plain) Close() error                              { return nil }
func (p plain) Chtimes(name string, access, change time.Time) error {
	return os.Chtimes(p.at(name), access, change)
}
