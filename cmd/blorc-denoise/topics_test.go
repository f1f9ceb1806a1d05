package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var updateTopics = flag.Bool("update-topics", false, "write the texts of 'help TOPIC' again")

// topicSources are the pages, or their sections, that topics are made from, with what is said at the end.
var topicSources = map[string]struct{ page, section, end string }{
	"noise":      {page: "noise", end: "The commands: blorc-denoise noise --help"},
	"files":      {page: "files"},
	"exit-codes": {page: "servers", section: "Exit codes"},
	"json":       {page: "servers", section: "JSON"},
}

// TestTopics compares the texts in the folder topics with the pages. After a change of a page, run it with -args
// -update-topics.
func TestTopics(t *testing.T) {
	if len(topics) != len(topicSources)+1 { // that of the flags
		t.Error("a topic has no source")
	}
	for name, from := range topicSources {
		want := plainText(section(readFile(t, "../../docs/"+from.page+".md"), from.section))
		if from.end != "" {
			want += "\n" + from.end + "\n"
		}
		path := "topics/" + name + ".txt"
		if *updateTopics {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s is not the text of its page (%v); run: go test ./cmd/blorc-denoise -run TestTopics -args "+
				"-update-topics", path, err)
		}
		for line := range strings.Lines(string(got)) {
			if len([]rune(line)) > usualWidth+1 { // and the end of the line
				t.Errorf("%s has a long line: %s", path, line)
			}
		}
	}
}

// The page of servers has the texts that --help has.
func TestPageHasHelp(t *testing.T) {
	page := readFile(t, "../../docs/servers.md")
	for _, text := range []string{exitHelp, jsonHelp} {
		if !strings.Contains(page, "\n```text\n"+text+"\n```\n") {
			t.Errorf("docs/servers.md does not have this text of --help:\n%s", text)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, c := range []struct {
		words, want string
		code        int
	}{
		{"", "Usage:", exitOK},
		{"noise", "photon (microscopes, telescopes, X-ray detectors)", exitOK},
		{"noise add", "--iso", exitOK},
		{"flags", "--sweep-age", exitOK},
		{"watch", "--settle", exitOK},
		{"files", "BigTIFF", exitOK},
		{"exit-codes", "130  interrupted", exitOK},
		{"json", "fingerprint", exitOK},
		{"nothing", `no command or topic "nothing"`, exitUsage},
		{"../x", `no command or topic "../x"`, exitUsage},
	} {
		code, got := call(t, append([]string{"help"}, strings.Fields(c.words)...)...)
		if code != c.code || !strings.Contains(got, c.want) {
			t.Errorf("help %s: exit code %d, %s", c.words, code, got)
		}
	}
}

// Each flag of the program belongs to one group, and those of every day exist.
func TestFlagGroups(t *testing.T) {
	root := newRoot(newUI(io.Discard, io.Discard))
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	if left := append(ungrouped(root.Flags()), ungrouped(root.PersistentFlags())...); len(left) > 0 {
		t.Errorf("flags without a group: %v", left)
	}
	groups := map[string]int{}
	for _, g := range flagGroups {
		for _, name := range g.flags {
			if groups[name]++; groups[name] > 1 || root.Flags().Lookup(name) == nil &&
				root.PersistentFlags().Lookup(name) == nil {
				t.Errorf("group %s: --%s is in another group, or is none", g.name, name)
			}
		}
	}
	for _, name := range dailyFlags {
		if root.Flags().Lookup(name) == nil {
			t.Errorf("there is no --%s", name)
		}
	}
}

// helpTexts returns the help of each command, by its words, and that of all flags.
func helpTexts(t *testing.T) map[string]string {
	t.Helper()
	root := newRoot(newUI(io.Discard, io.Discard))
	texts := map[string]string{}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		var out bytes.Buffer
		c.SetOut(&out)
		c.InitDefaultHelpFlag()
		printHelp(c, nil)
		texts[c.CommandPath()] = out.String()
		for _, child := range c.Commands() {
			visit(child)
		}
	}
	visit(root)
	var out bytes.Buffer
	printFlags(&out, root)
	texts["flags"] = out.String()
	if len(texts) < 15 {
		t.Errorf("only %d texts", len(texts))
	}
	return texts
}

// The help of each command, and of the flags, fits 80 columns.
func TestHelpFits(t *testing.T) {
	for name, text := range helpTexts(t) {
		for line := range strings.Lines(text) {
			if len([]rune(strings.TrimRight(line, "\n"))) > usualWidth {
				t.Errorf("help of %s: %s", name, line)
			}
		}
	}
}

// markOfMarkdown finds bold and slanted words, code, links, pictures and comments. A star in the name of files, such as
// *.png or **/*.tif, is none.
var markOfMarkdown = regexp.MustCompile("`" + `|\]\(|<!--|(^|[\s(])\*{1,2}[^\s*./][^*\n]*\*`)

// Topics and help are for a terminal: no mark of Markdown is left in them.
func TestHelpHasNoMarkdown(t *testing.T) {
	texts := helpTexts(t)
	for _, name := range strings.Split(topicNames(), ", ") {
		var out bytes.Buffer
		if code := run(context.Background(), []string{"help", name}, &out, io.Discard); code != exitOK {
			t.Errorf("help %s: exit code %d", name, code)
		}
		texts["topic "+name] = out.String()
	}
	for name, text := range texts {
		if m := markOfMarkdown.FindString(text); m != "" {
			t.Errorf("help of %s has Markdown: %s", name, m)
		}
	}
}

func TestPlainText(t *testing.T) {
	for page, want := range map[string]string{
		"**Bold words**, *slanted* and `code`.\n":    "Bold words, slanted and code.\n",
		"**Over two\nlines** of text.\n":             "Over two lines of text.\n",
		"`**/*.png` and `*.tif`\n":                   "**/*.png and *.tif\n",
		"2 * 3 * 4\n":                                "2 * 3 * 4\n",
		"![a picture](a.jpg)\n\nSee [it](b.md#c).\n": "See it.\n",
		"- **one** `x`\n  more\n":                    "- one x more\n",
		"| a | b |\n|---|---|\n| **1** | *2* |\n":    "  1\n      b: 2\n",
		"```sh\nls **/*.png *x*\n```\n":              "    ls **/*.png *x*\n",
	} {
		if got := plainText(page); got != want {
			t.Errorf("%q: %q, want %q", page, got, want)
		}
	}
}

// section returns the section of a page under a heading of the second level, or the whole page.
func section(page, heading string) string {
	if heading == "" {
		return page
	}
	_, text, _ := strings.Cut(page, "\n## "+heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

const textWidth = 80

var (
	linkText   = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)
	imageLine  = regexp.MustCompile(`(?m)^!\[[^]]*\]\([^)]*\)\n`)
	emphasis   = regexp.MustCompile(`(\*{1,2})([^\s*](?:[^*]*[^\s*])?)\*{1,2}`)
	commentTag = regexp.MustCompile(`(?s)<!--.*?-->\n`)
)

// plainText returns a page without the marks of Markdown, for a terminal. A row of a table becomes its first cell and,
// below it, the others, each with its heading.
func plainText(page string) string {
	page = imageLine.ReplaceAllString(commentTag.ReplaceAllString(page, ""), "")
	page = linkText.ReplaceAllString(page, "$1")
	var out strings.Builder
	var words []string
	first, next := "", ""
	flush := func() {
		if len(words) > 0 {
			out.WriteString(wrapped(words, first, next))
		}
		words, first, next = nil, "", ""
	}
	code, rows, head := "", 0, []string(nil)
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "|") {
			rows = 0
		}
		switch {
		case strings.HasPrefix(line, "```"):
			flush()
			kind := strings.TrimPrefix(line, "```")
			if code != "" || kind == "" {
				code = ""
			} else {
				code = kind
			}
		case code == "text":
			out.WriteString(line + "\n")
		case code != "":
			out.WriteString(foldCommand("    "+line, usualWidth))
		case line == "":
			flush()
			out.WriteString("\n")
		case strings.HasPrefix(line, "#"):
			heading := strings.TrimLeft(line, "# ")
			out.WriteString(heading + "\n" + strings.Repeat("-", len(heading)) + "\n")
		case strings.HasPrefix(line, "|"):
			switch rows++; rows {
			case 1:
				head = cells(line)
			case 2:
			default:
				out.WriteString(row(cells(line), head))
			}
		default:
			if item, ok := strings.CutPrefix(line, "- "); ok {
				flush()
				line, first, next = item, "- ", "  "
			}
			words = append(words, strings.Fields(line)...)
		}
	}
	flush()
	return strings.Trim(out.String(), "\n") + "\n"
}

// cells returns what a line of a table holds.
func cells(line string) []string {
	out := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	for i, c := range out {
		out[i] = strings.TrimSpace(c)
	}
	return out
}

func row(cells, head []string) string {
	text := wrapped(strings.Fields(cells[0]), "  ", "  ")
	for i, c := range cells[1:] {
		if c != "" {
			text += wrapped(strings.Fields(head[i+1]+": "+c), "      ", "        ")
		}
	}
	return text
}

// wrapped returns words as lines, without the marks of code and of emphasis.
func wrapped(words []string, first, next string) string {
	out, line := "", first
	for i, w := range strings.Fields(withoutMarks(strings.Join(words, " "))) {
		if i > 0 && len([]rune(line))+len([]rune(w)) >= textWidth {
			out, line = out+strings.TrimRight(line, " ")+"\n", next
		}
		line += w + " "
	}
	return out + strings.TrimRight(line, " ") + "\n"
}

// withoutMarks takes backquotes out of a text, and the stars of emphasis, but for those between backquotes.
func withoutMarks(text string) string {
	out := ""
	for i, part := range strings.Split(text, "`") {
		if i%2 == 0 {
			part = emphasis.ReplaceAllString(part, "$2")
		}
		out += part
	}
	return out
}
