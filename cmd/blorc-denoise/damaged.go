package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// keepValue is a flag that says refuse or keep.
type keepValue struct{ keep *bool }

func addOnDamaged(f *pflag.FlagSet, keep *bool) {
	f.Var(keepValue{keep}, "on-damaged",
		"what to do with a JPEG, PNG or TIFF file that is cut short or damaged: refuse it, or keep the readable part "+
			"of the picture, with a warning")
}

func (v keepValue) String() string {
	if v.keep != nil && *v.keep {
		return "keep"
	}
	return "refuse"
}

func (v keepValue) Set(text string) error {
	switch text {
	case "keep", "refuse":
		*v.keep = text == "keep"
		return nil
	}
	return errors.New("must be refuse or keep")
}

func (v keepValue) Type() string { return "refuse|keep" }

// warn prints what is wrong with a file that could be read nevertheless, a line for each fault.
func (u *ui) warn(path string, warnings []string) {
	for _, w := range warnings {
		u.say("%s: %s: warning: %s", program, path, w)
	}
}

// withWarnings adds warnings to a message of one line.
func withWarnings(text string, warnings []string) string {
	if len(warnings) == 0 {
		return text
	}
	return fmt.Sprintf("%s; warning: %s", text, strings.Join(warnings, "; "))
}
