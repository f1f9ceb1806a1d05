//go:build linux

package faults

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

var full = flag.Bool("full", false, "run the large number of cases")

// row is a kind of fault.
type row struct {
	number, title string
	run           func(*cases)
	// idle says that the row waits for most of its time. Such rows run side by side. Rows that measure time, and many
	// cases, have the machine for themselves.
	idle bool
}

var rows []row

// fault adds a row to the table.
func fault(number, title string, run func(*cases)) bool {
	return add(row{number, title, run, strings.Contains(title, ", watch")}) // a daemon looks at its folder now and then
}

// idleFault is fault for a row that waits for most of its time.
func idleFault(number, title string, run func(*cases)) bool {
	return add(row{number, title, run, true})
}

func add(r row) bool {
	rows = append(rows, r)
	return true
}

// cases counts what happens in a row.
type cases struct {
	*testing.T
	dir          string // empty, and open to all users
	total, wrong int
	worst        time.Duration
	peak         int64 // bytes, of the largest process
	note         string
	patience     time.Duration
}

// count is how many cases to run.
func (c *cases) count(few, many int) int {
	if *full {
		return many
	}
	return few
}

// check counts a case; an error is a failure.
func (c *cases) check(name string, f func() error) {
	c.Helper()
	start := time.Now()
	err := f()
	c.total++
	c.worst = max(c.worst, time.Since(start))
	if err != nil {
		c.wrong++
		c.Errorf("%s: %v", name, err)
	}
}

// outcome is how a process ended.
type outcome struct {
	code           int // -1 if it was killed
	stdout, stderr string
	peak           int64 // bytes
}

// patience is far more than anything here takes, on a machine that has other things to do; a row with large images has
// more.
const patience = 5 * time.Minute

// command prepares the program, in the row's folder.
func (c *cases) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), c.patience)
	c.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GOTRACEBACK=single", "XDG_CACHE_HOME="+filepath.Join(filepath.Dir(program),
		"cache"))
	return cmd
}

// tool runs the program.
func (c *cases) tool(args ...string) outcome { return c.finish(c.command(args...)) }

// finish runs a prepared command. The peak is at least that of this process; measured is exact.
func (c *cases) finish(cmd *exec.Cmd) outcome {
	o := c.run(cmd)
	o.peak = c.measure(cmd)
	return o
}

func (c *cases) run(cmd *exec.Cmd) outcome {
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &stderr
	}
	err := cmd.Run()
	o := outcome{code: -1, stdout: stdout.String(), stderr: stderr.String()}
	if cmd.ProcessState != nil {
		o.code = cmd.ProcessState.ExitCode()
	} else {
		o.stderr += err.Error()
	}
	return o
}

// measure gives the largest resident set of a process that has ended. It is at least that of this process when the
// other was started, since Linux hands it on.
func (c *cases) measure(cmd *exec.Cmd) (peak int64) {
	if cmd.ProcessState != nil {
		if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = int64(u.Maxrss) << 10
		}
	}
	c.peak = max(c.peak, peak)
	return peak
}

func (c *cases) path(name string) string { return filepath.Join(c.dir, name) }

// program is the path of the built command.
var program string

func TestFaults(t *testing.T) {
	base, err := os.MkdirTemp("", "faults")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(base) })
	must(t, os.Chmod(base, 0o755))
	program = filepath.Join(base, "blorc-denoise")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/blorc-denoise").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	table := make([]string, len(rows))
	t.Cleanup(func() { // the rows that wait end last
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprint(w, "fault\tcases\tfailures\tworst time\tpeak memory\t\n", strings.Join(table, ""))
		w.Flush()
	})
	for i, r := range rows {
		t.Run(r.number+" "+r.title, func(t *testing.T) {
			if r.idle && !*full {
				t.Parallel()
			}
			c := &cases{T: t, dir: filepath.Join(base, fmt.Sprint(i)), patience: patience}
			must(t, os.Mkdir(c.dir, 0o755))
			defer func() {
				result := fmt.Sprint(c.wrong)
				if t.Skipped() {
					result = "skipped"
				}
				table[i] = fmt.Sprintf("%s %s\t%d\t%s\t%.1f s\t%d MB\t%s\n", r.number, r.title, c.total, result,
					c.worst.Seconds(), c.peak>>20, c.note)
			}()
			r.run(c)
		})
	}
}

// must ends a test that cannot go on after an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
