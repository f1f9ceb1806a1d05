// Package losslessjpeg reads and writes lossless JPEG with Huffman coding (ITU-T T.81, process 14), in which DNG files
// hold the samples of a sensor. It is not JPEG-LS, and not the JPEG of photographs.
package losslessjpeg

import (
	"errors"
	"fmt"
)

// ErrData means that the bytes are no lossless JPEG, or are damaged.
var ErrData = errors.New("bad lossless JPEG")

func badf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrData, fmt.Sprintf(format, args...))
}

// Header is the size of a picture and of its samples.
type Header struct {
	Width, Height int // of each component
	Components    int // samples of a pixel, which follow each other
	Bits          int // of a sample, 2 to 16
}

// Samples returns the number of samples of the picture.
func (h Header) Samples() int { return h.Width * h.Height * h.Components }

// Markers (T.81, table B.1).
const (
	markerSOF3 = 0xc3
	markerDHT  = 0xc4
	markerRST0 = 0xd0
	markerSOI  = 0xd8
	markerEOI  = 0xd9
	markerSOS  = 0xda
	markerDRI  = 0xdd
)

// maxComponents is how many components a scan may have.
const maxComponents = 4

// categories is the number of categories of differences: 0 to 16 bits.
const categories = 17
