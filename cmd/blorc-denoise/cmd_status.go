package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/watch"
)

func newStatus(u *ui) *cobra.Command {
	asJSON, history := false, false
	c := &cobra.Command{
		Use:   "status OUT",
		Short: "Show what 'watch' has done and what is waiting",
		Long: `Show the state of an output folder of 'watch', whether 'watch' runs or not: pending files, failed files with reasons, and the
number of jobs done so far. A failure counts while the file exists, in the input folder or in the folder of --on-failure, and has
not succeeded since; --history also lists the others.`,
		Example: `  blorc-denoise status clean/
  blorc-denoise status clean/ --json`,
		Args: exactlyOne("output folder"),
		RunE: func(c *cobra.Command, args []string) error {
			return runStatus(c.Context(), u, args[0], asJSON, history)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&history, "history", false, "list failures of the past too")
	return c
}

func runStatus(ctx context.Context, u *ui, out string, asJSON, history bool) error {
	s, err := watch.ReadStatus(ctx, out, isImage)
	if errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "status", Path: out,
			Err: errors.New("'watch' has never written there; name its output folder")}
	}
	if err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(u.out).Encode(s)
	}
	var text strings.Builder
	print := func(format string, args ...any) { fmt.Fprintln(&text, oneLine(fmt.Sprintf(format, args...))) }
	running := "not running"
	if s.Running {
		running = "running"
	}
	print("%s, input folder %s", running, s.In)
	past := ""
	if len(s.Past) > 0 {
		past = fmt.Sprintf(" (and %d in the past, see --history)", len(s.Past))
	}
	same := ""
	if s.Same > 0 {
		same = fmt.Sprintf(" (and %d of the same content as another file)", s.Same)
	}
	print("%d done%s, %d pending, %d failed%s", s.Done, same, len(s.Pending), len(s.Failed), past)
	if s.Working != "" {
		print("working on %s", s.Working)
	}
	for _, p := range s.Pending {
		tries := ""
		switch {
		case p.Tries > 0 && p.Reason != "":
			tries = fmt.Sprintf(" (failed tries: %d, the last one: %s)", p.Tries, p.Reason)
		case p.Tries > 0:
			tries = fmt.Sprintf(" (failed tries: %d)", p.Tries)
		case p.Reason != "":
			tries = fmt.Sprintf(" (%s)", p.Reason)
		}
		print("pending: %s%s", p.Name, tries)
	}
	for _, f := range s.Failed {
		where := ""
		if f.Moved != "" {
			where = ", moved to " + f.Moved
		}
		print("failed: %s: %s%s", f.Name, f.Reason, where)
	}
	for _, r := range s.Renamed {
		print("renamed: the output of %s is %s, since its name was taken", r.Name, r.Output)
	}
	if history {
		for _, f := range s.Past {
			print("failed in the past: %s: %s (%s since)", f.Name, f.Reason, f.Then)
		}
	}
	for _, e := range s.Errors {
		print("cannot look: %s", e)
	}
	_, err = io.WriteString(u.out, text.String())
	return err
}
