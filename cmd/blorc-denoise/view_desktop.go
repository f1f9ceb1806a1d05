package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
)

// onDesktop says whether there is a screen that a browser can open on.
func onDesktop(system string, env func(string) string) bool {
	switch system {
	case "windows", "darwin":
		return env("SSH_CONNECTION") == ""
	}
	return env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
}

// byHand says whether a file is a terminal, or none at all as for programs that a desktop starts. Scripts have pipes
// and files.
func byHand(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return true
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

// wantsPage says whether a call without anything means the page of view.
func wantsPage(c *cobra.Command, args []string) bool {
	return len(args) == 0 && c.Flags().NFlag() == 0 && onDesktop(runtime.GOOS, os.Getenv) && byHand(os.Stdin) &&
		byHand(os.Stdout)
}

// filesOrPage checks that there is a file, unless the page is wanted.
func filesOrPage(c *cobra.Command, args []string) error {
	if wantsPage(c, args) {
		return nil
	}
	if len(args) == 0 && !byHand(os.Stdin) {
		return usage("no file given; - stands for what comes through a pipe")
	}
	return atLeastOne("file")(c, args)
}

// openPage runs view without files.
func openPage(ctx context.Context, root *cobra.Command) error {
	c, _, err := root.Find([]string{"view"})
	if err != nil {
		return err
	}
	c.SetContext(ctx)
	return c.RunE(c, nil)
}

// choosers are programs that let the user choose files, each with its arguments. They print one name a line.
var choosers = map[string][][]string{
	"darwin": {{"osascript", "-e", `set out to ""`, "-e",
		`repeat with f in (choose file with prompt "Pictures to denoise" with multiple selections allowed)`,
		"-e", `set out to out & POSIX path of f & linefeed`, "-e", "end repeat", "-e", "return out"}},
	"windows": {{"powershell", "-NoProfile", "-STA", "-Command",
		`[Console]::OutputEncoding = [Text.Encoding]::UTF8; Add-Type -AssemblyName System.Windows.Forms;` +
			` $d = New-Object System.Windows.Forms.OpenFileDialog; $d.Multiselect = $true; $d.Title = 'Pictures to denoise'; if ($d.ShowDialog() -eq 'OK') { $d.FileNames }`}},
	"": {{"zenity", "--file-selection", "--multiple", "--separator=\n", "--title=Pictures to denoise"},
		{"kdialog", "--title", "Pictures to denoise", "--multiple", "--separate-output", "--getopenfilename", "."}},
}

// fileChooser returns the program of this system that lets the user choose files, or nil if there is none.
func fileChooser() []string {
	if !onDesktop(runtime.GOOS, os.Getenv) {
		return nil
	}
	programs, ok := choosers[runtime.GOOS]
	if !ok {
		programs = choosers[""]
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p[0]); err == nil {
			return p
		}
	}
	return nil
}

// chooseFiles returns the paths that the user chooses, none if the user chose nothing.
func chooseFiles(ctx context.Context, program []string) ([]string, error) {
	out, err := exec.CommandContext(ctx, program[0], program[1:]...).Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: cancelled
		return nil, fmt.Errorf("the window to choose pictures could not be opened (%s: %w)", program[0], err)
	}
	var paths []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			paths = append(paths, line)
		}
	}
	return paths, nil
}
