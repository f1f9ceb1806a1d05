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
		Args: exactly(1, "exactly one output folder is needed"),
		RunE: func(c *cobra.Command, args []string) error {
			return runStatus(c.Context(), u, args[0], asJSON, history)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&history, "history", false, "list failures of the past too")
	return c
}

func runStatus(ctx context.Context, u *ui, out string, asJSON, history bool) error {
	s, err := watch.ReadStatus(ctx, out, isImageName)
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
	for _, line := range statusLines(s, history) {
		text.WriteString(oneLine(line) + "\n")
	}
	_, err = io.WriteString(u.out, text.String())
	return err
}

// statusLines says how far a daemon is.
func statusLines(s watch.Status, history bool) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	add("%srunning, input folder %s", when(!s.Running, "not "), s.In)
	add("%d done%s, %d pending, %d failed%s", s.Done,
		when(s.Same > 0, " (and %d of the same content as another file)", s.Same), len(s.Pending), len(s.Failed),
		when(len(s.Past) > 0, " (and %d in the past, see --history)", len(s.Past)))
	if s.Working != "" {
		add("working on %s", s.Working)
	}
	for _, p := range s.Pending {
		why := ""
		switch {
		case p.Tries > 0:
			why = fmt.Sprintf(" (failed tries: %d%s)", p.Tries, when(p.Reason != "", ", the last one: %s", p.Reason))
		case p.Reason != "":
			why = " (" + p.Reason + ")"
		}
		add("pending: %s%s", p.Name, why)
	}
	for _, f := range s.Failed {
		add("failed: %s: %s%s", f.Name, f.Reason, when(f.Moved != "", ", moved to %s", f.Moved))
	}
	for _, r := range s.Renamed {
		add("renamed: the output of %s is %s, since its name was taken", r.Name, r.Output)
	}
	for _, f := range s.Past {
		if history {
			add("failed in the past: %s: %s (%s since)", f.Name, f.Reason, f.Then)
		}
	}
	for _, e := range s.Errors {
		add("cannot look: %s", e)
	}
	return lines
}

// when returns a text if something holds.
func when(holds bool, format string, args ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}
