//go:build linux

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

var _ = fault("F21", "power loss", order)

// order: an output is on the disk before it has its name, its name is before the program says so, and a backup's name
// is before the input loses its own.
func order(c *cases) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		c.Skip("there is no strace")
	}
	flags := c.model()
	c.picture("in.png", 48, 48)
	endings := []string{"png"}
	if *full {
		endings = []string{"png", "tif", "jpg"}
	}
	for _, ending := range endings {
		for mode, want := range map[string]string{"new": "^w+fnd$", "old": "^w+fnd$", "in place": "^w+f+bdnd$"} {
			c.check(ending+", "+mode, func() error {
				os.RemoveAll(c.path("w"))
				os.Mkdir(c.path("w"), 0o755)
				out := "w/out." + ending
				args := append([]string{program}, flags...)
				if mode != "new" {
					if o := c.tool(append(flags, "in.png", "-o", out)...); o.code != 0 {
						return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
					}
				}
				if mode == "in place" {
					args = append(args, out, "--in-place")
				} else {
					args = append(args, "in.png", "-o", out, "--overwrite", "always")
				}
				cmd := c.command()
				cmd.Path = strace
				cmd.Args = append([]string{"strace", "-f", "-y", "-s", "0", "-e", "signal=none", "-o", c.path("log"),
					"-e", "trace=write,pwrite64,fsync,linkat,renameat,renameat2"}, args...)
				if o := c.finish(cmd); o.code != 0 {
					return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
				}
				log, err := os.ReadFile(c.path("log"))
				if err != nil {
					return err
				}
				if got := steps(string(log), c.path("w"),
					filepath.Base(out)); !regexp.MustCompile(want).MatchString(got) {
					return fmt.Errorf("steps %s, not %s:\n%s", got, want, log)
				}
				return nil
			})
		}
	}
}

// steps writes a letter for each call: content is written (w) and flushed (f), a folder is flushed (d), and what comes
// to a temporary name (t), a backup's (b) or that of the output (n).
func steps(log, folder, out string) string {
	call := regexp.MustCompile(`(?m)^\d+ +(write|pwrite64|fsync|linkat|renameat2?)\((.*)$`)
	target := regexp.MustCompile(`^[^"]*"[^"]*"[^"]*"([^"]*)"`)
	var s strings.Builder
	for _, m := range call.FindAllStringSubmatch(log, -1) {
		name, args := m[1], m[2]
		switch {
		case strings.Contains(args, ".tmp>") && name == "fsync":
			s.WriteByte('f')
		case strings.Contains(args, ".tmp>"):
			s.WriteByte('w')
		case name == "fsync" && strings.Contains(args, "<"+folder+">"):
			s.WriteByte('d')
		}
		to := target.FindStringSubmatch(args)
		if to == nil || !strings.Contains(name, "at") {
			continue
		}
		switch base := filepath.Base(to[1]); {
		case base == out:
			s.WriteByte('n')
		case base == out+".orig":
			s.WriteByte('b')
		case strings.HasSuffix(base, ".tmp"):
			s.WriteByte('t')
		}
	}
	return s.String()
}
