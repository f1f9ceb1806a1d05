package watch

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// notifier shortens the wait for the next scan by events of the file system. Events can be late, be lost, or never
// come; then the scan finds the files.
type notifier struct {
	mu      sync.Mutex
	watcher *fsnotify.Watcher // nil = polling
	root    string
	folders map[string]bool // those that events were asked for
	why     error           // why some folders have no events, since the last scan began
}

// newNotifier tries to get events for a folder.
func newNotifier(root string) *notifier {
	if err := eventless(root); err != nil {
		return &notifier{why: err}
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return &notifier{why: limits(err)}
	}
	return &notifier{watcher: w, root: root, folders: map[string]bool{}}
}

// add asks for events of a folder. A folder that has them already, or a new one under an old name, is no error.
func (n *notifier) add(folder string) {
	if n.watcher == nil {
		return
	}
	err := n.watcher.Add(folder)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.folders[folder] = true
	if err != nil && n.why == nil && !gone(folder) {
		n.why = limits(err)
	}
}

// forget ends the events of a folder that has another name now and of those below it, which would come under the old
// names. It says whether there were any.
func (n *notifier) forget(folder string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.folders[folder] {
		return false
	}
	for name := range n.folders {
		if name == folder || strings.HasPrefix(name, folder+string(filepath.Separator)) {
			delete(n.folders, name)
			_ = n.watcher.Remove(name) // it may have ended
		}
	}
	return true
}

// again forgets the errors of add before another try.
func (n *notifier) again() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.watcher != nil {
		n.why = nil
	}
}

// blind returns why some or all folders must be polled, or nil.
func (n *notifier) blind() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.why
}

// run calls visit for each event, but not if something was removed from the root, and for the root if a folder was
// renamed. It calls overflow if events were lost. It returns when the notifier is closed.
func (n *notifier) run(visit func(path string), overflow func(error)) {
	if n.watcher == nil {
		return
	}
	for {
		select {
		case e, ok := <-n.watcher.Events:
			if !ok {
				return
			}
			switch {
			case e.Has(fsnotify.Rename) && n.forget(e.Name):
				visit(n.root)
			case e.Op != fsnotify.Remove || e.Name == n.root:
				visit(e.Name)
			}
		case err, ok := <-n.watcher.Errors:
			if !ok {
				return
			}
			overflow(err)
		}
	}
}

func (n *notifier) close() {
	if n.watcher != nil {
		n.watcher.Close()
	}
}

// limits says which limit an error of the system stands for, whose own text is about disks and files.
func limits(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("the limit of watched folders is reached (fs.inotify.max_user_watches): %w", err)
	case errors.Is(err, syscall.EMFILE):
		return fmt.Errorf("the limit of watchers or of open files is reached (fs.inotify.max_user_instances): %w", err)
	}
	return err
}

var errPolling = errors.New("asked for polling")
var errNetwork = errors.New("the folder is on a network or user-space file system, where events do not come")
