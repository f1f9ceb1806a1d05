package watch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

const asidePrefix = ".blorc-aside-"

// dispose does with a finished input what the policy asks for. It never takes a file other than the one with the stamp:
// the name is changed first, then what was caught is looked at, and if it is a newer version it gets its name back.
func dispose(p Policy, in, name string, stamp Stamp) (moved string, err error) {
	if p == (Policy{}) {
		return "", nil
	}
	from := filepath.Join(in, filepath.FromSlash(name))
	caught, err := setAside(from, stamp)
	if err != nil {
		return "", err
	}
	if p.Delete {
		return "", removeSynced(caught)
	}
	moved, err = moveInto(caught, p.MoveTo, name)
	if err != nil { // it must be found again
		return "", errors.Join(err, bringBack(caught, from))
	}
	return moved, nil
}

func setAside(from string, stamp Stamp) (string, error) {
	if now, err := look(from); err != nil {
		return "", err
	} else if now != stamp {
		return "", failf(ErrChanging, "the file has changed")
	}
	aside := filepath.Join(filepath.Dir(from), asidePrefix+filepath.Base(from))
	if len(filepath.Base(aside)) > 255 {
		return from, nil // the look has to do
	}
	if _, err := os.Lstat(aside); err == nil { // of a daemon that was killed; the next scan brings it back
		return "", failf(ErrChanging, "an earlier version was set aside")
	}
	if err := os.Rename(from, aside); err != nil {
		return "", err
	}
	now, err := look(aside)
	if err == nil && now.content() != stamp.content() {
		err = failf(ErrChanging, "the file has changed")
	}
	if err != nil {
		return "", errors.Join(err, bringBack(aside, from))
	}
	return aside, nil
}

// bringBack gives a file that was set aside its name, or one like it if the name is taken by now.
func bringBack(aside, name string) error {
	if aside == name {
		return nil
	}
	_, err := place(aside, name)
	return err
}

// moveInto moves a file into a folder, as name or one like it. Nothing is replaced there.
func moveInto(from, folder, name string) (string, error) {
	to := filepath.Join(folder, filepath.FromSlash(name))
	if err := disk.Make(filepath.Dir(to)); err != nil {
		return "", err
	}
	to, err := place(from, to)
	if err != nil {
		return "", err
	}
	return to, errors.Join(disk.SyncFolder(filepath.Dir(to)), disk.SyncFolder(filepath.Dir(from)))
}

// place renames without replacing: if the name is taken, it gets a number.
func place(from, to string) (string, error) {
	for n := 1; ; n++ {
		name := to
		if n > 1 {
			ext := path.Ext(to)
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(to, ext), n, ext)
		}
		err := os.Link(from, name)
		if err == nil {
			return name, os.Remove(from)
		}
		if os.IsExist(err) {
			if sameFile(from, name) { // linked before the daemon was killed
				return name, os.Remove(from)
			}
			continue
		}
		if _, missing := os.Lstat(from); missing != nil {
			return "", missing
		}
		done, err := placeWithoutLink(from, name)
		if done || err != nil {
			return name, err
		}
	}
}

// placeWithoutLink is for what cannot be linked: other volumes, and file systems without hard links. It says no if the name
// is taken.
func placeWithoutLink(from, to string) (bool, error) {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // reserves the name
	if os.IsExist(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if err := f.Close(); err == nil && os.Rename(from, to) == nil {
		return true, nil
	}
	if err := copyOver(from, to); err != nil {
		os.Remove(to)
		return false, err
	}
	return true, removeSynced(from)
}

// copyOver copies by way of a hidden file, so that the name never stands for a part of it.
func copyOver(from, to string) error {
	temp := filepath.Join(filepath.Dir(to), asidePrefix+"copy.tmp")
	if err := copyFile(from, temp); err != nil {
		os.Remove(temp)
		return err
	}
	return os.Rename(temp, to)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

func sameFile(a, b string) bool {
	x, err1 := os.Lstat(a)
	y, err2 := os.Lstat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

func removeSynced(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(path))
}

// giveReason writes why beside a file in quarantine.
func giveReason(moved, why string) error {
	f, err := os.OpenFile(moved+".reason.txt", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := fmt.Fprintln(f, why); err != nil {
		return err
	}
	return f.Sync()
}
