package main

// The rules of talking to people: results that a program might read go to stdout, everything else to stderr. An error is
// one line, "blorc-denoise: PATH: reason". On a terminal the current work is shown on one line that is overwritten; elsewhere
// there are plain lines only.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

const program = "blorc-denoise"

// ui is where messages go.
type ui struct {
	out, err io.Writer
	terminal bool // err is a terminal
	quiet    bool
	live     bool // the terminal's last line is to be overwritten
}

func newUI(stdout, stderr io.Writer) *ui {
	f, ok := stderr.(*os.File)
	return &ui{out: stdout, err: stderr, terminal: ok && term.IsTerminal(int(f.Fd()))}
}

// say prints a line, unless told to be quiet.
func (u *ui) say(format string, args ...any) {
	if u.quiet {
		return
	}
	u.clearLive()
	fmt.Fprintln(u.err, oneLine(fmt.Sprintf(format, args...)))
}

// show replaces the terminal's last line; elsewhere it does nothing.
func (u *ui) show(format string, args ...any) {
	if u.quiet || !u.terminal {
		return
	}
	u.clearLive()
	fmt.Fprint(u.err, oneLine(fmt.Sprintf(format, args...)))
	u.live = true
}

func (u *ui) clearLive() {
	if u.live {
		fmt.Fprint(u.err, "\r\x1b[K")
		u.live = false
	}
}

// fail prints an error that belongs to a file, or to no file if path is empty, and returns its exit code.
func (u *ui) fail(path string, err error) int {
	u.clearLive()
	text := err.Error()
	var p *fs.PathError
	if errors.As(err, &p) && path != "" && p.Path == path { // "open x: no such file" has the name already
		text = p.Err.Error()
	}
	if errors.Is(err, context.Canceled) {
		text = "interrupted"
	}
	if path != "" {
		text = path + ": " + text
	}
	fmt.Fprintf(u.err, "%s: %s\n", program, oneLine(text))
	return exitCode(err)
}

// oneLine escapes what could break out of the line or change the terminal: file names may hold anything.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || !unicode.IsPrint(r) && r != ' ' {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
