package main

import (
	"errors"
	"image"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// cropValue is a flag that takes a part of an image.
type cropValue struct{ *image.Rectangle }

func (c cropValue) String() string {
	if c.Rectangle == nil || c.Empty() {
		return ""
	}
	return strings.Join([]string{strconv.Itoa(c.Min.X), strconv.Itoa(c.Min.Y), strconv.Itoa(c.Dx()),
		strconv.Itoa(c.Dy())}, ",")
}

func (c cropValue) Set(text string) error {
	const most = 1 << 30 // keeps sums from overflowing
	var v []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n > most {
			v = nil
			break
		}
		v = append(v, n)
	}
	if len(v) != 4 || v[2] == 0 || v[3] == 0 {
		return errors.New("must be X,Y,W,H: the left and upper edge, the width and the height in pixels, such as " +
			"0,0,640,480")
	}
	*c.Rectangle = image.Rect(v[0], v[1], v[0]+v[2], v[1]+v[3])
	return nil
}

func (c cropValue) Type() string { return "X,Y,W,H" }

// cropSuffix keeps a crop from taking the name of the whole result.
const cropSuffix = "-crop"

func addCrop(f *pflag.FlagSet, crop *image.Rectangle) {
	f.Var(cropValue{crop}, "crop",
		"write only this part of the image, in pixels, with the same samples as in the full result; the noise "+
			"estimate uses the whole image")
}
