package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestReadme runs every command of the README's shell blocks, in their order, in a folder with the files that they name.
// Lines with pipes go through the shell. The two commands of the go tool are only checked to be there: the first is the demo, run here as the program itself,
// and the other is this test.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	script := `image photo.png 96x72 noise=20
image scan.tif 80x60 gray 16 noise=12
image photos/a.png 64x48
image photos/b.png 48x64
image held-back/c.png 64x64
image tripod-average/d.png 72x64
image tripod-single/d.png 72x64 noise=15
image cells.tif 60x50 gray 16 noise=5
image scans/a.png 64x48 noise=15
`
	commands := 0
	for i, block := range strings.Split(string(text), "```") {
		body, ok := strings.CutPrefix(block, "sh\n")
		if i%2 == 0 || !ok {
			continue
		}
		for line := range strings.Lines(body) {
			line = strings.TrimSpace(line)
			switch {
			case line == "go test ./...":
			case line == "go run ./cmd/blorc-paper -o out --quick": // tested beside it
			case line == "go run ./cmd/blorc-denoise demo -o demo":
				script += "exec blorc-denoise demo -o demo --size 200x150\n"
			case strings.Contains(line, program+" ") && strings.ContainsAny(line, "|<>"):
				script += "exec sh -c '" + strings.ReplaceAll(line, "'", "''") + "'\n"
			case strings.HasPrefix(line, program+" "):
				script += "exec " + line + "\n"
			default:
				t.Errorf("README has a command that no test runs: %s", line)
			}
			commands++
		}
	}
	if commands < 10 {
		t.Fatalf("only %d commands found", commands)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "readme.txtar"), []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: dir, RequireExplicitExec: true, Cmds: scriptCommands, Setup: ownCache})
}

// Each Go block of the README stands word for word in an example, which runs.
func TestReadmeGoRuns(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("../../denoise/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) == 0 {
		t.Error("the README has no Go block")
	}
	for _, b := range blocks {
		body := ""
		for line := range strings.Lines(b[1]) {
			body += "\t" + line
		}
		if !strings.Contains(string(examples), body) {
			t.Errorf("no example has this block of the README:\n%s", b[1])
		}
	}
}
