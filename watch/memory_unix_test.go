//go:build linux || darwin

package watch

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/blorc-denoise/blorc-denoise/internal/disk/disktest"
)

// TestLimitMemoryUnderALowerLimit checks that a job starts where the system allows less memory than --memory. The
// bounds cannot be taken back, so a process of its own sets them.
func TestLimitMemoryUnderALowerLimit(t *testing.T) {
	const variable = "BLORC_WATCH_LOWER_LIMIT"
	if os.Getenv(variable) != "" {
		if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: 1 << 40, Max: 1 << 40}); err != nil {
			disktest.Lacks(t, err)
		}
		for _, most := range []uint64{1 << 41, 1 << 39} { // above what the system allows, and below
			if err := LimitMemory(int64(most)); err != nil {
				t.Error(err)
			}
			var limit unix.Rlimit
			if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur != min(most, 1<<40) ||
				limit.Max != limit.Cur {
				t.Errorf("a bound of %d: %+v, %v", most, limit, err)
			}
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), variable+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
