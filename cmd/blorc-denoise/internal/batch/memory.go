package batch

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

// DefaultMemory returns half of the bytes that the process may have: of the machine's memory, or of the limit of its
// control group if that is smaller. Where neither is known it returns 2 GB. A program of 32 bits reaches 2 to 4 GB of
// whatever the machine has, and is counted to have 2 GB.
func DefaultMemory() int64 { return halfOfMemory(os.DirFS("/")) }

// halfOfMemory is DefaultMemory for the root of a file system.
func halfOfMemory(root fs.FS) int64 {
	limit := int64(4 << 30)
	if text, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		var kilobytes int64
		if _, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kilobytes); err == nil {
			limit = kilobytes << 10
		}
	}
	for _, path := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := fs.ReadFile(root, path); err == nil {
			if v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && v > 0 {
				limit = min(limit, v)
			}
		}
	}
	return min(limit, math.MaxInt) / 2
}
