package watch

import (
	"os"
	"path/filepath"
)

// within says whether path is the folder, or in it at any depth. Folders are compared by identity and not by name, so
// links, the case of letters and bind mounts make no difference. A path that does not exist yet is taken by its name.
func within(path, folder string) (bool, error) {
	target, err := os.Stat(folder)
	if os.IsNotExist(err) {
		return false, nil // nothing can be in it
	}
	if err != nil {
		return false, err
	}
	path, err = resolve(path)
	if err != nil {
		return false, err
	}
	for {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, target) {
			return true, nil
		}
		up := filepath.Dir(path)
		if up == path {
			return false, nil
		}
		path = up
	}
}

// resolve follows all links of the part of a path that exists.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !os.IsNotExist(err) {
			return "", err
		}
		if to, err := os.Readlink(path); err == nil { // a link to what does not exist yet
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			return resolve(filepath.Join(to, rest))
		}
		up := filepath.Dir(path)
		if up == path {
			return path, nil
		}
		path, rest = up, filepath.Join(filepath.Base(path), rest)
	}
}

// apart returns an error if two of the folders are the same, or one lies in another. An empty path stands for no
// folder.
func apart(folders ...namedFolder) error {
	for i, a := range folders {
		for _, b := range folders[:i] {
			if a.path == "" || b.path == "" {
				continue
			}
			for _, pair := range [][2]namedFolder{{a, b}, {b, a}} {
				inside, err := within(pair[0].path, pair[1].path)
				if err != nil {
					return err
				}
				if inside && a.path == b.path {
					return failf(ErrFolders, "the %s and the %s are both %s", pair[1].role, pair[0].role, a.path)
				}
				if inside {
					return failf(ErrFolders, "the %s %s is inside the %s %s", pair[0].role, pair[0].path, pair[1].role,
						pair[1].path)
				}
			}
		}
	}
	return nil
}

// namedFolder is a folder and what it is for, for messages.
type namedFolder struct{ role, path string }

func gone(path string) bool {
	_, err := os.Lstat(path)
	return os.IsNotExist(err)
}
