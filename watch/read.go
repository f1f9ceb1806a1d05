package watch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// Sum is the SHA-256 of the bytes of an input.
type Sum [sha256.Size]byte

// MarshalText gives the hexadecimal digits.
func (s Sum) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(s[:])), nil }

// UnmarshalText reads what MarshalText made.
func (s *Sum) UnmarshalText(text []byte) error { return readHex(s[:], text, "SHA-256") }

// readHex reads the hexadecimal digits of a thing of just as many bytes as dst has.
func readHex(dst, text []byte, what string) error {
	b, err := hex.DecodeString(string(text))
	if err == nil && len(b) != len(dst) {
		err = fmt.Errorf("%d bytes are no %s", len(b), what)
	}
	if err != nil {
		return err
	}
	copy(dst, b)
	return nil
}

// readStill reads a file whose stamp an earlier look gave. All bytes are of that one version: the error is ErrChanging
// if the file is another one before or after the reading, or is open for writing and the system tells. It is
// fs.ErrNotExist if there is no such regular file, or if a part of its name is a link. For a file of more than max
// bytes only the digest is made, and data is nil.
func readStill(in Source, max int64) (data []byte, sum Sum, err error) {
	f, err := openSource(in)
	if err != nil {
		return nil, Sum{}, err
	}
	defer f.Close()
	stamp := in.Stamp
	if err := same(f, stamp); err != nil {
		return nil, Sum{}, err
	}
	if openForWriting(f) {
		return nil, Sum{}, failf(ErrChanging, "another program has the file open for writing")
	}
	if data, sum, err = readBytes(f, stamp.Size, max); err != nil {
		return nil, Sum{}, withPath(err, in.Path())
	}
	if err := disk.Before(disk.HasRead, in.Path()); err != nil {
		return nil, Sum{}, err
	}
	return data, sum, same(f, stamp)
}

// readBytes reads no more than size bytes of a file that may grow, and makes their digest. It keeps none if they are
// more than max.
func readBytes(f io.Reader, size, max int64) (data []byte, sum Sum, err error) {
	digest := sha256.New()
	if size > max {
		_, err = io.Copy(digest, io.LimitReader(f, size))
	} else {
		data = make([]byte, size)
		_, err = io.ReadFull(f, data)
		digest.Write(data)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF { // a file that became shorter has another stamp
		err = nil
	}
	return data, Sum(digest.Sum(nil)), err
}

func same(f *os.File, stamp Stamp) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || stampOf(info) != stamp {
		return failf(ErrChanging, "the file is not the one that was seen before")
	}
	return nil
}

// openSource opens a file of the input folder, without following a link in any part of its name.
func openSource(in Source) (*os.File, error) {
	folder, base, err := openInput(in.Folder, in.Name)
	if err != nil {
		return nil, asGone(err)
	}
	defer folder.Close()
	f, err := folder.Open(base)
	return f, asGone(err)
}

// asGone gives an error for which isGone holds the kind fs.ErrNotExist, the only one that other processes are told.
func asGone(err error) error {
	if err != nil && isGone(err) {
		return &kinded{fs.ErrNotExist, err.Error(), err}
	}
	return err
}
