package imageio

import (
	"cmp"
	"fmt"
	"slices"
)

// salvageable turns the error of damaged scans, of which a part of the picture could be read, into an ErrPartial.
func salvageable(err error) error {
	if r, ok := err.(*refusal); ok && r.kind == ErrFormat {
		return &refusal{ErrPartial, r.text}
	}
	return err
}

// warnings returns what is wrong with the segments of metadata. libjpeg warns of the same.
func (h *jpegHeader) warnings() (list []string) {
	if h.components == 4 && !h.coding().adobe {
		list = append(list, "CMYK without an Adobe segment is read as Adobe stores it, with 0 for full ink")
	}
	for _, s := range h.segments {
		switch {
		case s.has(markerAPP0, headJFIF) && len(s.body) >= 14 && s.body[5] != 1:
			list = append(list, fmt.Sprintf("unknown JFIF version %d.%02d", s.body[5], s.body[6]))
		case s.has(markerAPP14, headAdobe) && len(s.body) >= 12:
			v := s.body[11]
			if h.components == 3 && v > 1 || h.components == 4 && v != 0 && v != 2 {
				list = append(list, fmt.Sprintf("unknown Adobe colour transform %d", v))
			}
		}
		if len(list) == 4 {
			break
		}
	}
	return list
}

// damage adds a warning of what ends the reading of a file that is not to be kept.
func (d *jpegDecoder) damage(format string, args ...any) {
	d.damaged = cmp.Or(d.damaged, fmt.Sprintf(format, args...))
	d.warn(format, args...)
}

// warn adds a warning, unless it is there already.
func (d *jpegDecoder) warn(format string, args ...any) {
	const most = 8
	if w := fmt.Sprintf(format, args...); len(d.warnings) < most && !slices.Contains(d.warnings, w) {
		d.warnings = append(d.warnings, w)
	}
}
