package main

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says of a flag that lacks its value what the value may be, of a wrong value why, and of an unknown flag
// which one it resembles.
func flagError(c *cobra.Command, err error) error {
	var lack *pflag.ValueRequiredError
	if errors.As(err, &lack) {
		_, about := pflag.UnquoteUsage(lack.GetFlag())
		return usage("--%s needs a value: %s", lack.GetFlag().Name, about)
	}
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		return valueError(wrong.GetFlag(), wrong.GetValue(), wrong.Unwrap())
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if text := hint(c.Name(), unknown.GetSpecifiedName(), kindsOf(c.Flags())); text != "" {
			return usage("%v; %s", err, text)
		}
		if name := similarFlag(c.Flags(), unknown.GetSpecifiedName()); name != "" {
			return usage("%v; did you mean --%s?", err, name)
		}
	}
	return usage("%v", err)
}

// kindsOf returns what tells the type of a flag of a set, if there is one.
func kindsOf(set *pflag.FlagSet) func(string) (string, bool) {
	return func(name string) (string, bool) {
		f := set.Lookup(name)
		if f == nil {
			return "", false
		}
		return f.Value.Type(), true
	}
}

// valueError says why a flag cannot have a value.
func valueError(f *pflag.Flag, value string, cause error) error {
	quoted := strconv.Quote(value)
	kind := f.Value.Type()
	isNumber := kind == "bool" || strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint") ||
		strings.HasPrefix(kind, "float")
	_, number := strconv.ParseFloat(value, 64) // pflag does not say whether a number is too large
	switch {
	case kind == "duration":
		return usage("--%s: %s is not a duration such as 500ms, 90s or 1h30m", f.Name, quoted)
	case isNumber && errors.Is(number, strconv.ErrRange):
		return usage("--%s: %s is out of range", f.Name, quoted)
	case isNumber:
		return usage("--%s: %s is not %s", f.Name, quoted, wanted(kind))
	case strings.HasPrefix(cause.Error(), quoted):
		return usage("--%s: %v", f.Name, cause)
	}
	return usage("--%s %s: %v", f.Name, quoted, cause)
}

// wanted describes the values of a type of flag.
func wanted(kind string) string {
	switch {
	case kind == "bool":
		return "true or false"
	case strings.HasPrefix(kind, "uint"):
		return "a whole number of 0 or more"
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	}
	return "a number"
}

// strayValue finds the value of --overwrite, which some commands take, among the arguments of a command whose
// --overwrite takes none.
func strayValue(c *cobra.Command, args []string) error {
	f := c.Flags().Lookup("overwrite")
	if f == nil || !f.Changed || f.Value.Type() != "bool" {
		return nil
	}
	for _, a := range args {
		if _, err := os.Lstat(a); err != nil && slices.Contains([]string{"always", "never", "older", "changed"}, a) {
			return usage("--overwrite of %q takes no value such as %s", c.CommandPath(), a)
		}
	}
	return nil
}
