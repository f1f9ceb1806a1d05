//go:build unix

package watch

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// inputs fills a folder and returns what the output folder is to hold.
func inputs(t testing.TB, in string, n int) (want []string) {
	t.Helper()
	for i := range n {
		name := fmt.Sprintf("%d/%04d.x", i%7, i)
		content := fmt.Sprintf("slow %d", i)
		write(t, filepath.Join(in, name), content)
		want = append(want, name+"=done: "+content)
	}
	slices.Sort(want)
	return want
}

// visible leaves out what killed stubs left behind.
func visible(files []string) []string {
	return slices.DeleteFunc(files, func(f string) bool {
		return strings.Contains(f, ".blorc-") && strings.Contains(f, ".tmp=")
	})
}

func TestPromise12KilledAtAnyInstant(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"keep", "delete", "move"} {
		t.Run(policy, func(t *testing.T) {
			dir := fastDir(t)
			in, out, moved := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "moved")
			kills := count(6, 200)
			n := kills * 4
			want := inputs(t, in, n)
			args := []string{"-settle", "3ms"}
			switch policy {
			case "delete":
				args = append(args, "-delete")
			case "move":
				args = append(args, "-move", moved)
			}
			args = append(args, in, out)
			rng := rand.New(rand.NewPCG(1, 2))
			must(t, os.MkdirAll(out, 0o777))
			for range kills {
				cmd := self("daemon", args...)
				before, lines := len(ledgerLines(out)), rng.IntN(9)
				must(t, cmd.Start())
				// By what it has done, and not by time alone: it is to be hit at work on any machine.
				eventually(t, "progress", func() bool {
					now := ledgerLines(out)
					return len(now) >= before+lines || strings.Count(strings.Join(now, ""), `"done"`) == n
				})
				time.Sleep(time.Duration(rng.IntN(15000)) * time.Microsecond)
				must(t, cmd.Process.Kill())
				cmd.Wait()
				for _, f := range visible(tree(t, out)) {
					if _, found := slices.BinarySearch(want, f); !found {
						t.Fatalf("visible in between: %q", f)
					}
				}
			}
			var log bytes.Buffer
			last := self("daemon", append([]string{"-once"}, args...)...)
			last.Stderr = &log
			if err := last.Run(); err != nil {
				t.Fatalf("%v\n%s", err, log.String())
			}
			if got := visible(tree(t, out)); !slices.Equal(got, want) {
				t.Errorf("%d outputs, want %d", len(got), len(want))
			}
			left := tree(t, in)
			if policy != "keep" && len(left) > 0 || policy == "keep" && len(left) != n {
				t.Errorf("%d inputs left: %q", len(left), left)
			}
			if policy == "move" && len(tree(t, moved)) != n {
				t.Errorf("%d of %d moved", len(tree(t, moved)), n)
			}
			done := ledgerCount(t, out, kindDone)
			for id, times := range done {
				if times != 1 {
					t.Errorf("%v is done %d times by the ledger", id, times)
				}
			}
			row(t, "F20 kill -9, "+policy, kills, n-len(done), 0)
		})
	}
}

// ledgerCount counts the records of a kind for each job.
func ledgerCount(t testing.TB, out, kind string) map[ID]int {
	t.Helper()
	f, err := os.Open(filepath.Join(out, stateFolder, "ledger"))
	must(t, err)
	defer f.Close()
	n := map[ID]int{}
	_, err = eachLine(f, func(_ int64, line []byte) {
		if r, ok := parseRecord(line); ok && r.Kind == kind {
			n[r.ID]++
		}
	})
	must(t, err)
	return n
}

func TestPromise11PoisonIsSetAside(t *testing.T) {
	t.Parallel()
	dir := fastDir(t)
	in, out, bad := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "bad")
	write(t, filepath.Join(in, "a-panic.x"), "panic")
	write(t, filepath.Join(in, "b-hang.x"), "hang")
	write(t, filepath.Join(in, "c-eat.x"), "eat")
	write(t, filepath.Join(in, "d-good.x"), "good")
	args := []string{"-timeout", "2s", "-quarantine", bad, in, out}
	cmd := self("daemon", args...)
	var log journal
	cmd.Stderr = &log
	must(t, cmd.Start())
	defer cmd.Process.Kill()
	defer func() {
		if t.Failed() {
			t.Log(log.String())
		}
	}()
	eventually(t, "the quarantine", func() bool { return len(visible(tree(t, in))) == 1 })
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	must(t, cmd.Wait())
	wantTree(t, out, "d-good.x=done: good")
	reasons := map[string]string{"a-panic.x": "panic: poison", "b-hang.x": "no end after 2s",
		"c-eat.x": "out of memory"}
	for name, reason := range reasons {
		text, err := os.ReadFile(filepath.Join(bad, name+".reason.txt"))
		if !strings.Contains(string(text), "crashed 3 times") || !strings.Contains(string(text), reason) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	row(t, "F27 poison", 3, 3-(len(tree(t, bad))/2), 0)
}

// A worker that is killed between two jobs fails none.
func TestPromise11IdleWorkerIsReplaced(t *testing.T) {
	t.Parallel()
	b := newBench(t, fastDir(t))
	child := &Child{Command: func() *exec.Cmd { return self("worker") }}
	b.o.Runner = child
	must(t, child.Start())
	must(t, child.running.cmd.Process.Kill())
	<-child.running.ended
	b.put("a.x", "one")
	b.once()
	b.wantOut("a.x=done: one")
	if b.log.count("retry") > 0 {
		t.Error("tried twice")
	}
}

// Where the worker process cannot start, such as after its program was removed, no file is given up, and /healthz
// tells.
func TestPromise09NoWorker(t *testing.T) {
	t.Parallel()
	b := newBench(t, fastDir(t))
	program := filepath.Join(t.TempDir(), "program")
	b.o.Runner = &Child{Command: func() *exec.Cmd {
		cmd := self("worker")
		cmd.Path = program
		return cmd
	}}
	b.o.Settle, b.o.Interval = 5*time.Millisecond, 20*time.Millisecond
	b.put("a.x", "one")
	d, _ := b.start()
	health := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
		return w
	}
	eventually(t, "trouble", func() bool { return health().Code == http.StatusServiceUnavailable })
	if text := health().Body.String(); !strings.Contains(text, "worker process does not start") {
		t.Errorf("/healthz says %q", text)
	}
	here, err := filepath.Abs(os.Args[0])
	must(t, err)
	must(t, os.Symlink(here, program))
	eventually(t, "the output", func() bool { return len(visible(tree(t, b.out))) == 1 })
	eventually(t, "health", func() bool { return health().Code == http.StatusOK })
}

// A worker that dies before it has read a file, as one that may have too little memory, is no fault of the file: it is
// not given up, and /healthz and the status tell.
func TestPromise09WorkerThatDiesBeforeReading(t *testing.T) {
	t.Parallel()
	b := newBench(t, fastDir(t))
	var sound atomic.Bool
	b.o.Runner = &Child{Command: func() *exec.Cmd {
		if sound.Load() {
			return self("worker")
		}
		return exec.Command("sh", "-c", "echo fatal error: no memory >&2; exit 2")
	}}
	b.o.Settle, b.o.Interval, b.o.Tries = 5*time.Millisecond, 20*time.Millisecond, 1
	b.put("a.x", "one")
	d, _ := b.start()
	health := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
		return w
	}
	eventually(t, "trouble", func() bool { return health().Code == http.StatusServiceUnavailable })
	if text := health().Body.String(); !strings.Contains(text, "before it had read the file") ||
		!strings.Contains(text, "no memory") {
		t.Errorf("/healthz says %q", text)
	}
	s, err := ReadStatus(t.Context(), b.out, nil)
	if err != nil || len(s.Pending) != 1 || s.Pending[0].Tries == 0 ||
		!strings.Contains(s.Pending[0].Reason, "no memory") {
		t.Errorf("%+v, %v", s, err)
	}
	sound.Store(true)
	eventually(t, "the output", func() bool { return len(visible(tree(t, b.out))) == 1 })
	eventually(t, "health", func() bool { return health().Code == http.StatusOK })
}

// A content in the middle of which the daemon itself ends again and again is poison too.
func TestPromise11PoisonAcrossRestarts(t *testing.T) {
	t.Parallel()
	dir := fastDir(t)
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	write(t, filepath.Join(in, "a.x"), "hang")
	for range 10 {
		tries := func() int { return strings.Count(strings.Join(ledgerLines(out), ""), `"Kind":"try"`) }
		before := tries()
		cmd := self("daemon", "-local", in, out)
		must(t, cmd.Start())
		eventually(t, "a try", func() bool { return tries() > before })
		must(t, cmd.Process.Kill())
		cmd.Wait()
	}
	b := newBench(t, dir)
	if s := b.once(); s.Failed != 1 || !strings.Contains(b.log.String(), "the daemon ended 10 times") {
		t.Errorf("%+v", s)
	}
}

func ledgerLines(out string) []string {
	data, _ := os.ReadFile(filepath.Join(out, stateFolder, "ledger"))
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func last(s []string) string { return s[len(s)-1] }

func TestPromise14OneDaemon(t *testing.T) {
	t.Parallel()
	n, failures := count(3, 20), 0
	for range n {
		dir := fastDir(t)
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		must(t, os.MkdirAll(in, 0o777))
		a, b := self("daemon", in, out), self("daemon", in, out)
		ended := make(chan *exec.Cmd, 2)
		for _, cmd := range []*exec.Cmd{a, b} {
			must(t, cmd.Start())
			go func() { cmd.Wait(); ended <- cmd }()
		}
		loser := <-ended
		winner := a
		if loser == a {
			winner = b
		}
		if loser.ProcessState.ExitCode() != 2 {
			failures++
		}
		must(t, winner.Process.Kill())
		<-ended
		if err := self("daemon", "-once", in, out).Run(); err != nil { // at once after the death of the holder
			failures++
		}
	}
	row(t, "F23 two daemons", n, failures, 0)
}

func TestPromise16Terminated(t *testing.T) {
	t.Parallel()
	n, failures, worst := count(3, 50), 0, time.Duration(0)
	rng := rand.New(rand.NewPCG(3, 4))
	for range n {
		dir := fastDir(t)
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		inputs(t, in, 50)
		cmd := self("daemon", in, out)
		must(t, cmd.Start())
		eventually(t, "the start", func() bool { return strings.Contains(strings.Join(ledgerLines(out), ""), "start") })
		time.Sleep(time.Duration(rng.IntN(100)) * time.Millisecond)
		start := time.Now()
		must(t, cmd.Process.Signal(syscall.SIGTERM))
		if cmd.Wait() != nil {
			failures++
		}
		worst = max(worst, time.Since(start))
		if strings.Contains(last(ledgerLines(out)), `"Kind":"try"`) {
			failures++ // it ended with a job at hand
		}
	}
	row(t, "F22 SIGTERM", n, failures, worst)
}

// A job that takes longer than the grace is cut off, without a verdict; the next daemon does it.
func TestPromise16LongJobIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fastDir(t))
		b.stub.work = func(ctx context.Context, in string, data []byte, out Output) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}
		b.o.Grace = 7 * time.Second
		b.put("a.x", "long")
		_, stop := b.start()
		time.Sleep(time.Minute)
		if b.stub.total() != 1 {
			t.Fatal("it has not begun")
		}
		before := time.Now()
		stop()
		if took := time.Since(before); took < b.o.Grace || took > b.o.Grace+2*time.Second {
			t.Errorf("ended after %v", took)
		}
		if !strings.Contains(last(ledgerLines(b.out)), `"Kind":"wait"`) {
			t.Errorf("the ledger ends with %s", last(ledgerLines(b.out)))
		}
		b.stub.work = nil
		b.once()
		b.wantOut("a.x=done: long")
	})
}
