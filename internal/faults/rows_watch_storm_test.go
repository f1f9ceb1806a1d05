//go:build linux

package faults

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var stormTime = flag.Duration("storm", 0, "how long everything goes wrong at once; default 5 s, or an hour with -full")

var _ = fault("F43", "everything at once, watch", storm)

// stormFolders is how many folders the files come into, and are swapped.
const stormFolders = 5

// storm has files come by renames and from slow writers, while the daemon and its worker are killed, folders are
// swapped for links that lead out, and the disk of the outputs is full now and then. In the end each content was done
// once, and each output is right.
func storm(c *cases) {
	s := &stormy{cases: c, flags: append(c.model(), "--quality", "fast"), ended: make(chan struct{})}
	if err := s.mount(); err != nil {
		c.Skip("no right to mount: ", err)
	}
	length := *stormTime
	if length == 0 {
		length = time.Duration(c.count(5, 3600)) * time.Second
	}
	s.patience = length + time.Hour // for the daemons, and for what is left at the end
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() { s.write(i) })
	}
	all.Go(s.swap)
	all.Go(s.fill)
	all.Go(s.kill)
	time.Sleep(length)
	close(s.ended)
	all.Wait()
	n := int(s.written.Load())
	c.check("the end", func() error { return s.verify(n) })
	c.total = max(c.total, n)
	c.note = fmt.Sprintf("%v: %d files, %d of slow writers; %d daemons and %d workers killed, %d swaps, %d times full",
		length, n, s.slow.Load(),
		s.daemons.Load(), s.workers.Load(), s.swaps.Load(), s.fills.Load())
}

type stormy struct {
	*cases
	flags   []string
	ended   chan struct{}
	folders [stormFolders]sync.RWMutex // held by writers, and by the one that swaps

	written, slow, daemons, workers, swaps, fills atomic.Int64
}

// mount gives the outputs a disk of their own.
func (s *stormy) mount() error {
	for i := range stormFolders {
		for _, dir := range []string{"in", "pictures", "outside"} {
			if err := os.MkdirAll(s.path(fmt.Sprintf("%s/%d", dir, i)), 0o777); err != nil {
				return err
			}
			if dir == "outside" {
				s.picture(fmt.Sprintf("outside/%d/secret.png", i), 16, 16)
			}
		}
	}
	for _, dir := range []string{"out", "away"} {
		if err := os.MkdirAll(s.path(dir), 0o777); err != nil {
			return err
		}
	}
	if err := syscall.Mount("tmpfs", s.path("out"), "tmpfs", 0, "size=512m"); err != nil {
		return err
	}
	s.Cleanup(func() { syscall.Unmount(s.path("out"), syscall.MNT_DETACH) })
	return nil
}

// pause waits, and says whether the storm goes on.
func (s *stormy) pause(most time.Duration) bool {
	select {
	case <-s.ended:
		return false
	case <-time.After(time.Duration(rand.Int64N(int64(most)))):
		return true
	}
}

// write makes pictures and brings them into the input folder.
func (s *stormy) write(writer int) {
	for i := 0; s.pause(200 * time.Millisecond); i++ {
		k := rand.IntN(stormFolders)
		name := fmt.Sprintf("%d/%d-%d.png", k, writer, i)
		s.picture("pictures/"+name, 24, 24)
		data, err := os.ReadFile(s.path("pictures/" + name))
		if err != nil {
			s.Error(err)
			return
		}
		s.folders[k].RLock()
		if i%2 == 0 {
			err = os.WriteFile(s.path("in/"+name+".part"), data, 0o666)
			if err == nil {
				err = os.Rename(s.path("in/"+name+".part"), s.path("in/"+name))
			}
		} else {
			err = writeSlowly(s.path("in/"+name), data)
			s.slow.Add(1)
		}
		s.folders[k].RUnlock()
		if err != nil {
			s.Error(err)
			return
		}
		s.written.Add(1)
	}
}

// writeSlowly pauses for longer than the daemon settles, with the file open.
func writeSlowly(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for ; len(data) > 0; time.Sleep(60 * time.Millisecond) {
		n := min(len(data), 400)
		if _, err := f.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return f.Close()
}

// swap puts links that lead out in the place of folders for a moment.
func (s *stormy) swap() {
	for s.pause(300 * time.Millisecond) {
		k := rand.IntN(stormFolders)
		in, away := s.path(fmt.Sprintf("in/%d", k)), s.path(fmt.Sprintf("away/%d", k))
		s.folders[k].Lock()
		err := os.Rename(in, away)
		if err == nil {
			err = os.Symlink(s.path(fmt.Sprintf("outside/%d", k)), in)
			s.pause(30 * time.Millisecond)
			os.Remove(in)
			os.Rename(away, in)
		}
		s.folders[k].Unlock()
		if err != nil {
			s.Error(err)
			return
		}
		s.swaps.Add(1)
	}
}

// fill leaves no room for outputs for a while.
func (s *stormy) fill() {
	ballast := s.path("out/.ballast")
	for s.pause(4 * time.Second) {
		f, err := os.Create(ballast)
		if err != nil {
			s.Error(err)
			return
		}
		for block := make([]byte, 1<<20); err == nil; {
			_, err = f.Write(block)
		}
		f.Close()
		s.fills.Add(1)
		s.pause(time.Second)
		os.Remove(ballast)
	}
}

// kill keeps a daemon running, and kills it or its worker.
func (s *stormy) kill() {
	var d *daemon
	defer func() {
		if d != nil {
			s.end(d, syscall.SIGTERM)
		}
	}()
	for {
		if d == nil {
			d = s.launch(s.command(watchArgs(s.flags, "in", "out", "--on-success", "delete", "--duplicates",
				"skip")...))
		}
		if !s.pause(3 * time.Second) {
			return
		}
		if rand.IntN(2) == 0 {
			s.end(d, syscall.SIGKILL)
			s.daemons.Add(1)
			d = nil
			continue
		}
		for _, pid := range children(d) {
			syscall.Kill(pid, syscall.SIGKILL)
			s.workers.Add(1)
		}
	}
}

// verify does what is left, and compares. Files whose jobs were killed three times were set aside. They are tried
// again, since more tries are allowed now.
func (s *stormy) verify(n int) error {
	s.age("out")
	if err := s.drain(watchArgs(s.flags, "in", "out", "--on-success", "delete", "--duplicates",
		"skip", "--tries", "1000")...); err != nil {
		return err
	}
	if left := s.files("in"); len(left) > 0 {
		return fmt.Errorf("%d inputs are left", len(left))
	}
	for i := range stormFolders {
		if entries, err := os.ReadDir(filepath.Join(s.path("outside"), fmt.Sprint(i))); err != nil ||
			len(entries) != 1 {
			return fmt.Errorf("outside of the input folder: %v, %v", entries, err)
		}
	}
	if err := same(s.outputs("out"), undisturbed(s.cases, "pictures", s.flags)); err != nil {
		return err
	}
	return s.doneOnce("out", n)
}
