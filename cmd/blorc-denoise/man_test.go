package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

var manFolder = flag.String("man", "", "also write the manual pages to this `folder`")

// TestManPages writes the manual pages, one for each command, and looks at them. It is also the generator of the pages:
// so the program carries no code for them. The date on the pages is SOURCE_DATE_EPOCH, if it is set.
func TestManPages(t *testing.T) {
	folder := *manFolder
	if folder == "" {
		folder = t.TempDir()
	}
	root := newRoot(newUI(io.Discard, io.Discard))
	root.InitDefaultCompletionCmd()
	root.DisableAutoGenTag = true
	root.Long = strings.Replace(root.Long, "'help json'", "below", 1) + "\n\n" + flagTexts() + jsonHelp + "\n\n" +
		exitHelp
	keepLines(root)
	header := &doc.GenManHeader{Title: "BLORC-DENOISE", Section: "1", Source: program, Manual: "User commands"}
	if os.Getenv("SOURCE_DATE_EPOCH") == "" {
		day := time.Now()
		header.Date = &day
	}
	if err := doc.GenManTree(root, header, folder); err != nil {
		t.Fatal(err)
	}
	if page, err := os.ReadFile(filepath.Join(folder, program+".1")); err != nil || !manTable.Match(page) {
		t.Errorf("exit codes are not kept in lines (%v)", err)
	}
	commands := 0
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" {
			return
		}
		commands++
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		page, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
			return
		}
		for _, want := range []string{".SH NAME", ".SH SYNOPSIS", c.Short} {
			if !strings.Contains(strings.ReplaceAll(string(page), "\\-", "-"), strings.ReplaceAll(want, "\\-", "-")) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		for _, child := range c.Commands() {
			visit(child)
		}
	}
	visit(root)
	if commands < 10 {
		t.Errorf("only %d commands have a page", commands)
	}
}

// flagTexts returns what 'help flags' says besides the flags.
func flagTexts() string {
	text := ""
	for _, g := range flagGroups {
		text += g.text + "\n\n"
	}
	return text
}

// manTable are lines of a table, which a reader of the page must not join.
var manTable = regexp.MustCompile(`(?s)\.EX\n *0    everything was done\n *1    some .*130  interrupted\n\.EE`)

// keepLines marks what is indented in the texts of a command and its children as preformatted, in Markdown.
func keepLines(c *cobra.Command) {
	var out strings.Builder
	within := false
	for line := range strings.Lines(c.Long) {
		indented := strings.HasPrefix(line, "  ")
		if indented != within {
			out.WriteString("\n")
		}
		if within = indented; indented {
			out.WriteString("  ")
		}
		out.WriteString(line)
	}
	c.Long = out.String()
	for _, child := range c.Commands() {
		keepLines(child)
	}
}
