package watch

import (
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

const asidePrefix = ".blorc-aside-"

// dispose does with a finished input what the policy asks for. It never takes a file other than the one with the stamp,
// and none outside the input folder: in the open folder, the file's name is changed first; then the file is looked at,
// and whether the folder is still in its place below the input folder. If not, the file gets its name back.
func dispose(p Policy, in, name string, stamp Stamp) (moved string, err error) {
	if p == (Policy{}) {
		return "", nil
	}
	folder, base, err := openInput(in, name)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	caught, err := setAside(folder, base, stamp)
	if err != nil {
		return "", err
	}
	if err = inPlace(folder, in, name); err == nil {
		if p.Delete {
			return "", removeSynced(folder, caught)
		}
		moved, err = moveInto(folder, caught, p.MoveTo, name)
	}
	if err != nil { // the next scan must find it
		return "", errors.Join(err, bringBack(folder, caught, base))
	}
	return moved, nil
}

// inPlace makes sure that an open folder is still the one that holds a file of the input folder.
func inPlace(folder *disk.Folder, in, name string) error {
	now, _, err := openInput(in, name)
	if err == nil {
		defer now.Close()
		if now.Is(folder) {
			return nil
		}
	}
	return failf(ErrChanging, "its folder was renamed")
}

func setAside(folder *disk.Folder, base string, stamp Stamp) (string, error) {
	if now, err := lookIn(folder, base); err != nil {
		return "", err
	} else if now != stamp {
		return "", failf(ErrChanging, "the file has changed")
	}
	aside := asidePrefix + base
	if len(aside) > 255 {
		return base, nil // too long a name; the stamp was compared, which has to do
	}
	if _, err := folder.Lstat(aside); err == nil { // left by a daemon that was killed; the next scan brings it back
		return "", failf(ErrChanging, "an earlier version was set aside")
	}
	if err := folder.Rename(base, aside); err != nil {
		return "", err
	}
	now, err := lookIn(folder, aside)
	if err == nil && now.content() != stamp.content() {
		err = failf(ErrChanging, "the file has changed")
	}
	if err != nil {
		return "", errors.Join(err, bringBack(folder, aside, base))
	}
	return aside, nil
}

// bringBack gives a file that was set aside its name, or one like it if the name is taken by now.
func bringBack(folder *disk.Folder, aside, base string) error {
	if aside == base {
		return nil
	}
	_, err := folder.Move(aside, folder, base)
	return err
}

// moveInto moves a file into the folder of a policy, as name or one like it, and returns its path. Nothing is replaced
// there.
func moveInto(from *disk.Folder, base, policy, name string) (string, error) {
	if err := disk.Make(policy); err != nil {
		return "", err
	}
	root, err := disk.Open(policy)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := root.Make(path.Dir(name)); err != nil {
		return "", err
	}
	to, err := root.Below(path.Dir(name))
	if err != nil {
		return "", err
	}
	defer to.Close()
	placed, err := from.Move(base, to, path.Base(name))
	if err != nil {
		return "", err
	}
	return filepath.Join(to.Path(), placed), from.Sync()
}

func removeSynced(folder *disk.Folder, base string) error {
	if err := folder.Remove(base); err != nil {
		return err
	}
	return folder.Sync()
}

// giveReason writes the reason of a failure beside the moved file. If the name would be too long for a file system, the
// end of the file's name gives way to digits of the job's ID.
func giveReason(moved, why string, id ID) error {
	const longest, ending = 255, ".reason.txt"
	folder, base := filepath.Split(moved)
	name := base + ending
	if len(name) > longest {
		tag := "-" + id.String()[:8] + ending
		name = strings.ToValidUTF8(base[:longest-len(tag)], "") + tag
	}
	return disk.Write(filepath.Join(folder, name), disk.WriteOptions{Overwrite: true}, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, why)
		return err
	})
}
