//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Where the system limits the address space of processes (ulimit -v), Go ends a process that needs more with pages of
// text and the exit code of a wrong command line, and nothing in the process can change that. So the work is done by a
// second process then, and this one says what became of it. What Go itself writes goes to a pipe, and all else where it
// always goes. Under some limits up to 1.3 GB Go does not even start: it reserves 0.6 GB, and 0.5 GB more where it can.

// crashPipe is the variable that tells the second process of the pipe.
const crashPipe = "BLORC_DENOISE_CRASH_PIPE"

// arenas is the variable of the C library that lets threads share their memory. Without it each reserves 64 MB or more.
const arenas = "MALLOC_ARENA_MAX"

// withinLimit does the work in a second process, and returns its exit code, or false if this process is to do the work.
func withinLimit(args []string) (code int, done bool) {
	if os.Getenv(crashPipe) != "" {
		os.Unsetenv(crashPipe)
		splitStderr(3)
		return 0, false
	}
	var limit unix.Rlimit
	// which has a process for the work
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur >= 1<<62 || slices.Contains(args, "watch") {
		return 0, false
	}
	return supervise(args)
}

// splitStderr lets Go write to a pipe, and the program to the standard error that it was given.
func splitStderr(pipe int) {
	own, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 10)
	if err == nil && unix.Dup2(pipe, 2) == nil {
		os.Stderr = os.NewFile(uintptr(own), "/dev/stderr")
	}
	unix.Close(pipe)
}

func supervise(args []string) (code int, done bool) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // threads take of the limit, and this process needs few
	exe, err := ownProgram()
	if err != nil {
		return 0, false
	}
	if os.Getenv(arenas) == "" {
		os.Setenv(arenas, "1")
		_ = syscall.Exec(exe, os.Args, os.Environ()) // returns if the system does not let it
	}
	r, w, err := os.Pipe()
	if err != nil {
		return 0, false
	}
	defer r.Close()
	cmd := exec.Command(exe, args...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{w}
	cmd.Env = append(os.Environ(), crashPipe+"=3")
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err = cmd.Start()
	w.Close()
	if err != nil {
		signal.Stop(signals)
		return 0, false
	}
	go func() {
		for s := range signals {
			if s != os.Interrupt || !inForeground() { // a terminal tells both processes
				cmd.Process.Signal(s)
			}
		}
	}()
	text, _ := io.ReadAll(io.LimitReader(r, 1<<20))
	go io.Copy(io.Discard, r)
	cmd.Wait()
	return verdictOf(cmd.ProcessState, string(text)), true
}

// inForeground says whether this process is of those that a terminal sends its Ctrl-C to.
func inForeground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// verdictOf returns the exit code for the end of the second process, and says what Go wrote about it.
func verdictOf(state *os.ProcessState, crash string) int {
	switch {
	case isOutOfMemory(crash):
		fmt.Fprintf(os.Stderr, "%s: out of memory: the limit of address space (ulimit -v) is too low for this work\n",
			program)
		return exitMemory
	case crash != "":
		io.Copy(os.Stderr, bytes.NewReader([]byte(crash)))
	}
	if s, ok := state.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return state.ExitCode()
}

// isOutOfMemory says whether Go ended a process because it got no memory, for samples or for a thread.
func isOutOfMemory(crash string) bool {
	for _, text := range []string{"runtime: out of memory", "fatal error: out of memory",
		"runtime: cannot allocate memory",
		"fatal error: runtime: cannot", "pthread_create failed", "failed to create new OS thread",
		"runtime: cannot map pages", "fatal error: failed to reserve page summary memory"} {
		if strings.Contains(crash, text) {
			return true
		}
	}
	return false
}
