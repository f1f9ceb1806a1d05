package layout

import (
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is how long a line of code may be; a tab counts as four columns. Raw strings, tables in comments and
// generated code may be longer.
const maxColumns = 120

func TestLinesAreShort(t *testing.T) {
	out, err := exec.Command("git", "-C", "../..", "ls-files", "-z", "*.go").Output()
	if err != nil {
		t.Skip("not a clone")
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			continue // removed, and not yet committed
		}
		if strings.Contains(string(text[:min(len(text), 500)]), "// Code generated ") {
			continue
		}
		raw := rawLines(text)
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > maxColumns && !raw[i+1] &&
				!strings.HasPrefix(line, "//\t") {
				t.Errorf("%s:%d has %d columns", name, i+1, n)
			}
		}
	}
}

// rawLines returns the lines that a raw string takes part in.
func rawLines(text []byte) map[int]bool {
	files := token.NewFileSet()
	f := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(f, text, nil, 0)
	raw := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return raw
		}
		if tok == token.STRING && strings.HasPrefix(lit, "`") {
			for l := range 1 + strings.Count(lit, "\n") {
				raw[f.Line(pos)+l] = true
			}
		}
	}
}
