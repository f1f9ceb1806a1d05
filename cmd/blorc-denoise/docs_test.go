package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pageFiles are drawn for the commands of each page.
const pageFiles = `dng IMG_1.dng
image photo.png 96x72 noise=20
image photo.jpg 96x72 noise=20
image tile.png 64x48 noise=15
image scan.tif 80x60 gray 16 noise=12
image cells.tif 128x96 gray 16
image float.tif 64x48 gray float noise=5
image heights.tif 64x48 gray float noise=5 hole=-9999
image depth.tif 64x48 gray float noise=5 hole=nan
image thermal.tif 64x48 gray 16 noise=5
image photos/a.png 64x48 noise=20
image photos/b.png 48x64 noise=20
image held-back/c.png 64x64
image archive/box/a.tif 64x48 gray noise=15
image archive/b.jpg 64x48 noise=15
unsupported archive/box/c.tif 3
image pages/a.png 64x48 gray noise=15
image stacks/a.tif 64x48 gray 16 noise=5
image averages/d.png 72x64
image singles/d.png 72x64 noise=15
image scans/a.png 64x48 noise=15
`

// A block of a page that no test runs has this line above it, with the reason.
var notRun = regexp.MustCompile(`<!-- not run: .{8,} -->\n$`)

func pages(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	texts := map[string]string{}
	for _, name := range append(names, "../../models/TRAINING.md") {
		texts[name] = readFile(t, name)
	}
	return texts
}

// TestPages runs every command in the shell blocks of the pages in docs, in their order, in a folder with the files
// that they name. Lines with pipes go through the shell.
func TestPages(t *testing.T) {
	scripts := map[string]string{}
	for name, text := range pages(t) {
		if script := pageScript(t, name, text); script != "" {
			scripts[strings.TrimSuffix(filepath.Base(name), ".md")] = pageFiles + script
		}
	}
	runScripts(t, scripts)
}

// pageScript returns the commands of a page as a script.
func pageScript(t *testing.T, name, text string) string {
	script := ""
	blocks := strings.Split(text, "```")
	for i := 1; i < len(blocks); i += 2 {
		body, ok := strings.CutPrefix(blocks[i], "sh\n")
		if !ok || notRun.MatchString(blocks[i-1]) {
			continue
		}
		for line := range strings.Lines(body) {
			line = strings.TrimSpace(line)
			switch {
			case !strings.Contains(line, program+" "):
				t.Errorf("%s has a command that no test runs: %s", name, line)
			case strings.ContainsAny(line, "|<>"):
				script += "[!exec:sh] stop\nexec sh -c '" + strings.ReplaceAll(line, "'", "''") + "'\n"
			default:
				script += "exec " + line + "\n"
			}
		}
	}
	return script
}

// Sections that a page links to are in it, and the laboratory book, which is long, links to all of its sections.
func TestSectionsOfPages(t *testing.T) {
	heading := regexp.MustCompile(`(?m)^(###?) (.+)$`)
	inside := regexp.MustCompile(`\]\(#([^)]+)\)`)
	for name, text := range pages(t) {
		level, linked := map[string]string{}, map[string]bool{}
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			if a := anchor(m[2]); level[a] == "" || len(m[1]) < len(level[a]) {
				level[a] = m[1]
			}
		}
		for _, m := range inside.FindAllStringSubmatch(text, -1) {
			if linked[m[1]] = true; level[m[1]] == "" {
				t.Errorf("%s has no section %s", name, m[1])
			}
		}
		for s, l := range level {
			if filepath.Base(name) == "laboratory.md" && l == "##" && !linked[s] {
				t.Errorf("%s: the table at the beginning lacks the section %s", name, s)
			}
		}
	}
}

// anchor is the name of a section in links.
func anchor(heading string) string {
	return regexp.MustCompile(`[^a-z0-9-]`).ReplaceAllString(strings.ToLower(strings.ReplaceAll(heading, " ", "-")), "")
}

// Each Go block of a page, and of the README, stands word for word in an example, which runs.
func TestGoOfPages(t *testing.T) {
	examples, texts := readFile(t, "../../denoise/example_test.go"), pages(t)
	texts["README"] = readFile(t, "../../README.md")
	block := regexp.MustCompile("(?s)```go\n(.*?)```")
	for name, text := range texts {
		blocks := block.FindAllStringSubmatch(text, -1)
		if name == "README" && len(blocks) == 0 {
			t.Error("the README has no Go block")
		}
		for _, b := range blocks {
			body := ""
			for line := range strings.Lines(b[1]) {
				body += "\t" + line
			}
			if !strings.Contains(examples, body) {
				t.Errorf("no example has this block of %s:\n%s", name, b[1])
			}
		}
	}
}

// What the quick start writes into a clone is not taken for a part of it.
func TestDemoOfACloneIsIgnored(t *testing.T) {
	if ignored := readFile(t, "../../.gitignore"); !strings.Contains("\n"+ignored, "\n/demo/\n") {
		t.Error(ignored)
	}
}
