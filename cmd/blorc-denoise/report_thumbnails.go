package main

import (
	"hash/fnv"
	"image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/display"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// thumbnails are a part of a picture at 100 %, before and after, as JPEG files.
type thumbnails struct {
	width, height int // at most
	x, y          int
	low, high     float32 // these samples are shown as black and white
	before, after []byte
	fine          bool   // as good as JPEG can be
	of            [2]int // sides of the picture
}

// Limits on the pictures in a report, which a browser must still open.
const (
	manyFiles     = 300  // more have smaller pictures
	veryManyFiles = 1000 // and still smaller ones
	maxPictures   = 4000 // of more files, only some have pictures
)

// thumbnailsFor returns what makes the pictures of a file, or nil if it shall have none.
func thumbnailsFor(path string, files int) *thumbnails {
	t := &thumbnails{width: 128, height: 96}
	switch {
	case files <= manyFiles:
		t.width, t.height, t.fine = 256, 192, true
	case files <= veryManyFiles:
		t.width, t.height = 160, 120
	case files > maxPictures: // whichever they are, they are the same in each run
		h := fnv.New32a()
		h.Write([]byte(path))
		if int64(h.Sum32())*int64(files) > maxPictures<<32 {
			return nil
		}
	}
	return t
}

// look takes the part out of the first page.
func (t *thumbnails) look(page int, img *imageio.Image, denoised bool) {
	switch {
	case page != 0:
	case !denoised:
		t.of = [2]int{img.Width, img.Height}
		t.width, t.height = min(t.width, img.Width), min(t.height, img.Height)
		t.x, t.y = interesting(img, t.width, t.height)
		t.low, t.high = t.shownRange(img)
		t.before, t.after = t.encode(img), nil
	case t.of == [2]int{img.Width, img.Height}: // else only a part is written
		t.after = t.encode(img)
	}
}

// complete says whether both pictures are there.
func (t *thumbnails) complete() bool { return t != nil && t.before != nil && t.after != nil }

func (t *thumbnails) encode(img *imageio.Image) []byte {
	o := imageio.WriteOptions{Format: imageio.JPEG, Quality: 75, Subsampling: imageio.Subsampling420, Workers: 1}
	if t.fine {
		o.Quality, o.Subsampling = 90, imageio.Subsampling444
	}
	shown := display.Range{Low: t.low, High: t.high}
	data, err := display.Encode(shown.Picture(img, image.Rect(t.x, t.y, t.x+t.width, t.y+t.height)), o)
	if err != nil {
		return nil
	}
	return data
}

// shownRange returns the samples that are shown as black and white. A picture of a small part of its range would be all
// black or gray. Inks are shown as they are.
func (t *thumbnails) shownRange(img *imageio.Image) (low, high float32) {
	if img.Depth == imageio.Depth8 || len(img.Planes) == 4 {
		return 0, 1
	}
	var all []float32
	for _, p := range img.Planes {
		for y := t.y; y < t.y+t.height; y++ {
			all = append(all, p[y*img.Width+t.x:][:t.width]...)
		}
	}
	display.Blank([][]float32{all})
	slices.Sort(all)
	low, high = all[len(all)/200], all[len(all)-1-len(all)/200]
	const dark, flat = 0.35, 0.1
	fits := low >= 0 && high <= 1 && high >= dark && high-low >= flat
	if fits || !(high-low > 1e-6) {
		return 0, 1
	}
	return low, high
}

// blockSide is the side of the blocks whose means tell structure from noise.
const blockSide = 8

// interesting returns the corner of the part with most structure.
func interesting(img *imageio.Image, width, height int) (x, y int) {
	across, down := img.Width/blockSide, img.Height/blockSide
	w, h := width/blockSide, height/blockSide
	if across <= w && down <= h || w == 0 || h == 0 {
		return (img.Width - width) / 2, (img.Height - height) / 2
	}
	detail := blockDetail(img, across, down)
	best := -1.0
	stepX, stepY := max(1, w/2), max(1, h/2)
	for j := 0; j+h <= down; j += stepY {
		for i := 0; i+w <= across; i += stepX {
			sum := 0.0
			for b := j; b < j+h; b++ {
				for a := i; a < i+w; a++ {
					sum += detail[b*across+a]
				}
			}
			if sum > best {
				best, x, y = sum, i*blockSide, j*blockSide
			}
		}
	}
	return x, y
}

// blockDetail returns for each block how much its mean differs from those of its neighbours, up to a bound: much detail
// is more interesting than one strong edge.
func blockDetail(img *imageio.Image, across, down int) []float64 {
	means := make([]float64, across*down)
	for b := range down {
		for _, p := range img.Planes {
			for y := b * blockSide; y < (b+1)*blockSide; y += 2 {
				row := p[y*img.Width:]
				for a := range across {
					for _, v := range row[a*blockSide : (a+1)*blockSide] {
						means[b*across+a] += float64(v)
					}
				}
			}
		}
	}
	sorted := slices.Sorted(slices.Values(means))
	low, high := sorted[len(sorted)/50], sorted[len(sorted)-1-len(sorted)/50]
	bound := (high - low) / 8
	difference := func(a, b float64) float64 { return min(max(a-b, b-a), bound) }
	detail := make([]float64, len(means))
	for b := 1; b < down; b++ {
		for a := 1; a < across; a++ {
			i := b*across + a
			if v := means[i]; v > low && v < high { // not blown out
				detail[i] = difference(v, means[i-1]) + difference(v, means[i-across])
			}
		}
	}
	return detail
}
