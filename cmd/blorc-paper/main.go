// Command blorc-paper runs the experiments of the BLORC paper and writes one HTML page that sets their results beside the
// paper's.
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
optimization" (2024), and write DIR/report.html: every table and figure beside the paper's. Each experiment is kept in
DIR/sections as soon as it is done; a later run leaves what is there, with its settings, unless told to make it --again, and
adds what is missing. An interrupted experiment goes on after its last part in DIR/parts. Without --data images are drawn. The experiments are:

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes as in blorc-denoise.
const (
	exitOK          = 0
	exitUsage       = 2
	exitFile        = 6
	exitInterrupted = 130
)

func run(ctx context.Context, args []string, out, messages io.Writer) int {
	s := paper.Setting{Log: func(format string, args ...any) { fmt.Fprintf(messages, format+"\n", args...) }}
	var folder string
	var only []string
	var quick, again bool
	flags := pflag.NewFlagSet("blorc-paper", pflag.ContinueOnError)
	flags.SetOutput(messages)
	flags.StringVarP(&folder, "output", "o", "", "`DIR` for report.html and sections")
	flags.Float64Var(&s.Effort, "effort", 1, "`SHARE` of the paper's numbers of steps, trials and images")
	flags.BoolVar(&quick, "quick", false, "an effort of 0.001: about a minute of one processor, to see that everything runs")
	flags.BoolVar(&s.Page, "page", false, "sizes of the page in paper/results, other ones for each experiment: about 45 minutes of one processor")
	flags.StringVar(&s.Data, "data", "", "`DIR` with urban100/train, urban100/val and set12")
	flags.StringSliceVar(&only, "only", nil, "`NAMES` of the experiments to run")
	flags.Uint64Var(&s.Seed, "seed", 1, "seed of all that is random")
	flags.IntVarP(&s.Workers, "jobs", "j", 0, "processors to use; 0 = all")
	flags.BoolVar(&again, "again", false, "run also what is in the folder already")
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
		return fail(exitInterrupted, errors.New("interrupted; what is done is kept"))
	case err != nil:
		return fail(exitFile, err)
	}
	fmt.Fprintln(out, filepath.Join(folder, "report.html"))
	return exitOK
}

const quickEffort = 0.001

func help(out io.Writer, flags *pflag.FlagSet) {
	fmt.Fprint(out, usageText)
	for _, e := range paper.Experiments() {
		fmt.Fprintf(out, "  %-14s %s\n", e.Name, e.Title)
	}
	fmt.Fprintf(out, "\nFlags:\n%s", flags.FlagUsages())
}
