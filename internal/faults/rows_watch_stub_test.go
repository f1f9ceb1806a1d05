//go:build linux

package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The daemon's own tests, with jobs that cost nothing, so that there can be many.
var (
	_ = stub("F9", "slow writers", "01NothingIsTakenBeforeItIsStill")
	_ = stub("F10", "renamed, linked and old arrivals", "05Arrivals")
	_ = stub("F11", "unfinished names", "03UnfinishedNames")
	_ = stub("F12", "burst of files", "04Burst")
	_ = stub("F13", "new folders", "04NewFolders")
	_ = stub("F13", "input folder comes and goes", "17TheInputFolderComesAndGoes")
	_ = stub("F15", "folders in one another", "15FoldersInOneAnother")
	_ = stub("F18", "the N-th system call fails", "06EveryCallFailsOnce")
	_ = stub("F18", "disk full and freed", "09DiskFull")
	_ = stub("F18", "disk full for a day", "09TriedAgainForEver")
	_ = stub("F20", "kill -9", "12KilledAtAnyInstant")
	_ = stub("F21", "ledger truncated", "13TruncatedAnywhere")
	_ = stub("F21", "ledger with flipped bits", "13FlippedBits")
	_ = stub("F22", "SIGTERM", "16Terminated")
	_ = stub("F23", "two daemons", "14OneDaemon")
	_ = stub("F24", "odd times of files", "18Clocks")
	_ = stub("F25", "swapped or deleted in work", "02SwapsWhileTheJobRuns")
	_ = stub("F26", "rewritten", "05Rewrites")
	_ = stub("F27", "poison", "11PoisonIsSetAside")
	_ = stub("F30", "nothing grows", "20NothingGrows")
	_ = stub("F33", "folders swapped for links", "21FoldersSwappedForLinks")
	_ = stub("F33", "links inside the input folder", "21LinksInsideTheInputFolder")
	_ = stub("F33", "folders renamed out", "21FoldersRenamedOut")
	_ = stub("F34", "output folders swapped for links", "22OutputFoldersSwappedForLinks")
	_ = stub("F35", "own files that are links", "23OwnFilesAreNoLinks")
	_ = stub("F38", "outputs that are not the daemon's", "24OthersKeepTheirNames")
	_ = stub("F38", "kill -9 while outputs exchange names", "24KilledAtAnyInstant")
	_ = stub("F41", "many files at the start", "20ManyFilesAtTheStart")
)

// stub adds a row that is a test of the package watch.
func stub(number, title, test string) bool {
	return fault(number, title+", watch with stubs", func(c *cases) { c.stub("TestPromise" + test) })
}

var (
	buildWatch sync.Once
	watchTest  string
	stubRow    = regexp.MustCompile(`\| (.*) \| (\d+) cases \| (\d+) failures \| worst (\S+) \|`)
	stubUse    = regexp.MustCompile(`(after +\d+: .*|ledger \d+ bytes a job|overflows of the queue: [1-9].*)`)
)

// stub runs a test of the package watch and takes over its rows. Without a worst time of its own, a row counts as one
// case that took the time of all.
func (c *cases) stub(test string) {
	if !*full {
		c.Skip("runs with the tests of package watch")
	}
	buildWatch.Do(func() {
		watchTest = filepath.Join(filepath.Dir(program), "watch.test")
		if out, err := exec.Command("go", "test", "-c", "-o", watchTest, "../../watch").CombinedOutput(); err != nil {
			c.Errorf("%v\n%s", err, out)
		}
	})
	cmd := exec.Command(watchTest, "-test.v", "-test.timeout", "3h", "-test.run", "^"+test+"$")
	cmd.Dir = "../../watch"
	if *full {
		cmd.Env = append(os.Environ(), "BLORC_WATCH_FULL=1")
	}
	start := time.Now()
	o := c.finish(cmd)
	if o.code != 0 {
		c.Errorf("exit code %d:\n%s%s", o.code, o.stdout, o.stderr)
	}
	var notes []string
	for _, r := range stubRow.FindAllStringSubmatch(o.stdout, -1) {
		cases, _ := strconv.Atoi(r[2])
		failures, _ := strconv.Atoi(r[3])
		worst, _ := time.ParseDuration(r[4])
		c.total += cases
		c.wrong += failures
		c.worst = max(c.worst, worst)
	}
	if c.total == 0 && strings.Contains(o.stdout, "--- SKIP") {
		c.Skip(o.stdout)
	}
	if c.total == 0 {
		c.Errorf("no row in\n%s", o.stdout)
	}
	if c.worst == 0 {
		c.worst = time.Since(start)
		notes = append(notes, "time of all")
	}
	for _, u := range stubUse.FindAllString(o.stdout, -1) {
		notes = append(notes, strings.TrimSpace(u))
	}
	c.note = strings.Join(notes, "; ")
}
