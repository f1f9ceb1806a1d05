package batch

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// tileSide is the side in pixels of the windows that package denoise works in. It must agree with that package.
const tileSide = 3776

// EstimateMemory is the default Estimate. It counts
//   - the bytes of the file, which are in memory for PNG and JPEG,
//   - the planes of float32 of the largest page,
//   - the memory for reading and writing them, or that of the models, whichever is more. The models take 26 bytes for
//     each pixel of a tile, as measured on images of 12 to 100 megapixels,
//   - and 16 MB for the program.
//
// If the Info is zero, it takes the file for an uncompressed image with a byte per sample.
func EstimateMemory(info imageio.Info, fileBytes int64) int64 {
	const fixed, window = 16 << 20, 26
	samples, pixels := info.Samples, info.Samples
	switch {
	case samples == 0:
		samples, pixels = fileBytes, fileBytes
	case info.Pages == 1:
		pixels = samples / int64(info.Channels)
	}
	if info.Format == imageio.TIFF { // read in parts
		fileBytes = 0
	}
	return fixed + fileBytes + 4*samples + max(info.Scratch, window*min(pixels, tileSide*tileSide))
}

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

// DefaultMemory returns the bytes of memory that a batch may take by default: half the memory of the machine, or half the
// limit of the control group if that is less. It returns 2 GB if neither is known.
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
