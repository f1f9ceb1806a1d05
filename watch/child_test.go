//go:build unix

package watch

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A worker whose replies make no sense is killed at once, though no job waits for it.
func TestPromise12WorkerWithInvalidRepliesEnds(t *testing.T) {
	p, err := start(exec.Command("sh", "-c", "echo no reply; exec sleep 1000"))
	must(t, err)
	defer p.stdin.Close()
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		t.Error("the worker goes on")
		must(t, p.cmd.Process.Kill())
		<-p.ended
	}
}

// A worker that writes without end takes no memory of the daemon, which keeps the beginning.
func TestPromise11MessagesOfAWorkerAreBounded(t *testing.T) {
	var kept tail
	for i := range 1000 {
		text := strings.Repeat("x", 100*i)
		if n, err := kept.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("%d bytes of %d, %v", n, len(text), err)
		}
	}
	if n := kept.text.Len(); n != 4096 {
		t.Errorf("%d bytes are kept", n)
	}
	kept.reset()
	if kept.cause() != "" {
		t.Errorf("after the next job began: %q", kept.cause())
	}
}
