package imageio

import (
	"math"
	"regexp"
)

// Tags that describe an ImageJ stack, besides the image description.
const (
	tagImageJCounts = 50838
	tagImageJ       = 50839
)

// imageJStack writes a stack for ImageJ, which reads all images in one run from the first strip on if the image
// description says how many there are. So the first directory is followed by the pixels of all images, and then by the
// other directories if the source had any.
type imageJStack struct {
	*tiffWriter
	first Image  // of the stack, without its samples
	rest  []byte // the directories after the first
	at    int64  // where rest will be, or 0 if there is none
	base  int64  // where the pixels begin
}

// isStack reports whether the image is the first of a stack that ImageJ has described. ImageJ reads compressed files by
// their directories.
func (t *tiffWriter) isStack(img *Image) bool {
	m := img.fromTIFF()
	return t.pages > 1 && !t.o.Strip && m.stack == t.pages && !m.compressed()
}

// page writes the next image of the stack.
func (s *imageJStack) page(img *Image) error {
	p := s.plan(img)
	p.tiled, p.width, p.height = false, img.Width, img.Height
	p.counts = []uint64{uint64(imageSize(img))}
	if s.done == 0 {
		s.first = Image{Width: img.Width, Height: img.Height, Planes: make([][]float32, len(img.channels())),
			Depth: img.Depth}
		if err := s.head(p); err != nil {
			return err
		}
	} else if err := s.check(img); err != nil {
		return err
	}
	// the only strip may be large
	rows := &tiffPlan{img: img, width: img.Width, height: max(1, stripBytes/rowSize(img))}
	if err := rows.blocks(s.form.order, s.o.White, s.write); err != nil {
		return err
	}
	if s.done > 0 && s.at > 0 {
		s.append(p)
	}
	if s.done == s.pages-1 && s.at > 0 {
		return s.write(append(make([]byte, s.at-s.tiffWriter.at), s.rest...))
	}
	return nil
}

// head writes the first directory. If the others would lie where no offset of 32 bits leads to, they are left out.
// ImageJ does not look at them.
func (s *imageJStack) head(p *tiffPlan) error {
	p.offsets = []uint64{0}
	if err := s.write(s.form.header(s.form.headerSize())); err != nil {
		return err
	}
	s.base = s.tiffWriter.at + s.form.size(s.directory(p))
	p.offsets[0] = uint64(s.base)
	end := even(s.base + int64(s.pages)*int64(p.counts[0]))
	room := int64(math.MaxUint32) - int64(s.pages)*(s.form.size(s.directory(p))+1024)
	if p.img.Meta.tiff.chained && (s.form.big || end < room) {
		s.at = end
	}
	return s.write(s.form.put(s.directory(p), s.tiffWriter.at, s.at))
}

// check refuses an image that is not like the first.
func (s *imageJStack) check(img *Image) error {
	f := &s.first
	if img.Width != f.Width || img.Height != f.Height || len(img.channels()) != len(f.Planes) || img.Depth != f.Depth {
		return failf(ErrUnsupported, "a stack of images of different kinds")
	}
	return nil
}

// append adds the directory of an image that is not the first.
func (s *imageJStack) append(p *tiffPlan) {
	p.offsets = []uint64{uint64(s.base + int64(s.done)*int64(p.counts[0]))}
	d := s.directory(p)
	at := s.at + int64(len(s.rest))
	next := at + s.form.size(d)
	if s.done == s.pages-1 {
		next = 0
	}
	s.rest = append(s.rest, s.form.put(d, at, next)...)
}

// kept returns the tags of the metadata that stay true in this file.
func (t *tiffWriter) kept(img *Image) directory {
	d := img.Meta.tiffTags(t.form.order, t.o.Strip)
	if note := d.placed(); note != nil && (t.done > 0 || t.stack != nil || note.place < t.form.headerSize() ||
		note.end() > 2*imageSize(img)+maxGap) {
		d = d.unplaced()
	}
	e := d.find(tagDescription)
	if e == nil || e.typ != typeASCII {
		return d
	}
	if imagesOf(string(e.data)) > 1 && t.pages == 1 { // a page that was taken out of a stack
		return d.without(tagDescription, tagImageJCounts, tagImageJ)
	}
	var out directory
	for _, e := range d {
		if e.id == tagDescription && e.typ == typeASCII {
			if e.data = t.description(img, e.data); len(e.data) == 0 {
				continue
			}
			e.count = uint64(len(e.data))
		}
		out = append(out, e)
	}
	return out
}

// description changes an image description to suit the new file.
func (t *tiffWriter) description(img *Image, text []byte) []byte {
	switch n := imagesOf(string(text)); {
	case n > 1 && t.stack == nil && !t.plan(img).compressed():
		// The images are not in one run. Without their number ImageJ looks at the directories.
		text = imagesLine.ReplaceAll(text, nil)
	default:
		text = ownOMEPlanes(text)
	}
	if t.o.Depth != 0 && img.Depth == t.o.Depth {
		text = deepOME(text, img.Depth)
	}
	if img.Meta.tiff != nil {
		text = withShape(text, img.Meta.tiff.shape, newShape(img))
	}
	return text
}

var imagesLine = regexp.MustCompile(`(?m)^images=.*\n`)

// kind is what all images of an ImageJ stack have in common.
type kind struct {
	width, height int64
	channels      int
	bits          uint32
	photometric   uint32
	depth         Depth
}

func (l *tiffLayout) kind() kind {
	k := kind{l.width, l.height, int(l.samples), l.bits, l.photometric, l.depth()}
	if l.turn.transposed() {
		k.width, k.height = k.height, k.width
	}
	return k
}
