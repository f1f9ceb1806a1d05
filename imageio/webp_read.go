package imageio

import (
	"bytes"
	"image"
	"slices"
	"strings"

	"golang.org/x/image/webp"
)

// WebP files are RIFF containers (RFC 9649). Package webp decodes the pixels, but of lossy files without the
// interpolation of chroma and the scale of the samples that all programs use, so those are here.

// webpFile is what the chunks say.
type webpFile struct {
	width, height int64
	sized         bool // the chunks so far tell the size
	alpha         bool
	icc           []byte
	exif, xmp     []byte
}

// webpChunks reads the chunks as far as data goes.
func webpChunks(data []byte) (f webpFile, err error) {
	p, items := data[12:], 0
	for len(p) >= 8 {
		kind, size := string(p[:4]), int64(le32(p[4:]))
		body := p[8:min(int64(len(p)), 8+size)]
		if items++; items > maxItems {
			return f, failf(ErrLimit, "WebP of more than %d chunks", maxItems)
		}
		switch kind {
		case "VP8X":
			if len(body) < 10 {
				return f, nil
			}
			if body[0]&2 != 0 {
				return f, failf(ErrUnsupported, "animated WebP is not supported")
			}
			f.alpha, f.sized = body[0]&16 != 0, true
			f.width, f.height = 1+int64(le32(body[4:])&0xffffff), 1+int64(le32(body[6:])>>8)
		case "VP8 ":
			if len(body) < 10 {
				return f, nil
			}
			size := le32(body[6:])
			if err := f.picture(int64(size&0x3fff), int64(size>>16&0x3fff), false); err != nil {
				return f, err
			}
		case "VP8L":
			if len(body) < 5 {
				return f, nil
			}
			bits := le32(body[1:])
			if err := f.picture(1+int64(bits&0x3fff), 1+int64(bits>>14&0x3fff), bits>>28&1 != 0); err != nil {
				return f, err
			}
		case "ICCP":
			f.icc = slices.Clone(body)
		case "EXIF":
			f.exif = slices.Clone(bytes.TrimPrefix(body, []byte(headExif)))
		case "XMP ":
			f.xmp = slices.Clone(body)
		}
		if size += 8 + size&1; size >= int64(len(p)) {
			break
		}
		p = p[size:]
	}
	return f, nil
}

// picture takes the size of the pixels, and refuses one that differs from what is known.
func (f *webpFile) picture(w, h int64, alpha bool) error {
	switch {
	case !f.sized:
		f.width, f.height, f.alpha, f.sized = w, h, alpha, true
	case w != f.width || h != f.height:
		return damagedf(WebP, "a picture of %d x %d pixels in one of %d x %d", w, h, f.width, f.height)
	}
	return nil
}

func headWebP(data []byte, _ int64, o ReadOptions) (Info, error) {
	f, err := webpChunks(data)
	switch {
	case err != nil:
		return Info{}, err
	case !f.sized:
		return Info{}, errShort
	}
	if err := o.checkSize(WebP, f.width, f.height); err != nil {
		return Info{}, err
	}
	channels := 3
	if f.alpha {
		channels++
	}
	i := otherInfo(WebP, f.width, f.height, channels, Depth8)
	i.Scratch = 5 * f.width * f.height // the decoder's own picture, and what it needs for it
	return i, nil
}

func decodeWebP(data []byte, o ReadOptions) (*Image, error) {
	f, err := webpChunks(data)
	if err != nil {
		return nil, err
	}
	if size := int64(le32(data[4:])) + 8; size > int64(len(data)) {
		return nil, truncated(WebP)
	}
	if n := len(f.icc) + len(f.exif) + len(f.xmp); n > maxMetadata {
		return nil, tooMuchMetadata()
	}
	src, err := webp.Decode(endedReader{bytes.NewReader(data), o.Context})
	if err := ended(o.Context); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, webpError(err)
	}
	if err := f.picture(int64(src.Bounds().Dx()), int64(src.Bounds().Dy()), f.alpha); err != nil {
		return nil, err
	}
	var img *Image
	switch s := src.(type) {
	case *image.YCbCr:
		img = fromVP8(s, nil)
	case *image.NYCbCrA:
		img = fromVP8(&s.YCbCr, s)
	default:
		if img, err = fromImage(o.Context, src, false, f.alpha, WebP); err != nil {
			return nil, err
		}
	}
	img.Format = WebP
	turn := orientation(1)
	if f.exif != nil {
		turn = exifOrientation(f.exif)
	}
	img.Meta = otherMetadata(shared{icc: f.icc, exif: f.exif, xmp: f.xmp}, turn.change(img))
	turn.apply(img)
	return img, nil
}

// webpError turns an error of the decoder into a refusal, without the names of its packages.
func webpError(err error) error {
	text := err.Error()
	if strings.Contains(text, "EOF") {
		return truncated(WebP)
	}
	for _, prefix := range []string{"webp: ", "vp8: ", "vp8l: ", "riff: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return damagedf(WebP, "%s", text)
}

// fromVP8 converts the samples of a lossy file, whose luma is 16 to 235 (RFC 6386, section 9.2), to red, green and
// blue. Each chroma sample is weighted 9:3:3:1 with its neighbours. All is rounded as in libwebp.
func fromVP8(s *image.YCbCr, alpha *image.NYCbCrA) *Image {
	w, h := s.Rect.Dx(), s.Rect.Dy()
	img := newImage(w, h, 3, alpha != nil, Depth8, WebP)
	down := (h + 1) / 2
	cb, cr := make([]int, w), make([]int, w)
	line := func(p []byte, y int) []byte { return p[min(max(y, 0), down-1)*s.CStride:][:(w+1)/2] }
	for y := range h {
		near, far := y/2, y/2-1+2*(y&1)
		enlargeVP8(cb, line(s.Cb, near), line(s.Cb, far))
		enlargeVP8(cr, line(s.Cr, near), line(s.Cr, far))
		for x, v := range s.Y[y*s.YStride:][:w] {
			luma := int(v) * 19077 >> 8
			at := y*w + x
			img.Planes[0][at] = unitOf[clampVP8(luma+cr[x]*26149>>8-14234)]
			img.Planes[1][at] = unitOf[clampVP8(luma-cb[x]*6419>>8-cr[x]*13320>>8+8708)]
			img.Planes[2][at] = unitOf[clampVP8(luma+cb[x]*33050>>8-17685)]
		}
		if alpha != nil {
			for x, v := range alpha.A[y*alpha.AStride:][:w] {
				img.Alpha[y*w+x] = unitOf[v]
			}
		}
	}
	return img
}

// clampVP8 rounds a sample with 6 bits of fraction down.
func clampVP8(v int) byte { return byte(min(max(v>>6, 0), 255)) }

// enlargeVP8 stores a row of chroma samples of twice the width. near and far are the nearest two rows of the source.
func enlargeVP8(dst []int, near, far []byte) {
	dst[0] = (3*int(near[0]) + int(far[0]) + 2) >> 2
	last := len(dst) - 1
	for i := 1; 2*i-1 <= last; i++ {
		a, c := int(near[i-1]), int(far[i-1])
		if i == len(near) { // the last of an even number
			dst[last] = (3*a + c + 2) >> 2
			return
		}
		b, d := int(near[i]), int(far[i])
		sum := a + b + c + d + 8
		dst[2*i-1] = ((sum+2*(b+c))>>3 + a) >> 1
		if 2*i <= last {
			dst[2*i] = ((sum+2*(a+d))>>3 + b) >> 1
		}
	}
}
