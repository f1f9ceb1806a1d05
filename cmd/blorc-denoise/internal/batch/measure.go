package batch

import (
	"fmt"
	"math/bits"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Size is what a plan knows about an image file before it is read.
type Size struct {
	Width, Height int64 // pixels of the first page; 0 if the headers cannot be read
	Bytes         int64 // size of the file
	Memory        int64 // estimate of the bytes of memory that the file takes
}

// Estimate returns about the bytes of memory that it takes to read, denoise and write a file. The Info is zero if the
// headers cannot be read.
type Estimate func(info imageio.Info, fileBytes int64) int64

// Measure reads the size from the headers of a regular file. It returns sizes of 0 for anything else. A file that o
// refuses has no width and height; reading it will fail with the reason.
func Measure(it Item, o imageio.ReadOptions, estimate Estimate) Size {
	if it.Info == nil || !it.Info.Mode().IsRegular() {
		return Size{}
	}
	s := Size{Bytes: it.Info.Size()}
	if it.Other {
		return s
	}
	info, _ := imageio.ReadInfo(it.Path, o)
	s.Width, s.Height = int64(info.Width), int64(info.Height)
	s.Memory = estimate(info, s.Bytes)
	return s
}

// maxSide keeps products of sides and bytes within 63 bits.
const maxSide = 1 << 28

// Pixels returns the pixels of the first page, or 0 if they are not known.
func (s Size) Pixels() int64 {
	if s.Width <= 0 || s.Height <= 0 || s.Width > maxSide || s.Height > maxSide {
		return 0
	}
	return s.Width * s.Height
}

// ErrMemory means that a file takes more memory than allowed. It is an imageio.ErrLimit.
var ErrMemory = fmt.Errorf("%w", imageio.ErrLimit)

// Check refuses a file that takes more memory than limit bytes. The error is ErrMemory. A file whose headers cannot be
// read is not refused, because nothing is known of its memory and reading it gives the reason.
func (s Size) Check(limit int64) error {
	if s.Memory > limit && s.Width > 0 {
		return fmt.Errorf("%w: %d x %d pixels take about %s of memory, limit is %s", ErrMemory, s.Width, s.Height,
			size(s.Memory), size(limit))
	}
	return nil
}

// size writes megabytes, rounded up, or less than one in bytes.
func size(bytes int64) string {
	if bytes < 1_000_000 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%d MB", (bytes+999_999)/1_000_000)
}

// class is equal for files that take a similar amount of memory.
func (s Size) class() int { return bits.Len64(uint64(s.Memory)) }
