package imageio

import (
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// The kinds of refusal, to be told apart with errors.Is. Their texts are one line without the
// file's name, fit to stand after "PATH: ". Other errors come from the file system.
var (
	// ErrFormat: the file is no image, or a damaged one.
	ErrFormat = errors.New("not a valid image")
	// ErrUnsupported: the file is valid as far as can be seen, but not read (or written) here.
	ErrUnsupported = errors.New("kind of image not supported")
	// ErrLimit: the file or the image is larger than allowed.
	ErrLimit = errors.New("image larger than the limit")
	// ErrNotFlushed: the file has been written whole and has its name, but its folder could not be flushed,
	// so a loss of power may undo that.
	ErrNotFlushed = disk.ErrNotFlushed
)

// refusal has a text of its own and unwraps to its kind.
type refusal struct {
	kind error
	text string
}

func (e *refusal) Error() string { return e.text }
func (e *refusal) Unwrap() error { return e.kind }

func failf(kind error, format string, args ...any) error {
	return &refusal{kind, fmt.Sprintf(format, args...)}
}

func damagedf(f Format, format string, args ...any) error {
	return failf(ErrFormat, "damaged %v: %s", f, fmt.Sprintf(format, args...))
}

// truncated is what every decoder says of a file that ends too early.
func truncated(f Format) error { return damagedf(f, "%v", io.ErrUnexpectedEOF) }

// decoderError turns an error of a stock decoder into a refusal, without the decoder's own prefix.
func decoderError(f Format, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return truncated(f)
	}
	var (
		p png.UnsupportedError
		j jpeg.UnsupportedError
	)
	text := err.Error()
	if errors.As(err, &p) || errors.As(err, &j) {
		_, feature, _ := strings.Cut(text, "feature: ")
		return failf(ErrUnsupported, "%v with %s is not supported", f, feature)
	}
	if _, detail, ok := strings.Cut(text, "format: "); ok {
		text = detail
	}
	return damagedf(f, "%s", text)
}
