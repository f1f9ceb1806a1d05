package denoise

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests in a folder of their own, because the examples write files.
func TestMain(m *testing.M) { os.Exit(inTempFolder(m)) }

func inTempFolder(m *testing.M) int {
	dir, err := os.MkdirTemp("", "denoise")
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	return m.Run()
}
