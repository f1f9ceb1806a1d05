package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A Child that has no command says so. That is no verdict about a file.
func TestChildWithoutCommand(t *testing.T) {
	if _, err := new(Child).Run(t.Context(), Source{}, nil); !errors.Is(err, errNoWorker) {
		t.Error(err)
	}
	if err := Refuse(nil); err != nil {
		t.Error(err)
	}
}

// closing counts how often it is closed.
type closing struct {
	local
	closed *int
}

func (c closing) Close() error {
	*c.closed++
	return nil
}

// A daemon that cannot begin leaves the Runner of its caller alone: another daemon may use it.
func TestNewThatFailsClosesNoRunner(t *testing.T) {
	closed := 0
	o := Options{In: t.TempDir(), Out: t.TempDir(), Runner: closing{closed: &closed}, Polling: true}
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(o); !errors.Is(err, ErrLocked) || closed != 0 {
		t.Errorf("%v, closed %d times", err, closed)
	}
	if err := d.Close(); err != nil || closed != 1 {
		t.Errorf("%v, closed %d times", err, closed)
	}
}

// A worker whose daemon is gone ends at once, in the middle of a job: its standard input has ended.
func TestServeEndsWithItsParent(t *testing.T) {
	in := t.TempDir()
	write(t, filepath.Join(in, "a.x"), "a")
	stamp, err := look(in, "a.x")
	must(t, err)
	ended, begun, release := make(chan int, 1), make(chan bool), make(chan bool)
	exit = func(code int) { ended <- code }
	defer func() { exit = os.Exit }()
	tasks, parent := io.Pipe()
	daemon, replies := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- Serve(tasks, replies, func(context.Context, string, []byte, Output) (string, error) {
			close(begun)
			<-release
			return "", nil
		}, 0)
	}()
	talk := func(t task) { json.NewEncoder(parent).Encode(t) }
	talk(task{Folder: fileName(in), In: "a.x", Stamp: stamp})
	go io.Copy(io.Discard, daemon)
	talk(task{Folder: fileName(in), Out: "out.x"})
	<-begun
	parent.Close()
	select {
	case code := <-ended:
		if code != 0 {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(10 * time.Second):
		t.Error("the worker goes on")
	}
	close(release)
	replies.Close()
	select {
	case <-served:
	case <-time.After(10 * time.Second):
		t.Error("no end")
	}
}

// An output folder that is replaced by another one ends the daemon: what is written under its name now would be lost to
// its owner.
func TestPromise14OutputFolderIsReplaced(t *testing.T) {
	b := newBench(t, fastDir(t))
	b.o.Once, b.o.Settle = true, time.Millisecond
	d, err := New(b.o)
	must(t, err)
	defer d.Close()
	must(t, os.Rename(b.out, b.out+"-away"))
	must(t, os.MkdirAll(filepath.Join(b.out, stateFolder), 0o777))
	write(t, filepath.Join(b.out, stateFolder, lockName), "")
	b.put("a.x", "a")
	if _, err := d.Run(t.Context()); !errors.Is(err, ErrOutputGone) {
		t.Error(err)
	}
	b.wantOut()
	wantTree(t, b.out+"-away")
}

// A file that a worker cannot read as it was seen has no verdict.
func TestChildOfAFileThatHasChanged(t *testing.T) {
	in := t.TempDir()
	write(t, filepath.Join(in, "a.x"), "a")
	stamp, err := look(in, "a.x")
	must(t, err)
	write(t, filepath.Join(in, "a.x"), "longer")
	c := &Child{Command: func() *exec.Cmd { return self("worker") }}
	defer c.Close()
	if _, err := c.Run(t.Context(), Source{in, "a.x", stamp}, nil); !errors.Is(err, ErrChanging) {
		t.Error(err)
	}
}

// A worker refuses a file above its limit, whose bytes it has not kept.
func TestServeHasALimit(t *testing.T) {
	in := t.TempDir()
	write(t, filepath.Join(in, "a.x"), "first")
	stamp, err := look(in, "a.x")
	must(t, err)
	tasks, out := make(chan task, 1), new(bytes.Buffer)
	tasks <- task{Folder: fileName(in), Out: "out.x"}
	must(t, serveOne(task{Folder: fileName(in), In: "a.x", Stamp: stamp}, tasks, json.NewEncoder(out), stubWork, 4))
	var replies [2]reply
	d := json.NewDecoder(out)
	must(t, errors.Join(d.Decode(&replies[0]), d.Decode(&replies[1])))
	if _, err := replies[1].result(); *replies[0].Sum != Sum(sha("first")) || !errors.Is(err, ErrRefused) {
		t.Errorf("%+v, %v", replies, err)
	}
}

// A daemon that does not answer counts as ill after two seconds.
func TestHealthOfADaemonThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := New(newBench(t, t.TempDir()).o)
		must(t, err)
		defer d.Close()
		start, w := time.Now(), httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
		if w.Code != http.StatusServiceUnavailable || time.Since(start) != 2*time.Second {
			t.Errorf("%d after %v", w.Code, time.Since(start))
		}
	})
}
