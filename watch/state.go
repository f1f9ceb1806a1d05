package watch

import (
	"os"
	"path/filepath"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// stateFolder is in the output folder. Its name is hidden, so scans of any kind leave it alone.
const stateFolder = ".blorc-watch"

// home is the state of a daemon on the disk: the lock and the ledger.
type home struct {
	path string // of the state folder
	lock *os.File
}

// openHome takes the output folder into possession.
func openHome(out string) (*home, error) {
	h := &home{path: filepath.Join(out, stateFolder)}
	if err := disk.Make(h.path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(h.path, "lock"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	ok, err := tryLock(f)
	for range 5 { // who asks for the status holds it for a moment
		if err != nil || ok {
			break
		}
		time.Sleep(20 * time.Millisecond)
		ok, err = tryLock(f)
	}
	if err == nil && !ok {
		err = failf(ErrLocked, "the output folder %s is in use by another daemon", out)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	h.lock = f
	return h, disk.SyncFolder(out)
}

// check makes sure that the output folder is still the one that was taken into possession: if it was deleted or unmounted,
// what is written under its name now would be lost to its owner.
func (h *home) check() error {
	held, err := h.lock.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(h.lock.Name())
	if os.IsNotExist(err) || err == nil && !os.SameFile(held, now) {
		return failf(ErrOutputGone, "%s: %v", filepath.Dir(h.path), ErrOutputGone)
	}
	return err
}

func (h *home) close() { h.lock.Close() }

// locked says whether a daemon runs on an output folder.
func locked(out string) bool {
	f, err := os.OpenFile(filepath.Join(out, stateFolder, "lock"), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	ok, err := tryLock(f)
	return err == nil && !ok
}
