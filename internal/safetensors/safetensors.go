// Package safetensors reads and writes files of named tensors in the safetensors layout: eight bytes with the length of
// the header (little-endian), the header as JSON, then the values of one tensor after the other, little-endian. Other
// languages can load such a file with a few lines of code.
//
// Files written here also carry their own checksum. The metadata entry "sha256" is the SHA-256 of the whole file with
// the 64 digits of that entry replaced by zeros. Unmarshal rejects a file without the checksum or with a wrong one, so
// it detects a single flipped bit anywhere.
package safetensors

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// DType is the type of the values of a tensor in the file. In memory they are always float64.
type DType string

// The supported types.
const (
	I8  DType = "I8" // whole numbers
	F16 DType = "F16"
	F32 DType = "F32"
	F64 DType = "F64"
)

// size returns the number of bytes of a value, or 0 if the type is not supported.
func (d DType) size() int {
	switch d {
	case I8:
		return 1
	case F16:
		return 2
	case F32:
		return 4
	case F64:
		return 8
	}
	return 0
}

// Tensor is an array of finite values.
type Tensor struct {
	DType  DType
	Shape  []int     // every dimension is at least 1
	Values []float64 // row-major
}

// Stored is a tensor whose values are still in the bytes of a file.
type Stored struct {
	DType DType
	Shape []int
	data  []byte
}

// Len returns the number of values.
func (s Stored) Len() int { return len(s.data) / s.DType.size() }

// At returns a value, in row-major order.
func (s Stored) At(i int) float64 { return value(s.DType, s.data[i*s.DType.size():]) }

// Read copies values from i on.
func (s Stored) Read(values []float32, i int) {
	if s.DType == I8 {
		for j, b := range s.data[i:][:len(values)] {
			values[j] = float32(int8(b))
		}
		return
	}
	for j := range values {
		values[j] = float32(s.At(i + j))
	}
}

// View is the content of a file whose tensors are read when they are needed.
type View struct {
	Metadata map[string]string
	Tensors  map[string]Stored
}

// File is the content of a file.
type File struct {
	Metadata map[string]string
	Tensors  map[string]Tensor
}

// Kinds of errors, for errors.Is.
var (
	ErrFormat = errors.New("not a valid safetensors file")  // the bytes break the format
	ErrLimit  = errors.New("safetensors file over a limit") // the file is over MaxHeader or MaxFile

	// ErrNoChecksum is the one error of the kind ErrFormat that a sound file of another program can give.
	ErrNoChecksum = fmt.Errorf("%w: no checksum", ErrFormat)
)

// Limits on files that are read, in bytes. Both are far above the size of any model.
const (
	MaxHeader = 4 << 20
	MaxFile   = 1 << 30
)

const (
	metadataKey = "__metadata__"
	digestKey   = "sha256"
)

var noDigest = strings.Repeat("0", 2*sha256.Size)

// entry describes a tensor in the header.
type entry struct {
	DType   DType  `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// digestAt returns the position of the checksum. head is the beginning of a file, up to the end of the header.
func digestAt(head []byte) (int, error) {
	marker := []byte(`"` + digestKey + `":"`)
	at := bytes.LastIndex(head, marker)
	if at < 0 || at+len(marker)+len(noDigest) > len(head) {
		return 0, ErrNoChecksum
	}
	return at + len(marker), nil
}

// elements returns the product of the dimensions of a shape. It returns an error for products over MaxFile, which also
// prevents overflow.
func elements(shape []int) (int, error) {
	n := 1
	for _, s := range shape {
		if s < 1 || s > MaxFile || n > MaxFile/s {
			return 0, fmt.Errorf("%w: shape %v", ErrFormat, shape)
		}
		n *= s
	}
	return n, nil
}
