package batch

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// ParseMemory reads a number of bytes with an optional suffix: 500M, 1.5G, 2GiB. All suffixes are powers of 1024.
func ParseMemory(text string) (int64, error) {
	units := map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
	t := strings.ToUpper(strings.TrimSpace(text))
	t = strings.TrimSuffix(strings.TrimSuffix(t, "B"), "I")
	number := strings.TrimRight(t, "KMGT")
	v, err := strconv.ParseFloat(number, 64)
	unit, ok := units[t[len(number):]]
	if err != nil || !ok || !(v > 0) || v*unit >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is not an amount of memory such as 500M or 2G", text)
	}
	return int64(v * unit), nil
}

// DefaultMemory returns half of the bytes that the process may have: of the machine's memory, or of the limit of its control group
// if that is smaller. Where neither is known it returns 2 GB.
func DefaultMemory() int64 {
	limit := int64(4 << 30)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kilobytes int64
		if _, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kilobytes); err == nil {
			limit = kilobytes << 10
		}
	}
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(path); err == nil {
			if v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && v > 0 {
				limit = min(limit, v)
			}
		}
	}
	return limit / 2
}
