package batch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"os"
	"slices"
)

// Made says which versions of the input and the output belong together. It is zero if the output was not made.
type Made struct{ In, Out Version }

// versionOf reads an open file from its beginning, wherever it is read or written otherwise.
func versionOf(f *os.File) (Version, error) {
	info, err := f.Stat()
	if err != nil {
		return Version{}, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, info.Size())); err != nil {
		return Version{}, err
	}
	return Version{info.Size(), info.ModTime().UnixNano(), hex.EncodeToString(h.Sum(nil))}, nil
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
