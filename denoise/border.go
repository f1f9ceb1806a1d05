package denoise

import goimage "image"

const (
	// borderSpread is how far apart the samples of a row of a border may be, as a share of full scale: JPEG leaves a level or two.
	borderSpread = 2.5 / 255
	// mostOther is the share of samples of a row of a border that are not like its first one. Faint noise has more.
	mostOther = 0.1
	// borderBlur is how many samples next to a border JPEG has changed: a block, or two where chroma has half the size.
	borderBlur = 16
	// leastInside is the smallest side of a picture within borders.
	leastInside = 96
)

// withoutBorders returns the picture within even borders, such as the mat of a scan or the bars above and below a film. They say nothing
// of the noise, but look like a drawing. At is where it begins. Without borders it returns the image itself.
func (img image) withoutBorders() (picture image, at goimage.Point) {
	whole := goimage.Rect(0, 0, img.width, img.height)
	inside := whole
	for !inside.Empty() && img.isEven(goimage.Rect(inside.Min.X, inside.Min.Y, inside.Max.X, inside.Min.Y+1)) {
		inside.Min.Y++
	}
	for !inside.Empty() && img.isEven(goimage.Rect(inside.Min.X, inside.Max.Y-1, inside.Max.X, inside.Max.Y)) {
		inside.Max.Y--
	}
	for !inside.Empty() && img.isEven(goimage.Rect(inside.Min.X, inside.Min.Y, inside.Min.X+1, inside.Max.Y)) {
		inside.Min.X++
	}
	for !inside.Empty() && img.isEven(goimage.Rect(inside.Max.X-1, inside.Min.Y, inside.Max.X, inside.Max.Y)) {
		inside.Max.X--
	}
	inside = awayFrom(inside, whole)
	if inside == whole || inside.Dx() < leastInside || inside.Dy() < leastInside {
		return img, goimage.Point{}
	}
	return image{cutAll(img.planes, img.width, inside), inside.Dx(), inside.Dy()}, inside.Min
}

// awayFrom moves the sides that are not those of the whole inwards.
func awayFrom(inside, whole goimage.Rectangle) goimage.Rectangle {
	if inside.Min.X > whole.Min.X {
		inside.Min.X += borderBlur
	}
	if inside.Min.Y > whole.Min.Y {
		inside.Min.Y += borderBlur
	}
	if inside.Max.X < whole.Max.X {
		inside.Max.X -= borderBlur
	}
	if inside.Max.Y < whole.Max.Y {
		inside.Max.Y -= borderBlur
	}
	return inside
}

// isEven reports whether nearly all samples of a row or a column have one value, in each plane, and the others are near it.
func (img image) isEven(line goimage.Rectangle) bool {
	most := int(mostOther * float64(line.Dx()*line.Dy()))
	for _, p := range img.planes {
		first := p[line.Min.Y*img.width+line.Min.X]
		others := 0
		for y := line.Min.Y; y < line.Max.Y; y++ {
			for _, v := range p[y*img.width:][line.Min.X:line.Max.X] {
				if v == first {
					continue
				}
				if others++; others > most || !(v-first <= borderSpread && first-v <= borderSpread) {
					return false
				}
			}
		}
	}
	return true
}
