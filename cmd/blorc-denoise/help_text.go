package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Widths of help in columns: what is printed elsewhere than on a terminal, and what is easily read on a wide one.
const (
	usualWidth = 80
	widestHelp = 110
)

// helpWidth returns the columns that help may take.
func helpWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return usualWidth
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns < 40 {
		return usualWidth
	}
	return min(columns, widestHelp)
}

// printHelp writes the help of a command. That of the program itself has the common flags only.
func printHelp(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	h := helper{w, helpWidth(w)}
	text := c.Long
	if text == "" {
		text = c.Short
	}
	h.write(reflow(text, h.width))
	h.usage(c)
	if c.Example != "" {
		h.head("Examples")
		for line := range strings.Lines(c.Example) {
			h.write(foldCommand(strings.TrimRight(line, "\n"), h.width))
		}
	}
	h.commands(c)
	if !c.HasParent() {
		h.head("Common flags")
		h.flags(pick(c.Flags(), dailyFlags))
		h.write("\n" + reflow(moreHelp, h.width))
		return
	}
	if c.HasAvailableLocalFlags() {
		h.head("Flags")
		h.flags(c.LocalFlags())
	}
	if c.HasAvailableInheritedFlags() {
		h.head("Flags of all commands")
		h.flags(c.InheritedFlags())
	}
}

const moreHelp = `More: 'blorc-denoise help flags' lists all flags, 'help noise' explains kinds of noise, 'help files' formats and
metadata, 'help exit-codes' and 'help json' the output for programs, and 'blorc-denoise COMMAND --help' a command.`

// helper writes help of a width.
type helper struct {
	w     io.Writer
	width int
}

func (h helper) write(text string)      { io.WriteString(h.w, text) }
func (h helper) head(name string)       { fmt.Fprintf(h.w, "\n%s:\n", name) }
func (h helper) flags(f *pflag.FlagSet) { h.write(f.FlagUsagesWrapped(h.width)) }

func (h helper) usage(c *cobra.Command) {
	h.head("Usage")
	if c.Runnable() {
		h.write(hanging("  "+c.UseLine(), 4, h.width))
	}
	if c.HasAvailableSubCommands() {
		h.write("  " + c.CommandPath() + " COMMAND\n")
	}
}

func (h helper) commands(c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	h.head("Commands")
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() || child.Name() == "help" {
			h.write(hanging(fmt.Sprintf("  %-11s %s", child.Name(), child.Short), 14, h.width))
		}
	}
}

// reflow breaks the paragraphs of a text into lines of a width. Indented lines stay lines, each with what is indented
// further below it.
func reflow(text string, width int) string {
	var out, words strings.Builder
	entry := ""
	flush := func() {
		out.WriteString(hanging(words.String(), 0, width))
		out.WriteString(hanging(entry, columnOf(entry), width))
		words.Reset()
		entry = ""
	}
	for line := range strings.Lines(text + "\n") {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.TrimSpace(line) == "":
			flush()
			out.WriteString("\n")
		case strings.HasPrefix(line, "    ") && entry != "":
			entry += " " + strings.TrimSpace(line)
		case strings.HasPrefix(line, "  "):
			flush()
			entry = line
		default:
			if entry != "" {
				flush()
			}
			words.WriteString(" " + line)
		}
	}
	flush()
	return strings.Trim(out.String(), "\n") + "\n"
}

var gap = regexp.MustCompile(`\S {2,}\S`)

// columnOf returns where the text of an entry such as "  name    text" begins.
func columnOf(entry string) int {
	if at := gap.FindStringIndex(entry); at != nil {
		return at[1] - 1
	}
	return 4
}

// hanging breaks a line. The first keeps its spaces, and what follows has an indent.
func hanging(line string, indent, width int) string {
	if strings.TrimSpace(line) == "" {
		return ""
	}
	if indent == 0 {
		line = strings.Join(strings.Fields(line), " ")
	}
	var out strings.Builder
	for {
		at := breakAt(line, width)
		out.WriteString(strings.TrimRight(line[:at], " ") + "\n")
		rest := strings.TrimSpace(line[at:])
		if rest == "" {
			return out.String()
		}
		line = strings.Repeat(" ", indent) + rest
	}
}

// breakAt returns the length of the part of a line that has a width, up to a space after its first word.
func breakAt(line string, width int) int {
	columns, last, word := 0, 0, false
	for i, r := range line {
		if r == ' ' && word && columns <= width {
			last = i
		}
		word = word || r != ' '
		if columns++; columns > width && last > 0 && strings.TrimSpace(line[:last]) != "" {
			return last
		}
	}
	return len(line)
}

// foldCommand breaks a command as a shell takes it.
func foldCommand(line string, width int) string {
	if len([]rune(line)) <= width {
		return line + "\n"
	}
	parts := strings.SplitAfter(strings.TrimSuffix(hanging(line, 6, width-2), "\n"), "\n")
	return strings.ReplaceAll(strings.Join(parts, ""), "\n", " \\\n") + "\n"
}
