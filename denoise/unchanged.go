package denoise

import (
	"bytes"
	"errors"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// errUnchanged ends the writing of a file of which nothing has changed (see pages.original).
var errUnchanged = errors.New("nothing has changed")

// original returns the bytes of a JPEG file if the output may be the same bytes. Writing the same samples again as JPEG
// would quantise them once more. It returns nil for other formats, which keep the same samples, and if the options ask
// for another file.
func (p *pages) original() []byte {
	w := p.o.Write
	if p.in.Info().Format != imageio.JPEG || w.Format != 0 && w.Format != imageio.JPEG {
		return nil
	}
	if w.Quality > 0 || w.Subsampling != imageio.SubsamplingSource || w.Strip || w.Note != "" || !p.o.Crop.Empty() ||
		len(p.o.Shots) > 0 {
		return nil
	}
	return p.in.Bytes()
}

// isOriginal reports whether the output of a page is its file as it was read. Files that could be read only in part are
// written again.
func (p *pages) isOriginal(img *imageio.Image, r Result) bool {
	return p.bytes != nil && r.Model == "" && r.Hot == 0 && len(img.Warnings) == 0
}

// reader returns a reader of the bytes of the file.
func (p *pages) reader() *bytes.Reader { return bytes.NewReader(p.bytes) }
