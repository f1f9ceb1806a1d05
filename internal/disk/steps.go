package disk

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// Step is what promises about files speak of. Tests see each one before it is done.
type Step string

// The steps. Each comes with the path of what it is done to.
const (
	ToOpen       Step = "open"        // of a name that has been looked at
	HasRead      Step = "read"        // of a file to its end, which has been read
	ToSyncFile   Step = "sync file"   // to the disk
	ToSyncFolder Step = "sync folder" // to the disk
	ToLink       Step = "link"        // with the new name
	ToRename     Step = "rename"      // with the new name
	ToExchange   Step = "exchange"    // of two names
	ToRemove     Step = "remove"
)

var interceptor atomic.Pointer[func(Step, string) error]

// Intercept calls f before each step of this process, until stop is called. If f returns an error, the step is left out
// and fails with it. So a test sees the order of steps, acts between two of them, and plays a file system that cannot
// do one. There is one f at a time, and one call of it: f may keep what it has seen, but takes no steps itself.
func Intercept(f func(step Step, path string) error) (stop func()) {
	var mu sync.Mutex
	alone := func(step Step, path string) error {
		mu.Lock()
		defer mu.Unlock()
		return f(step, path)
	}
	interceptor.Store(&alone)
	return func() { interceptor.Store(nil) }
}

// Before tells a test that a step is next. Nothing else listens.
func Before(step Step, path string) error {
	if f := interceptor.Load(); f != nil {
		return (*f)(step, path)
	}
	return nil
}

// before is Before for a name in a folder.
func (f *Folder) before(step Step, name string) error {
	return Before(step, filepath.Join(f.path, filepath.FromSlash(name)))
}

// Flush flushes a file to the disk.
func Flush(f *os.File) error {
	if err := Before(ToSyncFile, filepath.Clean(f.Name())); err != nil {
		return err
	}
	return f.Sync()
}
