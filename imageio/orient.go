package imageio

import "image"

// orientation is the value of the Exif tag 0x0112 (JEITA CP-3451, section 4.6.4), which is tag 274 of TIFF 6.0. It says
// how the stored rows and columns lie in the upright picture. Values outside 1 to 8 count as 1, upright.
type orientation uint32

const tagOrientation = 274

// transposed reports whether stored rows are columns of the upright picture.
func (o orientation) transposed() bool { return o >= 5 && o <= 8 }

// turns reports whether the upright picture is another than the stored one.
func (o orientation) turns() bool { return o >= 2 && o <= 8 }

// mirrored reports which stored axes run backwards.
func (o orientation) mirrored() (x, y bool) {
	switch o {
	case 2, 8:
		return true, false
	case 3, 7:
		return true, true
	case 4, 6:
		return false, true
	}
	return false, false
}

// apply turns the image upright. It works plane by plane, so that it needs memory for one more plane.
func (o orientation) apply(img *Image) {
	if o < 2 || o > 8 {
		return
	}
	w, h := img.Width, img.Height
	for _, list := range [][][]float32{img.Planes, img.Extra} {
		for i, p := range list {
			list[i] = upright(o, p, w, h)
		}
	}
	for i, p := range img.stored.wide {
		img.stored.wide[i] = upright(o, p, w, h)
	}
	if img.Alpha != nil {
		img.Alpha = upright(o, img.Alpha, w, h)
	}
	for i, r := range img.Holes {
		img.Holes[i] = o.rectangle(r, w, h)
	}
	if o.transposed() {
		img.Width, img.Height = h, w
	}
	switch n := img.MissingBottom; o { // where the bottom of the stored picture goes
	case 3, 4:
		img.MissingBottom, img.MissingTop = 0, n
	case 5, 8:
		img.MissingBottom, img.MissingRight = 0, n
	case 6, 7:
		img.MissingBottom, img.MissingLeft = 0, n
	}
}

// change is what happens to the picture, which is not turned yet.
func (o orientation) change(img *Image) change {
	return change{turn: o, was: image.Pt(img.Width, img.Height)}
}

// upright returns the upright copy of a stored plane of w x h samples. The upright sample (x, y) is stored at
// start + x*right + y*down.
func upright[T any](o orientation, src []T, w, h int) []T {
	start, right, down := 0, 1, w
	mirrorX, mirrorY := o.mirrored()
	if mirrorX {
		start, right = start+w-1, -right
	}
	if mirrorY {
		start, down = start+(h-1)*w, -down
	}
	if o.transposed() {
		right, down = down, right
		w, h = h, w
	}
	dst := make([]T, len(src))
	for y := range h {
		row, at := dst[y*w:(y+1)*w], start+y*down
		for x := range row {
			row[x] = src[at+x*right]
		}
	}
	return dst
}

// rectangle returns where a part of a stored picture of w x h pixels lies in the upright one.
func (o orientation) rectangle(r image.Rectangle, w, h int) image.Rectangle {
	mirrorX, mirrorY := o.mirrored()
	if mirrorX {
		r.Min.X, r.Max.X = w-r.Max.X, w-r.Min.X
	}
	if mirrorY {
		r.Min.Y, r.Max.Y = h-r.Max.Y, h-r.Min.Y
	}
	if o.transposed() {
		r = image.Rect(r.Min.Y, r.Min.X, r.Max.Y, r.Max.X)
	}
	return r
}
