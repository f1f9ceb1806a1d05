package watch

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// daemonMain is the daemon as a process, for the tests that kill it.
func daemonMain(args []string) int {
	f := flag.NewFlagSet("daemon", flag.ExitOnError)
	settle := f.Duration("settle", 5*time.Millisecond, "")
	interval := f.Duration("interval", 20*time.Millisecond, "")
	timeout := f.Duration("timeout", time.Minute, "")
	grace := f.Duration("grace", 0, "")
	once := f.Bool("once", false, "")
	own := f.Bool("local", false, "")
	remove := f.Bool("delete", false, "")
	move := f.String("move", "", "")
	quarantine := f.String("quarantine", "", "")
	events := f.Bool("events", false, "")
	f.Parse(args)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	var runner Runner = &Child{Command: func() *exec.Cmd { return self("worker") }, Timeout: *timeout}
	if *own {
		runner = local{stubWork}
	}
	d, err := New(Options{
		In: f.Arg(0), Out: f.Arg(1), Settle: *settle, Interval: *interval, Polling: !*events, Runner: runner,
		Once: *once, Grace: *grace,
		OnSuccess: Policy{Delete: *remove, MoveTo: *move}, OnFailure: Policy{MoveTo: *quarantine},
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer d.Close()
	if _, err := d.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
