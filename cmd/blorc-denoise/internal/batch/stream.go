package batch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// Stream takes images one by one out of a stream: PNG files that follow each other, as of ffmpeg -f image2pipe, or a
// single file of any kind.
type Stream struct {
	r     io.Reader
	limit int64 // bytes of a file
	begun bool
}

// NewStream returns a Stream that reads from r and refuses files of more than limit bytes.
func NewStream(r io.Reader, limit int64) *Stream { return &Stream{r: r, limit: limit} }

// Next returns the bytes of the next file, or io.EOF after the last one. It checks no more of a PNG than
// the lengths of its chunks. Errors come from the reader, or are of the kinds of package imageio.
func (s *Stream) Next() ([]byte, error) {
	b := &bytes.Buffer{}
	if _, err := io.CopyN(b, s.r, int64(len(pngSignature))); err != nil && err != io.EOF {
		return nil, err
	}
	first := !s.begun
	s.begun = true
	switch {
	case b.String() == pngSignature:
		return s.png(b)
	case b.Len() == 0 && !first:
		return nil, io.EOF
	case !first:
		return nil, fmt.Errorf("%w: no PNG file follows the one before", imageio.ErrFormat)
	}
	if _, err := io.Copy(b, io.LimitReader(s.r, s.limit-int64(b.Len())+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > s.limit {
		return nil, s.tooLarge()
	}
	return b.Bytes(), nil
}

// png goes from chunk to chunk (W3C PNG specification, section 5.3): length, type, data and checksum.
func (s *Stream) png(b *bytes.Buffer) ([]byte, error) {
	for {
		const head, checksum = 8, 4
		if err := s.take(b, head); err != nil {
			return nil, err
		}
		chunk := b.Bytes()[b.Len()-head:]
		length, end := int64(binary.BigEndian.Uint32(chunk)), string(chunk[4:]) == "IEND"
		if err := s.take(b, length+checksum); err != nil {
			return nil, err
		}
		if end {
			return b.Bytes(), nil
		}
	}
}

func (s *Stream) take(b *bytes.Buffer, n int64) error {
	if int64(b.Len())+n > s.limit {
		return s.tooLarge()
	}
	_, err := io.CopyN(b, s.r, n)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: damaged PNG: %v", imageio.ErrFormat, io.ErrUnexpectedEOF)
	}
	return err
}

func (s *Stream) tooLarge() error {
	return fmt.Errorf("%w: file of more than %d bytes", imageio.ErrLimit, s.limit)
}
