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

// Child is a Runner that does the jobs in another process, which it keeps for the next job. A job that takes all
// memory, dies or hangs there is an error of kind ErrCrashed here. A job is interrupted by killing the process. Nothing
// is lost then, since outputs get their names only when they are whole.
type Child struct {
	Command func() *exec.Cmd // makes the process, which is to call Serve on its standard input and output
	Timeout time.Duration    // for a job; 0 means none

	running *process
}

// process is a running child.
type process struct {
	cmd     *exec.Cmd
	tasks   *json.Encoder
	stdin   io.Closer
	replies chan reply    // closed when the process ends; holds all replies that can be under way
	ended   chan struct{} // closed after cmd.Wait
	used    bool          // whether it was given a job
	stderr  tail          // what it says of its start and of its present job
	err     error         // how it ended, after ended
}

// Start starts the process, so that it is ready when the first job comes. Without it, the first Run does. It must not
// be called while Run runs. A process that has ended since the last job, such as one that the kernel killed for its
// memory, is started again.
func (c *Child) Start() (err error) {
	if c.running != nil && c.running.hasEnded() {
		c.kill()
	}
	if c.running == nil {
		if c.Command == nil {
			return errors.New("no command")
		}
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
		// its own kind is not about the input
		return "", failf(errNoWorker, "the worker process does not start: %v", err)
	}
	if c.running.used {
		c.running.stderr.reset()
	}
	c.running.used = true
	r, err := c.talk(ctx, task{Folder: fileName(in.Folder), In: fileName(in.Name), Stamp: in.Stamp})
	if err != nil {
		if errors.Is(err, errEnded) {
			return "", failf(errNoWorker, "the worker process ended before it had read the file: %v", err)
		}
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

// notCrash hides the kind of an error: before the file was read, its content cannot be to blame.
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

// crashed makes the error for a process that ended by itself.
func (c *Child) crashed() error {
	p := c.running
	c.kill()
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second): // it hangs in the kernel
		return failf(ErrCrashed, "the process does not answer")
	}
	text := errEnded.Error()
	if p.err != nil {
		text = p.err.Error()
	}
	if last := p.stderr.cause(); last != "" {
		text += ": " + last
	}
	return &kinded{ErrCrashed, text, errEnded}
}

// errEnded marks errors of a process that ended by itself.
var errEnded = errors.New("the process ended")

// kill kills the process and does not wait for its end: a process that hangs in a dead mount may never end.
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
	p.cmd.Process.Kill() // in case it still runs and its replies are not valid
	p.err = p.cmd.Wait()
	close(p.ended)
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// tail keeps the first 4096 bytes that a process wrote to its standard error since reset. A crash begins with its
// reason.
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

// cause returns the line that explains a crash best.
func (t *tail) cause() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := ""
	for line := range strings.Lines(t.text.String()) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") ||
			strings.HasPrefix(line, "runtime: out of memory") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	return first
}
