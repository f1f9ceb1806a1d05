// Command blorc-denoise removes noise from image files with learned filters.
package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	cobra.MousetrapHelpText = "" // a double click in Explorer opens the page
	if code, done := withinLimit(os.Args[1:]); done {
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings(os.Args[1:])...)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// endings are the signals that interrupt a command. For 'watch' a hangup means something else, and one that is ignored,
// as after nohup, stays so.
func endings(args []string) []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !slices.Contains(args, "watch") && !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
