// Command blorc-paper runs the experiments of the BLORC paper and writes one HTML page that compares the results with
// the paper's.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/paper"
)

const usageText = `Usage: blorc-paper -o DIR [--quick | --page | --effort SHARE] [--data DIR] [--only NAME,...]

Run the experiments of Ghosh, McCann, Mitchell, Ravishankar, "Learning sparsity-promoting regularizers using bilevel
optimization" (2024), and write DIR/report.html, which compares every table and figure with the paper's. The result of each
experiment is kept in DIR/sections. A later run adds experiments that are missing; it repeats the others only with --again. An
interrupted experiment continues after the last step kept in DIR/parts. Without --data, images are drawn. The experiments are:

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes, the same as in blorc-denoise.
const (
	exitOK          = 0
	exitUsage       = 2
	exitFile        = 6
	exitInterrupted = 130
)

// run runs the command and returns its exit code.
func run(ctx context.Context, args []string, out, messages io.Writer) int {
	s := paper.Setting{Log: func(format string, args ...any) { fmt.Fprintf(messages, format+"\n", args...) }}
	var folder string
	var only []string
	var quick, again bool
	flags := pflag.NewFlagSet("blorc-paper", pflag.ContinueOnError)
	flags.SetOutput(messages)
	flags.StringVarP(&folder, "output", "o", "", "`DIR` for report.html and sections")
	flags.Float64Var(&s.Effort, "effort", 1, "`SHARE` of the paper's numbers of steps, trials and images")
	flags.BoolVar(&quick, "quick", false,
		"an effort of 0.001, to check that everything runs: about a minute on one processor")
	flags.BoolVar(&s.Page, "page", false,
		"use the efforts of the page in paper/results, which differ between experiments: about 45 minutes on one "+
			"processor")
	flags.StringVar(&s.Data, "data", "", "`DIR` with urban100/train, urban100/val and set12")
	flags.StringSliceVar(&only, "only", nil, "`NAMES` of the experiments to run")
	flags.Uint64Var(&s.Seed, "seed", 1, "seed of all random numbers")
	flags.IntVarP(&s.Workers, "jobs", "j", 0, "number of processors to use; 0 = all")
	flags.BoolVar(&again, "again", false, "repeat experiments whose results are in the folder")
	flags.Usage = func() { help(out, flags) }
	fail := func(code int, err error) int {
		fmt.Fprintln(messages, "blorc-paper:", strings.Join(strings.Fields(err.Error()), " "))
		return code
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return exitOK
	case err != nil:
		return fail(exitUsage, err)
	case flags.NArg() > 0:
		return fail(exitUsage, fmt.Errorf("unexpected argument %q", flags.Arg(0)))
	case folder == "":
		return fail(exitUsage, errors.New("-o DIR is needed"))
	case quick && s.Page:
		return fail(exitUsage, errors.New("--quick and --page exclude each other"))
	case !(s.Effort > 0 && s.Effort <= 1):
		return fail(exitUsage, fmt.Errorf("effort %g is not in (0, 1]", s.Effort))
	}
	if quick {
		s.Effort = quickEffort
	}
	experiments, err := paper.Select(only, s.Data != "")
	if err != nil {
		return fail(exitUsage, err)
	}
	switch err := paper.Reproduce(ctx, s, experiments, folder, again); {
	case errors.Is(err, context.Canceled):
		return fail(exitInterrupted, errors.New("interrupted; finished steps are kept"))
	case err != nil:
		return fail(exitFile, err)
	}
	fmt.Fprintln(out, filepath.Join(folder, "report.html"))
	return exitOK
}

// quickEffort is the effort of --quick.
const quickEffort = 0.001

// help writes the text of --help.
func help(out io.Writer, flags *pflag.FlagSet) {
	fmt.Fprint(out, usageText)
	for _, e := range paper.Experiments() {
		fmt.Fprintf(out, "  %-14s %s\n", e.Name, e.Title)
	}
	fmt.Fprintf(out, "\nFlags:\n%s", flags.FlagUsages())
}
