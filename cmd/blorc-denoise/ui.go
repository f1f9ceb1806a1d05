package main

// The rules for messages: results that a program might read go to stdout, everything else to stderr. An error is one
// line, "blorc-denoise: PATH: reason". A terminal shows the current work on one line that is overwritten; elsewhere
// messages are plain lines.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

const program = "blorc-denoise"

// ui is where messages go.
type ui struct {
	out, err io.Writer
	terminal bool       // err is a terminal
	width    func() int // columns of the terminal; nil or 0 = not known
	quiet    bool
	verbose  bool

	mu   sync.Mutex // messages may come from files that are worked on side by side
	live bool       // the next message overwrites the terminal's last line
}

func newUI(stdout, stderr io.Writer) *ui {
	f, ok := stderr.(*os.File)
	u := &ui{out: stdout, err: stderr, terminal: ok && term.IsTerminal(int(f.Fd()))}
	if u.terminal {
		u.width = func() int {
			columns, _, _ := term.GetSize(int(f.Fd()))
			return columns
		}
	}
	return u
}

// say prints a line, except with --quiet.
func (u *ui) say(format string, args ...any) {
	if u.quiet {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.clear()
	fmt.Fprintln(u.err, oneLine(fmt.Sprintf(format, args...)))
}

// show replaces the last line of a terminal. It does nothing elsewhere.
func (u *ui) show(format string, args ...any) {
	if u.quiet || !u.terminal {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.clear()
	fmt.Fprint(u.err, u.fitted(oneLine(fmt.Sprintf(format, args...))))
	u.live = true
}

// fitted returns the end of a text that is wider than the terminal. Only one line can be overwritten, and what matters
// stands last.
func (u *ui) fitted(text string) string {
	if u.width == nil {
		return text
	}
	letters, columns := []rune(text), u.width()
	if columns < 10 || len(letters) < columns {
		return text
	}
	return "…" + string(letters[len(letters)-columns+2:])
}

func (u *ui) clearLive() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.clear()
}

// clear is clearLive for who holds the lock.
func (u *ui) clear() {
	if u.live {
		fmt.Fprint(u.err, "\r\x1b[K")
		u.live = false
	}
}

// fail prints an error and returns its exit code. Path is the file that it belongs to, or empty.
func (u *ui) fail(path string, err error) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.clear()
	text := reason(path, err)
	if path != "" {
		text = path + ": " + text
	}
	fmt.Fprintf(u.err, "%s: %s\n", program, oneLine(text))
	var fault *crash.Error
	if u.verbose && errors.As(err, &fault) {
		fmt.Fprintf(u.err, "%s", fault.Stack)
	}
	return exitCode(err)
}

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

// flagsOfKinds are the flags that change what is done about errors of a kind. The packages below do not know the flags.
var flagsOfKinds = []struct {
	kind error
	flag string
}{{imageio.ErrPixels, "--max-pixels"}, {batch.ErrMemory, "--max-memory"}, {imageio.ErrPartial, "--on-damaged"},
	{imageio.ErrInvalid, "--on-invalid"}, {&crash.Error{}, "--verbose"}}

// reason returns the text of an error without the name of the file, and with the flag that is about its kind.
func reason(path string, err error) string {
	var p *fs.PathError
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.As(err, &p) && path != "" && p.Path == path: // "open x: no such file" has the name already
		return p.Err.Error()
	}
	for _, k := range flagsOfKinds {
		if errors.Is(err, k.kind) {
			return err.Error() + " (see " + k.flag + ")"
		}
	}
	// else it says already what helps
	if errors.Is(err, fs.ErrExist) && strings.HasSuffix(err.Error(), fs.ErrExist.Error()) {
		return err.Error() + " (see --overwrite)"
	}
	return err.Error()
}

// oneLine escapes control characters and invalid UTF-8 as Go strings do, since file names may contain anything.
func oneLine(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) {
			b.WriteString(strings.Trim(strconv.Quote(s[:n]), `"`))
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
