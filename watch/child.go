package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Child is a Runner that does the jobs in a process of their own, kept alive from job to job: what takes all memory, dies
// or hangs there is an error of kind ErrCrashed here. A job is interrupted by killing the process, which loses nothing,
// since outputs get their names when they are whole.
type Child struct {
	Command func() *exec.Cmd // makes the process, which is to call Serve on its standard input and output
	Timeout time.Duration    // of a job; 0 = none

	running *process
}

// process is a child that runs.
type process struct {
	cmd     *exec.Cmd
	tasks   *json.Encoder
	stdin   io.Closer
	replies chan reply    // closed at the end of the process; with room for all that can be on the way
	ended   chan struct{} // closed when cmd is of no more use
	stderr  tail
	err     error // how it ended, after ended
}

// Start has the process running, so that it is ready when the first job comes. Run does it if nobody has. It is not for
// use beside Run.
func (c *Child) Start() (err error) {
	if c.running == nil {
		c.running, err = start(c.Command())
	}
	return err
}

// Run implements Runner.
func (c *Child) Run(ctx context.Context, in Source, begin Begin) (text string, err error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, failf(ErrCrashed, "no end after %v", c.Timeout))
		defer cancel()
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	c.running.stderr.reset()
	r, err := c.talk(ctx, task{Folder: fileName(in.Folder), In: fileName(in.Name), Stamp: in.Stamp})
	if err != nil {
		return "", fmt.Errorf("while reading: %w", notCrash{err})
	}
	if r.Sum == nil {
		return r.result()
	}
	out := begin(*r.Sum)
	if out == (Target{}) {
		c.say(task{}) // if the process has died, the next Run makes another
		return "", nil
	}
	if r, err = c.talk(ctx, task{Folder: fileName(out.Folder), Out: fileName(out.Name)}); err != nil {
		return "", err
	}
	return r.result()
}

// notCrash hides the kind of an error: nobody can say that a file's content is to blame before it was read.
type notCrash struct{ error }

// talk sends a task and waits for the reply.
func (c *Child) talk(ctx context.Context, t task) (reply, error) {
	if err := c.say(t); err != nil {
		return reply{}, err
	}
	select {
	case r, ok := <-c.running.replies:
		if !ok {
			return reply{}, c.crashed()
		}
		return r, nil
	case <-ctx.Done():
		c.kill()
		return reply{}, context.Cause(ctx)
	}
}

func (c *Child) say(t task) error {
	if err := c.running.tasks.Encode(t); err != nil {
		return c.crashed()
	}
	return nil
}

// crashed is for a process that has ended by itself.
func (c *Child) crashed() error {
	p := c.running
	c.kill()
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second): // the kernel does not let go of it
		return failf(ErrCrashed, "the process does not answer")
	}
	text := "the process ended"
	if p.err != nil {
		text = p.err.Error()
	}
	if last := p.stderr.cause(); last != "" {
		text += ": " + last
	}
	return failf(ErrCrashed, "%s", text)
}

// kill ends the process and does not wait for it: one that hangs in a dead mount may never end.
func (c *Child) kill() {
	c.running.stdin.Close()
	c.running.cmd.Process.Kill()
	c.running = nil
}

// Close implements Runner.
func (c *Child) Close() error {
	if c.running != nil {
		p := c.running
		c.kill()
		select {
		case <-p.ended:
		case <-time.After(5 * time.Second):
			return errors.New("the worker process does not end")
		}
	}
	return nil
}

func start(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, replies: make(chan reply, 2), ended: make(chan struct{})}
	cmd.Stderr = &p.stderr
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.stdin, p.tasks = in, json.NewEncoder(in)
	go p.listen(out)
	return p, nil
}

func (p *process) listen(out io.Reader) {
	d := json.NewDecoder(out)
	for {
		var r reply
		if d.Decode(&r) != nil {
			break
		}
		p.replies <- r
	}
	close(p.replies)
	p.cmd.Process.Kill() // if what it says makes no sense
	p.err = p.cmd.Wait()
	close(p.ended)
}

// tail keeps the beginning of what a process last said on its standard error: a crash begins with its reason.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(b[:min(len(b), max(0, 4096-t.text.Len()))])
	return len(b), nil
}

func (t *tail) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Reset()
}

// cause is the line that tells most.
func (t *tail) cause() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := ""
	for line := range strings.Lines(t.text.String()) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.HasPrefix(line, "runtime: out of memory") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	return first
}
