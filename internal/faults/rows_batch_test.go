//go:build linux

package faults

import (
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
)

var (
	_ = fault("F14", "entries that are no files", otherEntries)
	_ = fault("F15", "output in the input", layouts)
	_ = fault("F16", "names that collide", collisions)
	_ = fault("F17", "odd names", oddNames)
	_ = fault("F19", "permission denied", denied)
	_ = fault("F31", "workers, files side by side, memory", determinism)
	_ = fault("F32", "nowhere to write", nowhere)
)

// otherEntries: nothing that is not a file is waited for, and the file beside it is done.
func otherEntries(c *cases) {
	flags := c.model()
	c.picture("outside/secret.png", 16, 16)
	entries := map[string]func(path string) error{
		"a FIFO":               func(p string) error { return syscall.Mkfifo(p, 0o666) },
		"a socket":             func(p string) error { _, err := net.Listen("unix", p); return err },
		"a device":             func(p string) error { return syscall.Mknod(p, syscall.S_IFCHR|0o666, 1<<8|5) },
		"a folder":             func(p string) error { return os.Mkdir(p, 0o777) },
		"an empty file":        func(p string) error { return os.WriteFile(p, nil, 0o666) },
		"a link to a file":     func(p string) error { return os.Symlink("../../outside/secret.png", p) },
		"a link to a folder":   func(p string) error { return os.Symlink("../../outside", p) },
		"a link to nothing":    func(p string) error { return os.Symlink("nowhere", p) },
		"a link to itself":     func(p string) error { return os.Symlink(filepath.Base(p), p) },
		"a link to its folder": func(p string) error { return os.Symlink(".", p) },
		"a link to a device":   func(p string) error { return os.Symlink("/dev/zero", p) },
		"a hidden file": func(p string) error {
			return os.WriteFile(filepath.Join(filepath.Dir(p), ".x.png"), nil, 0o666)
		},
	}
	i := 0
	for name, create := range entries {
		i++
		in, out := fmt.Sprintf("in%d/sub", i), fmt.Sprintf("out%d", i)
		c.picture(in+"/good.png", 16, 16)
		if err := create(c.path(in + "/x.png")); err != nil {
			c.Logf("%s cannot be made: %v", name, err)
			continue
		}
		c.check(name, func() error {
			o := c.tool(append(flags, "-r", filepath.Dir(in), "-o", out)...)
			got := c.files(out)
			if len(got) != 1 || got["sub/good.png"] == nil || o.code > 1 {
				return fmt.Errorf("exit code %d, %d outputs, %s", o.code, len(got), o.stderr)
			}
			return nil
		})
	}
}

// layouts: refused with exit code 2 and both names, and nothing is made.
func layouts(c *cases) {
	flags := c.model()
	c.pictures("in", 3, 16)
	for link, to := range map[string]string{"link": "in", "below": "in/1"} {
		must(c, os.Symlink(to, c.path(link)))
	}
	before := c.files("in")
	for _, recursive := range []bool{false, true} {
		for _, l := range [][2]string{{"in", "in"}, {"in", "in/out"}, {"in", "in/1"}, {"in", "link"},
			{"in", "link/new/x"}, {"link", "in/out"},
			{"in", "below/out"}, {".", "out"}, {"in/0/000.png", "in/0/"}, {"in", c.path("in/out")}} {
			c.check(l[0]+" to "+l[1], func() error {
				args := append(flags, l[0], "-o", l[1], "--overwrite", "always")
				if recursive {
					args = append(args, "-r")
				}
				o := c.tool(args...)
				if o.code != 2 || !strings.Contains(o.stderr, l[0]) ||
					!strings.Contains(o.stderr, strings.TrimRight(l[1], "/")) {
					return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
				}
				return same(c.files("in"), before)
			})
		}
	}
}

// collisions: files of one name are refused, and those of one stem get names of their own.
func collisions(c *cases) {
	flags := c.model()
	c.picture("in/a.png", 16, 16)
	c.picture("in/sub/a.png", 16, 16)
	c.picture("other/a.png", 16, 16)
	data, _ := os.ReadFile(c.path("in/a.png"))
	os.WriteFile(c.path("in/a.tif"), data, 0o666)
	for _, words := range []string{"in other -o out", "in/a.png other/a.png -o out", "in/a.png other/a.png -o other"} {
		c.check(words, func() error {
			o := c.tool(append(flags, strings.Fields(words)...)...)
			if got := c.files("out"); o.code != 2 || len(got) > 0 {
				return fmt.Errorf("exit code %d, %d outputs: %s", o.code, len(got), o.stderr)
			}
			return nil
		})
	}
	for words, want := range map[string][]string{
		"in --format png -o own":     {"a.png", "a.tif.png"},
		"in -r --format tiff -o all": {"a.png.tif", "a.tif", "sub/a.tif"},
	} {
		c.check(words, func() error {
			o := c.tool(append(flags, strings.Fields(words)...)...)
			got := slices.Sorted(maps.Keys(c.files(words[strings.LastIndex(words, " ")+1:])))
			if o.code != 0 || !slices.Equal(got, want) {
				return fmt.Errorf("exit code %d, outputs %q: %s", o.code, got, o.stderr)
			}
			return nil
		})
	}
	c.check("an output that exists", func() error {
		os.Mkdir(c.path("kept"), 0o777)
		os.WriteFile(c.path("kept/a.png"), []byte("kept"), 0o666)
		o := c.tool(append(flags, "in", "-o", "kept")...)
		if got := c.files("kept"); string(got["a.png"]) != "kept" || got["a.tif"] == nil || o.code != 0 {
			return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
		}
		return nil
	})
}

// oddNames: each comes back as it is, and messages are one line of printable letters.
func oddNames(c *cases) {
	flags := c.model()
	names := []string{"a\nb.png", "\xff\xfe.png", strings.Repeat("x", 251) + ".png", "-o.png", "--help.png", " .png",
		"a b.png", "\"'`$(id).png",
		"\x1b[31mred.png", "\t.png", "été 東京.png", "\u202egnp.png", "..a.png", "*.png", "@list.png", "a\\b.png",
		"a\rb.png", "{a,b}.png", "%s%n.png"}
	for i, name := range names {
		c.check(fmt.Sprintf("%q", name), func() error {
			in, out := fmt.Sprintf("in%d", i), fmt.Sprintf("out%d", i)
			c.picture(in+"/"+name, 16, 16)
			os.WriteFile(c.path(in+"/bad-"+name[max(0, len(name)-200):]), []byte("bad"), 0o666)
			o := c.tool(append(flags, in, "-o", out)...)
			want := 1
			if strings.HasPrefix(name, ".") { // hidden
				want = 0
			}
			if got := c.files(out); len(got) != want || want == 1 && got[name] == nil || o.code != 1 && o.code != 3 {
				return fmt.Errorf("exit code %d, %d outputs: %s", o.code, len(got), o.stderr)
			}
			for _, r := range o.stderr {
				if !unicode.IsPrint(r) && r != '\n' {
					return fmt.Errorf("%q in a message", r)
				}
			}
			if lines := strings.Count(o.stderr, "\n"); lines > 3 {
				return fmt.Errorf("%d lines", lines)
			}
			return nil
		})
	}
}

// unprivileged is what a command line starts with so that another user than the superuser runs it, who may do
// everything.
func (c *cases) unprivileged() []string {
	if os.Getuid() != 0 {
		return nil
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		c.Skip("runs as root, and there is no setpriv")
	}
	return []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}
}

// denied: what may not be read or written is told, and the rest is done.
func denied(c *cases) {
	prefix := c.unprivileged()
	flags := c.model()
	c.picture("in/bad/a.png", 16, 16)
	c.picture("in/b.png", 16, 16)
	c.picture("in/c.png", 16, 16)
	os.WriteFile(c.path("list"), []byte("in/b.png\n"), 0o666)
	os.Mkdir(c.path("out"), 0o777)
	os.Chmod(c.path("out"), 0o777)
	run := func(want int, outputs int, args ...string) func() error {
		return func() error {
			os.RemoveAll(c.path("out/x"))
			cmd := c.command()
			all := append(append(append(prefix, program), flags...), args...)
			cmd.Path, cmd.Args = program, all
			if len(prefix) > 0 {
				cmd.Path, _ = exec.LookPath(prefix[0])
			}
			o := c.finish(cmd)
			if got := c.files("out/x"); o.code != want || len(got) != outputs ||
				!strings.Contains(o.stderr, "ermission denied") {
				return fmt.Errorf("exit code %d, %d outputs: %s", o.code, len(got), o.stderr)
			}
			return nil
		}
	}
	locked := func(path string, mode os.FileMode, f func() error) func() error {
		return func() error {
			os.Chmod(c.path(path), 0)
			defer os.Chmod(c.path(path), mode)
			return f()
		}
	}
	c.check("a file", locked("in/b.png", 0o644, run(1, 1, "in", "-o", "out/x")))
	c.check("a folder in the folder", locked("in/bad", 0o755, run(1, 2, "-r", "in", "-o", "out/x")))
	c.check("the folder", locked("in", 0o755, run(6, 0, "-r", "in", "-o", "out/x")))
	c.check("a list", locked("list", 0o644, run(6, 0, "@list", "-o", "out/x")))
	c.check("the model", locked("dct.safetensors", 0o644, run(6, 0, "in", "-o", "out/x")))
	c.check("the output folder", run(6, 0, "in", "-o", "closed/x"))
	c.check("beside the input", run(6, 0, "in/b.png"))
	c.check("in place", run(6, 0, "in/b.png", "--in-place"))
}

// determinism: the same bytes however the work is divided.
func determinism(c *cases) {
	flags := c.model()
	c.pictures("in", 5, 60)
	c.picture("in/large.png", 300, 200)
	want := undisturbed(c, "in", flags)
	all := []string{"1", "3", "8"}
	if *full {
		all = []string{"1", "2", "4", "8"}
	}
	for _, workers := range all {
		for _, division := range []string{"--jobs=1", "--jobs=3", "--jobs=8", "--max-memory=24Mi"} {
			c.check(workers+" workers "+division, func() error {
				os.RemoveAll(c.path("out"))
				o := c.tool(append(flags, "-r", "in", "-o", "out", "-j", workers, division)...)
				if o.code != 0 {
					return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
				}
				return same(c.files("out"), want)
			})
		}
	}
}

// nowhere: one line says what is wrong, with the exit code of an I/O error.
func nowhere(c *cases) {
	flags := c.model()
	c.pictures("in", 2, 16)
	test := func(name, script string, code int) {
		c.check(name, func() error {
			os.RemoveAll(c.path("out"))
			cmd := c.command()
			cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", script, program}, flags...)
			o := c.finish(cmd)
			if o.code != code || strings.Contains(o.stderr, "goroutine") ||
				strings.Count(o.stderr, "blorc-denoise: ") > 1 {
				return fmt.Errorf("exit code %d: %s", o.code, o.stderr)
			}
			return nil
		})
	}
	test("JSON to a full device", `"$0" "$@" -r in -o out --json -q >/dev/full`, 6)
	test("an image to a full device", `"$0" "$@" in/0/000.png -o - >/dev/full`, 6)
	test("JSON to nobody", `mkfifo p; : <p & exec 3>p; wait; "$0" "$@" -r in -o out --json -q >&3`, 6)
	test("an image to a closed stdout", `"$0" "$@" in/0/000.png -o - >&-`, 6)
	test("an image to the null device, open for both", `"$0" "$@" in/0/000.png -o - 1<>/dev/null`, 6)
	test("JSON to the null device, open for both", `"$0" "$@" -r in -o out --json -q 1<>/dev/null`, 0)
	test("a list to the null device, open for both", `"$0" "$@" -r in -o out --dry-run 1<>/dev/null`, 0)
	test("no stdout, and none wanted", `"$0" "$@" -r in -o out -q >&-`, 0)
	test("an image to the null device", `"$0" "$@" in/0/000.png -o - >/dev/null`, 0)
	test("stderr to a full device", `"$0" "$@" -r in -o out 2>/dev/full`, 0)
	test("a file system that takes no folder", `"$0" "$@" -r in -o /proc/out`, 6)
	test("no TMPDIR", `TMPDIR=/nowhere "$0" "$@" -r in -o out -q`, 0)
	test("no HOME", `HOME= "$0" "$@" -r in -o out -q`, 0)
}
