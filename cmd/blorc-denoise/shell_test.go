package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Completion in real shells, where they are installed.
func TestCompletionInShells(t *testing.T) {
	for shell, needs := range map[string]string{"bash": "/usr/share/bash-completion/bash_completion", "zsh": "/",
		"fish": "/"} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip(err)
			}
			if _, err := os.Stat(needs); err != nil {
				t.Skip(err)
			}
			runScriptsIn(t, testscript.Params{Files: []string{"testdata/shell/" + shell + ".txtar"}})
		})
	}
}
