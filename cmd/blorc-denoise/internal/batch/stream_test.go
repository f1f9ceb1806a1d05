package batch

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

func all(s *Stream) (files [][]byte, err error) {
	for {
		f, err := s.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
}

func TestStream(t *testing.T) {
	a, b, c := encoded(t, imageio.PNG, 5, 3), encoded(t, imageio.PNG, 50, 30), encoded(t, imageio.JPEG, 9, 9)
	for _, want := range [][][]byte{{a}, {a, b}, {b, a, a}, {c}, {{}}, {[]byte("text")}} {
		data := bytes.Join(want, nil)
		for _, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data))} {
			got, err := all(NewStream(r, 1<<20))
			if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("%d files, %v; want %d", len(got), err, len(want))
			}
		}
	}
	// Cut anywhere but between files: those before come, then an error of the format.
	data := slices.Concat(a, b)
	for n := 1; n < len(data); n++ {
		got, err := all(NewStream(bytes.NewReader(data[:n]), 1<<20))
		want := 0
		if n >= len(a) {
			want = 1
		}
		switch {
		case n < len(pngSignature): // anything may begin so; the decoder says what it is
		case n == len(a):
			if err != nil || len(got) != 1 {
				t.Errorf("cut between files: %d, %v", len(got), err)
			}
		case !errors.Is(err, imageio.ErrFormat) || len(got) != want:
			t.Errorf("cut at %d: %d files, %v", n, len(got), err)
		}
	}
	for _, bad := range [][]byte{b, c, append(slices.Clone(a[:8]), "\xff\xff\xff\xffIDAT"...)} {
		if _, err := all(NewStream(bytes.NewReader(bad), int64(20))); !errors.Is(err, imageio.ErrLimit) {
			t.Errorf("over the limit: %v", err)
		}
	}
	long := bytes.NewReader(make([]byte, 1<<20))
	if _, err := NewStream(long, 20).Next(); !errors.Is(err, imageio.ErrLimit) || long.Len() != 1<<20-21 {
		t.Errorf("all but %d bytes are read: %v", long.Len(), err)
	}
	if _, err := all(NewStream(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(a))),
		1<<20)); err != iotest.ErrTimeout {
		t.Errorf("an error of the reader: %v", err)
	}
}

func FuzzStream(f *testing.F) {
	a := encoded(f, imageio.PNG, 5, 3)
	f.Add(append(a, a...))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := all(NewStream(bytes.NewReader(data), 1<<20))
		if joined := bytes.Join(files, nil); err == nil && !bytes.Equal(joined, data) {
			t.Errorf("%d bytes became %d", len(data), len(joined))
		}
	})
}
