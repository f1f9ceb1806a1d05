package watch

import (
	"os"
	"path/filepath"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// stateFolder is in the output folder. Its name is hidden, so scans of any kind leave it alone. Neither it nor a file
// in it may be a link: the output folder may belong to somebody else than the daemon's user.
const stateFolder = ".blorc-watch"

// The files in it.
const (
	lockName   = "lock"
	ledgerName = "ledger"
)

// home is the state of a daemon on the disk: the lock and the ledger.
type home struct {
	out    string
	folder *disk.Folder // the state folder
	lock   *os.File
}

// openHome locks the output folder.
func openHome(out string) (*home, error) {
	root, err := disk.Open(out)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.Make(stateFolder); err != nil {
		return nil, err
	}
	folder, err := root.Sub(stateFolder)
	if err != nil {
		return nil, err
	}
	h := &home{out: out, folder: folder}
	if err := h.takeLock(); err != nil {
		h.close()
		return nil, err
	}
	return h, root.Sync()
}

func (h *home) takeLock() (err error) {
	if h.lock, err = h.folder.OpenOrCreate(lockName); err != nil {
		return err
	}
	ok, err := disk.TryLock(h.lock)
	for range 5 { // ReadStatus holds it for a moment
		if err != nil || ok {
			break
		}
		time.Sleep(20 * time.Millisecond)
		ok, err = disk.TryLock(h.lock)
	}
	if err == nil && !ok {
		err = failf(ErrLocked, "the output folder %s is in use by another daemon", h.out)
	}
	return err
}

// check returns an error if the output folder is not the one that was locked: if it was deleted or unmounted, what is
// written under its name now would be lost to its owner.
func (h *home) check() error {
	held, err := h.lock.Stat()
	if err != nil {
		return err
	}
	now, err := os.Lstat(filepath.Join(h.out, stateFolder, lockName))
	if os.IsNotExist(err) || err == nil && !os.SameFile(held, now) {
		return failf(ErrOutputGone, "%s: %v", h.out, ErrOutputGone)
	}
	return err
}

func (h *home) close() {
	if h.lock != nil {
		h.lock.Close()
	}
	h.folder.Close()
}

// openState opens the state folder of an output folder for reading.
func openState(out string) (*disk.Folder, error) {
	root, err := disk.Open(out)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Sub(stateFolder)
}

// locked says whether a daemon has the output folder.
func locked(state *disk.Folder) bool {
	f, err := state.OpenToChange(lockName)
	if err != nil {
		return false
	}
	defer f.Close()
	ok, err := disk.TryLock(f)
	return err == nil && !ok
}
