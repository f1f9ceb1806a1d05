package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

const (
	longestRequest = 1 << 16 // bytes of the line of a request
	longestPart    = 1 << 20 // bytes of a part of an answer
)

// request is the line before an image.
type request struct {
	Flags []string `json:"flags"`
	Bytes int64    `json:"bytes"`
}

// readRequest reads the line of a request. It returns io.EOF if there is none.
func readRequest(r *bufio.Reader) (q request, err error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return q, fmt.Errorf("%w: the line of a request has more than %d bytes", imageio.ErrLimit, longestRequest)
	case errors.Is(err, io.EOF) && len(line) > 0:
		return q, fmt.Errorf("%w: the line of a request is cut off", imageio.ErrFormat)
	case err != nil:
		return q, err
	}
	if err := json.Unmarshal(line, &q); err != nil {
		return q, fmt.Errorf("%w: the line of a request is no JSON: %v", imageio.ErrFormat, err)
	}
	if q.Bytes < 0 {
		return q, fmt.Errorf("%w: an image of %d bytes", imageio.ErrFormat, q.Bytes)
	}
	return q, nil
}

// read returns the image of a request. One that is too large is passed over. If the stream ends before, that is an
// io.ErrUnexpectedEOF.
func (q request) read(r io.Reader, most int64) ([]byte, error) {
	if q.Bytes > most {
		if _, err := io.CopyN(io.Discard, r, q.Bytes); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("%w: file of more than %d bytes", imageio.ErrLimit, most)
	}
	var b bytes.Buffer // grows with what comes, not with what the line says
	b.Grow(int(min(q.Bytes, longestPart) + bytes.MinRead))
	if n, err := b.ReadFrom(io.LimitReader(r, q.Bytes)); err != nil || n < q.Bytes {
		return nil, io.ErrUnexpectedEOF
	}
	return b.Bytes(), nil
}

// answers writes lines and parts of images as wholes. Lines may come from several goroutines.
type answers struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes a line.
func (a *answers) Write(line []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.w.Write(line)
}

// parts returns a writer whose writes are parts.
func (a *answers) parts() io.Writer { return partWriter{a} }

type partWriter struct{ *answers }

func (p partWriter) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := fmt.Fprintf(p.w, "{\"part\":%d}\n", len(data)); err != nil {
		return 0, err
	}
	return p.w.Write(data)
}

// end writes the last line of an answer.
func (a *answers) end(err error) error {
	v := struct {
		Code  int    `json:"code"`
		Error string `json:"error,omitempty"`
	}{Code: exitCode(err)}
	if err != nil {
		v.Error = reason("stdin", err)
	}
	return jsonLines(a).Encode(v)
}
