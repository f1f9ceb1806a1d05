package imageio

import (
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// IsTemp says whether a file name, with or without folder, is of the kind that WriteFileAtomic gives its temporary
// files: ".blorc-", 16 hexadecimal digits, ".tmp".
func IsTemp(name string) bool { return disk.IsTemp(name) }

// SweepTemp removes the temporary files that killed processes left in a folder, not its subfolders. It spares those
// written to within the time given, so that no running process loses its own. It goes on past errors and returns them
// joined.
func SweepTemp(dir string, olderThan time.Duration) (removed int, err error) {
	return disk.SweepTemp(dir, olderThan)
}
