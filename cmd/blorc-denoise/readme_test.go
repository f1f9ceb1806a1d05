package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// readmeElsewhere lists commands of the README that TestReadme does not run.
var readmeElsewhere = map[string]string{
	"go test ./...": "is this test",
	"git clone https://github.com/blorc-denoise/blorc-denoise": "needs the network",
	"cd blorc-denoise": "goes into the clone",
	"CGO_ENABLED=0 go install ./cmd/blorc-denoise":    "writes into the folder of Go programs",
	"blorc-denoise view photo.jpg":                    "runs in cmd/blorc-denoise/internal/view/browsertest",
	"blorc-denoise bench":                             "runs in bench.txtar",
	"blorc-denoise eval FOLDER --gray --sigma LEVELS": "runs in eval.txtar",
	"go run ./cmd/blorc-denoise demo -o demo":         "runs in demo.txtar",
}

// readmeCommands returns the lines of the shell blocks of a text and the commands of the program in its running text,
// in their order.
func readmeCommands(text string) (commands []string) {
	inline := regexp.MustCompile("`(" + program + " [^`]+)`")
	for i, part := range strings.Split(text, "```") {
		block, ok := strings.CutPrefix(part, "sh\n")
		switch {
		case i%2 == 0:
			for _, m := range inline.FindAllStringSubmatch(part, -1) {
				commands = append(commands, m[1])
			}
		case ok:
			for line := range strings.Lines(block) {
				commands = append(commands, strings.TrimSpace(line))
			}
		}
	}
	return commands
}

// TestReadme runs the commands of the README in their order, in a folder with the files that they name.
func TestReadme(t *testing.T) {
	text := readFile(t, "../../README.md")
	script := `image photo.jpg 96x72 noise=20
image scan.tif 80x60 gray 16 noise=12
image photos/a.png 64x48 noise=10
image photos/more/b.png 48x64 noise=10
image archive/c.tif 64x64
image cells.tif 60x50 gray 16 noise=5
image noisy.png 64x48 noise=25
image shot1.tif 96x96 gray 16 noise=10
image shot2.tif 96x96 gray 16 noise=10
image scans/a.png 64x48 noise=15
`
	commands := 0
	for _, line := range readmeCommands(text) {
		switch {
		case readmeElsewhere[line] != "":
		case strings.HasPrefix(line, program+" "):
			script += "exec " + line + "\n"
			commands++
		default:
			t.Errorf("README has a command that no test runs: %s", line)
		}
	}
	if commands < 10 {
		t.Fatalf("only %d commands found", commands)
	}
	runScripts(t, map[string]string{"readme": script})
}

// The pages install the latest release, the one that CHANGELOG.md has at its top.
func TestInstallPageNamesTheLatestRelease(t *testing.T) {
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	release := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$`).FindStringSubmatch(string(changelog))
	if release == nil {
		t.Fatal("CHANGELOG.md has no release")
	}
	for want, page := range map[string]string{
		"blorc-denoise_" + release[1] + "-1_amd64.deb":   "install",
		"blorc-denoise-" + release[1] + "-1.x86_64.rpm":  "install",
		"blorc-denoise_" + release[1] + "-r1_x86_64.apk": "install",
		"blorc-denoise:" + release[1] + " ":              "servers",
	} {
		if text, err := os.ReadFile("../../docs/" + page + ".md"); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("docs/%s.md does not have %q (%v)", page, want, err)
		}
	}
}

func TestReadmeIsShort(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(string(readme))); n > 1200 {
		t.Errorf("README has %d words, more than 1200", n)
	}
}
