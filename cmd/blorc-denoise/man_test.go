package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

var manFolder = flag.String("man", "", "also write the manual pages to this `folder`")

// TestManPages writes the manual pages, one for each command, and looks at them. It is also the generator of the pages: so
// the program carries no code for them. The date on the pages is SOURCE_DATE_EPOCH, if it is set.
func TestManPages(t *testing.T) {
	folder := *manFolder
	if folder == "" {
		folder = t.TempDir()
	}
	root := newRoot(newUI(io.Discard, io.Discard))
	root.InitDefaultCompletionCmd()
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Title: "BLORC-DENOISE", Section: "1", Source: program, Manual: "User commands"}
	if os.Getenv("SOURCE_DATE_EPOCH") == "" {
		day := time.Now()
		header.Date = &day
	}
	if err := doc.GenManTree(root, header, folder); err != nil {
		t.Fatal(err)
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
