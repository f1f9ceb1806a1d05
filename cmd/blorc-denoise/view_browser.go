package main

import (
	"errors"
	"os/exec"
	"runtime"
)

// openBrowser opens an address in the user's browser.
func openBrowser(address string) error {
	var commands [][]string
	switch runtime.GOOS {
	case "darwin":
		commands = [][]string{{"open"}}
	case "windows":
		commands = [][]string{{"rundll32", "url.dll,FileProtocolHandler"}}
	default:
		commands = [][]string{{"xdg-open"}, {"sensible-browser"}, {"x-www-browser"}, {"firefox"}, {"chromium"}}
	}
	err := errors.New("none found")
	for _, c := range commands {
		if _, missing := exec.LookPath(c[0]); missing != nil {
			continue
		}
		if err = exec.Command(c[0], append(c[1:], address)...).Run(); err == nil {
			return nil
		}
	}
	return err
}
