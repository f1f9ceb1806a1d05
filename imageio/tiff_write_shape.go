package imageio

import (
	"bytes"
	"regexp"
	"strconv"
)

// pageShape is how the samples of a page lie in its file.
type pageShape struct {
	width, height, samples int
	planar                 bool // sample by sample
}

func (l *tiffLayout) shape() pageShape {
	return pageShape{int(l.width), int(l.height), int(l.samples), l.planar && l.samples > 1}
}

// newShape returns how an image is written.
func newShape(img *Image) pageShape {
	return pageShape{width: img.Width, height: img.Height, samples: len(img.channels())}
}

var (
	truncatedEntry = regexp.MustCompile(`(, )?"truncated": true(, )?`)
	shapeEntry     = regexp.MustCompile(`"(?:shape": \[[\d, ]*\]|axes": "\w*")(?:, )?`)
	omePixels      = regexp.MustCompile(`<(?:\w+:)?Pixels\s[^>]*>`)
	omeSize        = regexp.MustCompile(`(\sSize([XY])\s*=\s*["'])\d+`)
)

// withShape changes an image description that says what shape the page has, where that is no longer true. Programs
// believe the description more than the tags. OME-XML gets the new size. What tifffile has written loses its shape:
// without it, tifffile takes that of the tags. A text that says nothing more becomes empty.
func withShape(text []byte, was, is pageShape) []byte {
	if bytes.HasPrefix(text, []byte("{")) && bytes.Contains(text, []byte(`"shape": [`)) {
		text = wholeShape(text)
	}
	switch {
	case was == is || was == pageShape{}:
		return text
	case bytes.HasPrefix(text, []byte("{")) && bytes.Contains(text, []byte(`"shape": [`)):
		return withoutShape(text)
	case was.width == is.width && was.height == is.height: // of all pages; those of an OME-TIFF may have other sizes
		return text
	}
	return omePixels.ReplaceAllFunc(text, func(element []byte) []byte {
		return omeSize.ReplaceAllFunc(element, func(size []byte) []byte {
			part, n := omeSize.FindSubmatch(size), is.width
			if string(part[2]) == "Y" {
				n = is.height
			}
			return strconv.AppendInt(bytes.Clone(part[1]), int64(n), 10)
		})
	})
}

// wholeShape takes out of a JSON object of tifffile that not all images have a directory: in the new file they have.
func wholeShape(text []byte) []byte {
	return truncatedEntry.ReplaceAllFunc(text, func(entry []byte) []byte {
		if bytes.HasPrefix(entry, []byte(",")) && bytes.HasSuffix(entry, []byte(" ")) {
			return []byte(", ")
		}
		return nil
	})
}

// withoutShape takes the shape and the names of its axes out of a JSON object of tifffile.
func withoutShape(text []byte) []byte {
	text = shapeEntry.ReplaceAll(text, nil)
	text = bytes.Replace(text, []byte(", }"), []byte("}"), 1)
	if string(bytes.TrimRight(text, "\x00")) == "{}" {
		return nil
	}
	return text
}
