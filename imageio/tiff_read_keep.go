package imageio

import (
	"errors"
	"fmt"
	"image"
	"io/fs"
)

// maxMissing is how many times less data than a whole page needs a damaged page must have that is kept. Else small
// files could cause any amount of work.
const maxMissing = 16

// missingBlock stands for a strip or tile that is not in the file.
var missingBlock = block{}

// blockIn returns the part of a strip or tile that lies in the file.
func (d *ifd) blockIn(at, size uint64) block {
	if at >= uint64(d.size) || size == 0 {
		return missingBlock
	}
	return block{int64(at), int64(min(size, uint64(d.size)-at))}
}

// padded returns n numbers: those given, and zeros.
func padded(v []uint64, n int64) []uint64 {
	if int64(len(v)) < n {
		v = append(v, make([]uint64, n-int64(len(v)))...)
	}
	return v
}

// lostBlocks are the areas of strips and tiles that could not be read.
type lostBlocks struct {
	areas []image.Rectangle
	why   []string // what was wrong with some of them
	first error
}

// lose remembers the area of strip or tile i that could not be read after the first rows. It returns errors that
// another try may not meet.
func (l *lostBlocks) lose(i int, a tiffArea, rows int64, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) || !errors.Is(err, ErrFormat) {
		return err
	}
	if top := a.y + min(rows, a.rows); top < a.y+a.rows {
		l.areas = append(l.areas, image.Rect(int(a.x), int(top), int(a.x+a.width), int(a.y+a.rows)))
	}
	const most = 4
	if l.first == nil {
		l.first = err
	}
	if len(l.why) < most {
		l.why = append(l.why, err.Error())
	}
	return nil
}

// blacken clears areas of planes.
func blacken[T any](planes [][]T, width int, areas []image.Rectangle) {
	for _, a := range areas {
		for _, p := range planes {
			for y := a.Min.Y; y < a.Max.Y; y++ {
				clear(p[y*width+a.Min.X : y*width+a.Max.X])
			}
		}
	}
}

// apply makes the lost areas of an image black, and says what is missing of it. It returns the first error if nothing
// is there.
func (l *lostBlocks) apply(img *Image) error {
	if img.MissingBottom = l.bottom(img.Width, img.Height); img.MissingBottom == img.Height {
		return l.first
	}
	blacken(img.channels(), img.Width, l.areas)
	blacken(img.stored.wide, img.Width, l.areas)
	img.Warnings = append(img.Warnings, l.why...)
	shown := image.Rect(0, 0, img.Width, img.Height-img.MissingBottom)
	for _, a := range l.areas {
		if a = a.Intersect(shown); !a.Empty() {
			img.Holes = append(img.Holes, a)
		}
	}
	switch n := len(img.Holes); {
	case img.MissingBottom > 0:
		img.Warnings = append(img.Warnings, fmt.Sprintf("samples of rows %d to %d of %d are missing, and stay black",
			shown.Max.Y+1, img.Height, img.Height))
	case n > 0:
		a := img.Holes[0]
		img.Warnings = append(img.Warnings,
			fmt.Sprintf("%d parts of the picture are missing, the first at columns %d to %d, rows %d to %d, and stay "+
				"black",
				n, a.Min.X+1, a.Max.X, a.Min.Y+1, a.Max.Y))
	}
	return nil
}

// bottom returns how many rows at the bottom are lost from edge to edge.
func (l *lostBlocks) bottom(width, height int) int {
	lost := make([]int, height) // samples of each row; blocks of planes count for each of them
	for _, a := range l.areas {
		for y := a.Min.Y; y < a.Max.Y; y++ {
			lost[y] += a.Dx()
		}
	}
	n := 0
	for n < height && lost[height-1-n] >= width {
		n++
	}
	return n
}
