package layout

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxMarkdownColumns is how long a line of Markdown may be, a row of a table too. Only a command may be longer, since
// readers copy it as one line: in a block of code, or alone on its line.
const maxMarkdownColumns = 180

var commandAlone = regexp.MustCompile("^\\s*`[^`]+`[;.]?$")

// markdown returns the texts of all Markdown files of the repository, by path.
func markdown(t *testing.T) map[string]string {
	t.Helper()
	return tracked(t, "*.md")
}

// tracked returns the texts of all files of the repository whose names match a pattern of git, by path.
func tracked(t *testing.T, pattern string) map[string]string {
	t.Helper()
	out, err := exec.Command("git", "-C", "../..", "ls-files", "-z", pattern).Output()
	if err != nil {
		t.Skip("not a clone")
	}
	texts := map[string]string{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		} else if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

func TestMarkdownLinesAreShort(t *testing.T) {
	for name, text := range markdown(t) {
		code := false
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			if n := utf8.RuneCountInString(line); n > maxMarkdownColumns && !code && !commandAlone.MatchString(line) {
				t.Errorf("%s:%d has %d columns, more than %d", name, i+1, n, maxMarkdownColumns)
			}
		}
	}
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)
	goFileName   = regexp.MustCompile("`([A-Za-z0-9_./-]+\\.go)`")
)

// Files and sections that a page links to, and Go files that it names, are there.
func TestFilesOfMarkdownExist(t *testing.T) {
	names := map[string]bool{}
	for path := range tracked(t, "*.go") {
		names[path], names[filepath.Base(path)] = true, true
	}
	pages := markdown(t)
	for page, text := range pages {
		for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
			to := filepath.Join(filepath.Dir(page), m[1])
			if _, err := os.Stat(filepath.Join("../..", to)); err != nil {
				t.Errorf("%s links to a file that does not exist: %s", page, m[1])
			} else if m[2] != "" && !slices.Contains(anchors(pages[to]), m[2][1:]) {
				t.Errorf("%s links to a section that %s does not have: %s", page, to, m[2])
			}
		}
		for _, m := range goFileName.FindAllStringSubmatch(text, -1) {
			if !names[m[1]] && !names[filepath.Join(filepath.Dir(page), m[1])] {
				t.Errorf("%s names a Go file that does not exist: %s", page, m[1])
			}
		}
	}
}

var (
	markdownHeading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInAnchor     = regexp.MustCompile(`[^a-z0-9-]`)
)

// anchors returns the names of the sections of a page in links.
func anchors(page string) (names []string) {
	for _, m := range markdownHeading.FindAllStringSubmatch(page, -1) {
		names = append(names, notInAnchor.ReplaceAllString(strings.ToLower(strings.ReplaceAll(m[1], " ", "-")), ""))
	}
	return names
}
