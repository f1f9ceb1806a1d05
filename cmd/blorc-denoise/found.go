package main

import (
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/words"
	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// describeResult says what noise was found or given, and what was done with it.
func describeResult(r denoise.Result) string {
	text := describeNoise(r)
	switch {
	case r.Copied > 0 && r.Copied >= r.Pages:
		return "copied as it is: " + r.CopyReason
	case r.Noise == denoise.None && r.Hot > 0:
	case r.Noise == denoise.None && r.Estimated:
		text = "no noise found, copied"
	case r.Noise == denoise.None:
		text = "copied"
	case r.Model == "":
		text += ", all of it kept"
	}
	if r.Hot > 0 {
		text += fmt.Sprintf(", hot pixels removed: %d", r.Hot)
	}
	return text + describePages(r, "copied")
}

// describePlanned says what would be removed.
func describePlanned(r denoise.Result) string {
	text := describeNoise(r)
	switch {
	case r.Copied > 0 && r.Copied >= r.Pages:
		return "to be copied as it is: " + r.CopyReason
	case r.Noise == denoise.None && r.Estimated:
		text = "no noise found, to be copied"
	case r.Noise == denoise.None:
		text = "to be copied"
	}
	return text + describePages(r, "to be copied")
}

// describeNoise names the noise in words. What was found is told as flags, too, which can be typed.
func describeNoise(r denoise.Result) string {
	text := words.Of(r)
	if !r.Estimated {
		text += ", as given"
		if sigma := words.FileSigma(r); sigma > 0 {
			text += fmt.Sprintf(" (%s in the file)", short(sigma))
		}
		return text
	}
	if again := flagsAgain(r); again != "" && r.Noise != denoise.None {
		text += " (" + again + ")"
	}
	return text
}

// flagsAgain says which flags give noise that was found, or "" if none can.
func flagsAgain(r denoise.Result) string {
	flags := ""
	for _, f := range words.Flags(r) {
		flags += " --" + f.Name + " " + f.Value
	}
	switch {
	case flags == "":
		return ""
	case words.Whole(r):
		return "the same again:" + flags
	}
	return "nearly the same:" + flags
}

// describePages adds how many pages there are, and which of them are or will be copied.
func describePages(r denoise.Result, copied string) string {
	switch {
	case r.Copied > 0:
		return fmt.Sprintf("; %d of %d pages %s as they are: %s", r.Copied, r.Pages, copied, r.CopyReason)
	case r.OneScene:
		return fmt.Sprintf(", %d pages that show one scene (see --together)", r.Pages)
	case r.Pages > 1:
		return fmt.Sprintf(", %d pages", r.Pages)
	case r.Shots > 1:
		return fmt.Sprintf(", %d shots made one", r.Shots)
	}
	return ""
}

// result is describeResult with what only --verbose tells.
func (u *ui) result(r denoise.Result) string {
	text := describeResult(r)
	if u.verbose && r.Model != "" {
		text += ", model " + r.Model
	}
	if u.verbose && r.Masked > 0 {
		text += fmt.Sprintf(", samples without image content: %d", r.Masked)
	}
	return text
}
