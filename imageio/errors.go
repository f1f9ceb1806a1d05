package imageio

import (
	"errors"
	"fmt"
	"image/png"
	"io"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// The kinds of error. Test for them with errors.Is. The text of an error is one line without the name of the file, so
// that it can follow "PATH: ". Errors of other kinds come from the file system or from an io.Writer.
var (
	// ErrFormat means that the file is not an image or is damaged, or that an Image to be written is not valid.
	ErrFormat = errors.New("not a valid image")
	// ErrUnsupported means that this package does not read or write this kind of image.
	ErrUnsupported = errors.New("kind of image not supported")
	// ErrLimit means that the file or the image is larger than allowed.
	ErrLimit = errors.New("image larger than the limit")
	// ErrPixels is an ErrLimit: the picture has more pixels than ReadOptions.MaxPixels.
	ErrPixels error = &refusal{ErrLimit, "more pixels than the limit"}
	// ErrPartial is an ErrFormat: the picture of a file is damaged or cut short, but ReadOptions.KeepDamaged would keep
	// what is there of it, if anything.
	ErrPartial error = &refusal{ErrFormat, "part of a picture"}
	// ErrInvalid is an ErrFormat: samples are NaN or infinite, but ReadOptions.KeepInvalid would read them.
	ErrInvalid error = &refusal{ErrFormat, "samples that are no numbers"}
	// ErrArgument means that the caller passed a nil image, writer or function, an option that is out of range, a page
	// that does not exist, or a Reader that is closed.
	ErrArgument = errors.New("wrong argument")
	// ErrNotFlushed: the file has been written whole and has its name, but its folder could not be flushed,
	// so a loss of power may undo that.
	ErrNotFlushed = disk.ErrNotFlushed
)

// refusal is an error with its own text that unwraps to its kind.
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

// truncated returns the error for a file that ends too early.
func truncated(f Format) error { return damagedf(f, "%v", io.ErrUnexpectedEOF) }

// pngError turns an error of the PNG decoder of the standard library into a refusal, without that decoder's prefix.
func pngError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return truncated(PNG)
	}
	var p png.UnsupportedError
	text := err.Error()
	if errors.As(err, &p) {
		_, feature, _ := strings.Cut(text, "feature: ")
		return failf(ErrUnsupported, "PNG with %s is not supported", feature)
	}
	if _, detail, ok := strings.Cut(text, "format: "); ok {
		text = detail
	}
	return damagedf(PNG, "%s", text)
}
