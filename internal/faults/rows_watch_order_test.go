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

var _ = fault("F21", "order of flushing, watch", flushing)

// sysCall is one that strace has seen. Between its first and its last line others may be in progress.
type sysCall struct {
	name, text  string // arguments, and what it returned
	first, last int
}

// relative is a name that is relative to an open folder, as in 7</a/b>, "c".
var relative = regexp.MustCompile(`(\d+<([^<>"]*)>), "([^/"][^"]*)"`)

// parseTrace reads what strace -f -y writes, without calls that failed.
func parseTrace(log string) (calls []sysCall) {
	begun := map[string]sysCall{}
	n := 0
	for line := range strings.Lines(log) {
		n++
		pid, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		text = strings.TrimSpace(text)
		call := sysCall{first: n}
		if rest, resumed := strings.CutPrefix(text, "<... "); resumed {
			call = begun[pid]
			_, rest, _ = strings.Cut(rest, "resumed>")
			call.text += rest
		} else if name, rest, ok := strings.Cut(text, "("); ok {
			call.name, call.text = name, rest
			if strings.HasSuffix(text, "<unfinished ...>") {
				begun[pid] = call
				continue
			}
		}
		call.last = n
		call.text = relative.ReplaceAllString(call.text, `${1}, "$2/$3"`)
		if call.name != "" && !strings.Contains(call.text, " = -1 ") {
			calls = append(calls, call)
		}
	}
	return calls
}

// trace is what a daemon and its worker did.
type trace []sysCall

// next finds the first call that begins after another has ended, and has all the parts in its text.
func (t trace) next(after int, name string, parts ...string) (sysCall, error) {
	for _, c := range t {
		all := c.name == name && c.first > after
		for _, p := range parts {
			all = all && strings.Contains(c.text, p)
		}
		if all {
			return c, nil
		}
	}
	return sysCall{}, fmt.Errorf("no %s of %q after line %d", name, parts, after)
}

// final finds the last such call.
func (t trace) final(name string, parts ...string) (last sysCall, err error) {
	for {
		c, err := t.next(last.first, name, parts...)
		if err != nil && last.name == "" {
			return c, err
		}
		if err != nil {
			return last, nil
		}
		last = c
	}
}

// chain asks for calls each of which begins when the one before has ended; it returns the last.
func (t trace) chain(after sysCall, links ...[]string) (sysCall, error) {
	for _, l := range links {
		next, err := t.next(after.last, l[0], l[1:]...)
		if err != nil {
			return next, err
		}
		after = next
	}
	return after, nil
}

// flushing reads off the system calls that nothing relies on what may still be lost with the power: the try is in the
// ledger before the work; output written, flushed, named, its folder flushed, and all that before the ledger says so,
// flushed too; and that before the input is touched.
func flushing(c *cases) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		c.Skip("there is no strace")
	}
	flags := c.model()
	for _, policy := range []string{"keep", "delete", "move"} {
		in, out, moved := c.path(policy+"/in"), c.path(policy+"/out"), c.path(policy+"/moved")
		c.pictures(policy+"/in", c.count(3, 20), 64)
		names := c.files(policy + "/in")
		what := policy
		if policy == "move" {
			what += ":" + moved
		}
		log := c.path(policy + "/log")
		cmd := c.command()
		cmd.Path = strace
		cmd.Args = append([]string{"strace", "-f", "-y", "-s", "300", "-o", log, "-e",
			"trace=write,pwrite64,fsync,linkat,renameat,renameat2,unlinkat,mkdirat",
			program}, watchArgs(flags, in, out, "--once", "--on-success", what)...)
		if o := c.finish(cmd); o.code != 0 {
			c.Fatalf("exit code %d: %s", o.code, o.stderr)
		}
		text, err := os.ReadFile(log)
		must(c, err)
		t := trace(parseTrace(string(text)))
		for name := range names {
			c.check(policy+" "+name, func() error { return t.inOrder(policy, in, out, moved, name) })
		}
	}
}

func (t trace) inOrder(policy, in, out, moved, name string) error {
	target, ledger := filepath.Join(out, name), "<"+out+"/.blorc-watch/ledger>"
	record := func(kind string) []string {
		return []string{"pwrite64", ledger, `\"Kind\":\"` + kind + `\"`, `\"Name\":\"` + name + `\"`}
	}
	flushed := func(path string) []string { return []string{"fsync", "<" + path + ">"} }
	named, err := t.next(0, "linkat", `"`+target+`"`)
	if err != nil {
		return err
	}
	temp := strings.Split(named.text, `"`)[1]
	firstWrite, err := t.next(0, "write", "<"+temp+">")
	if err != nil {
		return err
	}
	lastWrite, err := t.final("write", "<"+temp+">")
	if err != nil {
		return err
	}
	tried, err := t.chain(sysCall{}, record("try"), flushed(out+"/.blorc-watch/ledger"))
	if err == nil && tried.last >= firstWrite.first {
		err = fmt.Errorf("the work began before the try was flushed")
	}
	if err != nil {
		return err
	}
	synced, err := t.chain(lastWrite, flushed(temp))
	if err == nil && synced.last >= named.first {
		err = fmt.Errorf("it had its name before it was flushed")
	}
	if err != nil {
		return err
	}
	folder, err := t.chain(named, flushed(filepath.Dir(target)))
	if err != nil {
		return err
	}
	done, err := t.next(0, "pwrite64", record("done")[1:]...)
	if err == nil && done.first <= folder.last {
		err = fmt.Errorf("it was done before its folder was flushed")
	}
	if err != nil {
		return err
	}
	if err := t.folderIsSafe(out, name, done); err != nil {
		return err
	}
	recorded, err := t.chain(done, flushed(out+"/.blorc-watch/ledger"))
	if err != nil {
		return err
	}
	touched, err := t.next(0, "renameat", `"`+filepath.Join(in, name)+`"`)
	switch {
	case policy == "keep" && err == nil:
		return fmt.Errorf("the input was touched")
	case policy == "keep":
		return nil
	case err != nil:
		return err
	case touched.first <= recorded.last:
		return fmt.Errorf("the input was touched before the ledger was flushed")
	case policy == "delete":
		return nil
	}
	arrived, err := t.next(touched.last, "linkat", `"`+filepath.Join(moved, name)+`"`)
	if err != nil {
		return err
	}
	if err := t.folderIsSafe(moved, name, arrived); err != nil {
		return err
	}
	_, err = t.chain(arrived, flushed(filepath.Dir(filepath.Join(moved, name))))
	return err
}

// folderIsSafe checks that the name of the folder that a file came into was flushed before something.
func (t trace) folderIsSafe(root, name string, before sysCall) error {
	folder := filepath.Dir(name)
	made, err := t.next(0, "mkdirat", `"`+folder+`"`, "<"+root+">")
	if err != nil { // by its whole name
		if made, err = t.next(0, "mkdirat", `"`+filepath.Join(root, folder)+`"`); err != nil {
			return err
		}
	}
	safe, err := t.chain(made, []string{"fsync", "<" + root + ">"})
	if err == nil && safe.last >= before.first {
		err = fmt.Errorf("the name of its folder was not flushed in time")
	}
	return err
}
