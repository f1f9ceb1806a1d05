package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/view"
	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// viewer is the files of a view, and the command lines for them.
type viewer struct {
	*viewFlags
	ctx    context.Context // of the program
	saver  plan
	fixed  []string // flags that the page cannot change
	naming batch.Naming

	chooser []string // program that lets the user choose files; nil if there is none

	mu      sync.Mutex
	items   []shown
	added   bool   // some of them by the page
	scratch string // folder of pictures that the page sent
	folders int    // in it

	saved  int
	failed map[int]int // exit codes of files that could not be saved
	left   int         // files that were to be saved when the program was interrupted
}

// pageFlags lists the flags that the page sets, and the flags that only the page has.
var pageFlags = []string{"noise", "sigma", "gain", "offset", "read-noise", "strength", "luma", "chroma", "grain",
	"quality", "overwrite",
	"no-open", "port", "output", "max-memory"}

// command returns the command lines that save files as the page does.
func (v *viewer) command(choices []view.Choice, replace bool) string {
	var lines []string
	for _, c := range choices {
		flags := append(slices.Clone(v.fixed), optionFlags(c.Options)...)
		if c.Options.Profile != nil {
			flags = append(flags, "--noise", v.solver.profile)
		}
		if over := v.batch.overwrite; replace {
			flags = append(flags, "--overwrite", "always")
		} else if over != string(batch.Never) {
			flags = append(flags, "--overwrite", over)
		}
		lines = append(lines, v.lines(c.Files, flags)...)
	}
	return strings.Join(lines, "\n")
}

// lines returns the command lines for files with the same flags. All files together are what the arguments name. Some
// of those in an output folder have a line each, since the place in the folder depends on how a file was found.
func (v *viewer) lines(files []int, flags []string) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	output := v.naming.File != "" || v.naming.Folder != ""
	switch {
	case len(files) == len(v.items) && !v.added:
		words := slices.Clone(v.names.words)
		if output {
			words = append(words, "-o", v.names.output)
		}
		return []string{commandLine(append(words, flags...))}
	case !output:
		var words []string
		for _, i := range files {
			words = append(words, asInput(v.items[i].label()))
		}
		return []string{commandLine(append(words, flags...))}
	}
	plain := without(flags, "--suffix", "--format") // the name has them
	var lines []string
	for _, i := range files {
		words := append([]string{asInput(v.items[i].label())}, flags...)
		if !v.items[i].loose {
			words = append([]string{asInput(v.items[i].label()), "-o", v.items[i].Out}, plain...)
		}
		lines = append(lines, commandLine(words))
	}
	return lines
}

// asInput returns a path that no command line takes for a flag or for a list of files.
func asInput(path string) string {
	if strings.HasPrefix(path, "-") || strings.HasPrefix(path, "@") {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// without leaves out flags and their values.
func without(words []string, flags ...string) []string {
	var left []string
	for i := 0; i < len(words); i++ {
		if slices.Contains(flags, words[i]) {
			i++
			continue
		}
		left = append(left, words[i])
	}
	return left
}

// optionFlags returns the flags for options that differ from the defaults.
func optionFlags(o denoise.Options) []string {
	var words []string
	add := func(name string, v float64) { words = append(words, "--"+name, strconv.FormatFloat(v, 'g', -1, 64)) }
	if o.Noise != denoise.Auto && !(o.Noise == denoise.Gaussian && o.Sigma > 0) {
		words = append(words, "--noise", o.Noise.String())
	}
	if o.Sigma > 0 {
		add("sigma", o.Sigma)
	}
	if p := o.Photons; p.Gain > 0 {
		add("gain", p.Gain)
		if p.Offset != 0 {
			add("offset", p.Offset)
		}
		if p.ReadNoise != 0 {
			add("read-noise", p.ReadNoise)
		}
	}
	if o.Quality != denoise.Balanced {
		words = append(words, "--quality", o.Quality.String())
	}
	for _, share := range []struct {
		name string
		keep float64
	}{{"strength", o.Keep}, {"luma", o.KeepLuma}, {"chroma", o.KeepChroma}} {
		if share.keep != 0 {
			strength, _ := strconv.ParseFloat(strconv.FormatFloat(1-share.keep, 'f', 6, 64), 64)
			add(share.name, strength)
		}
	}
	if o.Grain != 0 {
		add("grain", o.Grain)
	}
	if o.KeepMean {
		words = append(words, "--keep-mean")
	}
	return words
}

// commandLine returns a call of the program for a shell.
func commandLine(words []string) string {
	line := program
	for _, w := range words {
		line += " " + quoted(w)
	}
	return line
}

// quoted returns a word as the shell of this system takes it.
func quoted(word string) string {
	plain := word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:=@%+,", r) ||
			r == utf8.RuneError
	})
	switch {
	case plain:
		return word
	case runtime.GOOS == "windows":
		return `"` + word + `"` // names hold no quotation marks there
	case !utf8.ValidString(word) || strings.ContainsFunc(word, unicode.IsControl):
		return bashQuoted(word)
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// bashQuoted writes bytes that are no text as $'\xff', which bash, zsh and ksh know.
func bashQuoted(word string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(word) {
		switch c := word[i]; {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
