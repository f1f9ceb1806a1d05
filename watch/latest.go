package watch

import (
	"errors"
	"io/fs"
	"path"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// An input may be taken too early, for example because its writer made it at full size, closed it, and filled it later.
// Then the output of the half file has the plain name, and that of the whole one gets a longer name. To give the latest
// content the plain name, the two outputs exchange their names. Nothing is replaced: each file keeps a name at any
// instant, and only a file is renamed that the ledger knows and that has not changed since it was made.
//
// The exchange is written into the ledger before it begins, with the record that the job is done or as one of kind
// swap, and carried through at the next start if the daemon is killed in the middle:
//
//	plain = old, long = new                 the swap is recorded
//	plain = old, long = new, aside = old    the old output has its second name, with digits of its own ID
//	plain = new, long = old, aside = old    exchanged, in one step of the file system
//	plain = new,             aside = old    then both records of kind moved

// promote gives the output of a job that was done before the plain name of its input, if an older output of the same
// input has that name. Whatever goes wrong, the output keeps the name that it has. It returns the record of the job
// with its name.
func (d *Daemon) promote(name string, r record) record {
	swap, ok := d.planSwap(name, r)
	if !ok {
		return r
	}
	if err := d.ledger.add(swap); err != nil {
		d.o.Log.Warn("ledger", "error", err)
		return r
	}
	return d.carryOut(swap)
}

// carryOut does what is recorded, and returns the record of the newer job.
func (d *Daemon) carryOut(swap record) record {
	after, err := d.swap(swap)
	if err != nil {
		d.o.Log.Warn("the older output keeps the name", "file", string(swap.Name), "output", string(swap.Out), "error",
			err)
	}
	if after.Kind == "" {
		return swap
	}
	return after
}

// planSwap finds the older output and a name for it.
func (d *Daemon) planSwap(name string, r record) (swap record, ok bool) {
	if string(r.Out) == name || string(r.Name) != name {
		return record{}, false
	}
	folder, err := disk.FromRoot(d.out).Below(path.Dir(name))
	if err != nil {
		return record{}, false
	}
	defer folder.Close()
	plain, err := lookIn(folder, path.Base(name))
	if err != nil {
		return record{}, false
	}
	old, found, err := d.ledger.owner(name)
	if err != nil || !found || old.ID == r.ID || old.Name != fileName(name) || old.Made.content() != plain.content() {
		return record{}, false // not made here, or not as it was made
	}
	if old.Sum == r.Sum { // the same content with other parameters: the user has both
		return record{}, false
	}
	for _, aside := range outputNames(name, old.ID)[1:] {
		if _, err := folder.Lstat(path.Base(aside)); !errors.Is(err, fs.ErrNotExist) &&
			!folder.Same(path.Base(aside), folder, path.Base(name)) {
			continue // taken by another file
		}
		swap = r
		swap.Kind, swap.Old, swap.Aside = kindSwap, old.ID, fileName(aside)
		if old.Kind == kindSeen { // the output of the older job stays where it is
			swap.Was = old.Made
		}
		return swap, true
	}
	return record{}, false
}

// finishSwaps carries through what a killed daemon has begun.
func (d *Daemon) finishSwaps() {
	for _, swap := range d.ledger.openSwaps() {
		d.carryOut(swap)
	}
}

// swap does what a record of kind swap says, from wherever it was left off, and returns the record of the newer job. An
// error leaves both outputs under the names that the ledger has for them, or the swap open for the next start.
func (d *Daemon) swap(swap record) (record, error) {
	folder, err := disk.FromRoot(d.out).Below(path.Dir(string(swap.Name)))
	if err != nil {
		return record{}, err
	}
	defer folder.Close()
	old, err := d.ledger.last(swap.Old)
	if err != nil {
		return record{}, err
	}
	made, isDuplicate := old.Made, swap.Was != Stamp{}
	if isDuplicate {
		made = swap.Was
	}
	err = exchange(folder, path.Base(string(swap.Name)), path.Base(string(swap.Out)), path.Base(string(swap.Aside)),
		made, swap.Made)
	newer := swap
	newer.Kind, newer.Old, newer.Aside, newer.Was = kindMoved, ID{}, "", Stamp{}
	if err != nil {
		return newer, errors.Join(err, d.ledger.add(newer)) // which closes the swap
	}
	newer.Out = swap.Name
	if isDuplicate { // no job has made it
		return newer, d.ledger.add(newer)
	}
	old.Kind, old.Out = kindMoved, swap.Aside
	if err := d.ledger.add(old); err != nil {
		return newer, err
	}
	return newer, d.ledger.add(newer)
}

// exchange gives the file long the name plain, and the file plain the name aside. After an error the names are as
// before.
func exchange(folder *disk.Folder, plain, long, aside string, old, newer Stamp) error {
	if _, err := folder.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
		if now, err := lookIn(folder, plain); err != nil || now.content() != old.content() {
			return failf(ErrChanging, "the older output has changed")
		}
		if err := folder.Link(plain, aside); err != nil {
			return err
		}
	}
	if folder.Same(plain, folder, aside) { // not exchanged yet
		if err := folder.Sync(); err != nil {
			return err
		}
		err := folder.Exchange(plain, long)
		if err == nil && !folder.Same(long, folder, aside) { // somebody replaced the older output just now
			err = errors.Join(failf(ErrChanging, "the older output has changed"), folder.Exchange(plain, long))
		}
		if err != nil {
			return errors.Join(err, folder.Remove(aside))
		}
	}
	if folder.Same(long, folder, aside) {
		if err := folder.Sync(); err != nil { // else the newer output may lose this name before it has the other
			return err
		}
		if err := folder.Remove(long); err != nil {
			return err
		}
	}
	if now, err := lookIn(folder, plain); err != nil || now.content() != newer.content() {
		return failf(ErrChanging, "another file has the name")
	}
	return folder.Sync()
}
