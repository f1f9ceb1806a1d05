package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// silent is an error that has been reported. Its value is the exit code.
type silent int

func (s silent) Error() string { return fmt.Sprintf("exit code %d", int(s)) }

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	u := newUI(stdout, stderr)
	root := newRoot(u)
	if len(args) > 0 && args[0] == cobra.ShellCompRequestCmd {
		plainUsage(root)
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if command, _, err := root.Find(args); err == nil && endsWithTerminal(command) {
		var stop func()
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGHUP)
		defer stop()
	}
	command, err := execute(ctx, root)
	var s silent
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &s):
		return int(s)
	}
	code := u.fail("", err)
	if errors.Is(err, errUsage) {
		fmt.Fprintf(stderr, "Try '%s --help'.\n", command.CommandPath())
	}
	return code
}

// execute runs a command. What panics and belongs to no file is an error of the program.
func execute(ctx context.Context, root *cobra.Command) (command *cobra.Command, err error) {
	defer crash.Catch(&err)
	return root.ExecuteContextC(ctx)
}

// endsWithTerminal says whether SIGHUP, which comes when the terminal is closed, interrupts a command. To watch it
// means something else, and nohup has it ignored.
func endsWithTerminal(c *cobra.Command) bool {
	return c.Name() != "watch" && !signal.Ignored(syscall.SIGHUP)
}

func newRoot(u *ui) *cobra.Command {
	root := newDenoise(u)
	root.Version = version()
	root.SetVersionTemplate(versionText())
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = false
	root.PersistentFlags().BoolVarP(&u.quiet, "quiet", "q", false, "print errors only")
	root.PersistentFlags().BoolVarP(&u.verbose, "verbose", "v", false,
		"also print the names of the models, and the stack of a fault in the program")
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		if err := solve.KernelStartError(); err != nil {
			return usage("%v", err)
		}
		return strayValue(c, args)
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newTrain(u), newEval(u), newNoise(u), newModel(u), newDemo(u), newBench(u), newWatch(u),
		newStatus(u), newRestore(u), newView(u), newWorker(u))
	root.SetHelpCommand(newHelp())
	root.SetHelpFunc(printHelp)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = nil, groupHelp
		}
	}
	addCompletion(root)
	return root
}

// usage returns an error of the command line.
func usage(format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...)}
}

type usageError struct{ text string }

func (e usageError) Error() string        { return e.text }
func (e usageError) Is(target error) bool { return target == errUsage }

// atLeastOne checks that a command has an argument.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("no %s given", what)
		}
		return nil
	}
}

// exactly checks how many arguments a command has.
func exactly(n int, wrong string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s", wrong)
		}
		return nil
	}
}

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("unexpected argument %q", args[0])
	}
	return nil
}

// group returns a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: groupHelp}
	c.AddCommand(children...)
	return c
}

// groupHelp is what a command that only holds others does itself.
func groupHelp(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		var names []string
		for _, child := range c.Commands() {
			names = append(names, child.Name())
		}
		return usage("%s has no command %q; it has: %s", c.CommandPath(), args[0], strings.Join(names, ", "))
	}
	return c.Help()
}

// unlessEnded does work that knows no context, and leaves it to itself if the context ends before.
func unlessEnded[T any](ctx context.Context, work func() T) (T, error) {
	v, err := batch.Await(ctx, func() (T, error) { return work(), nil })
	return v, cmp.Or(err, ctx.Err())
}
