// Package safetensors reads and writes files of named tensors in the safetensors layout: eight bytes with the length of
// the header (little-endian), the header as JSON, then the raw little-endian values one tensor after the other. Such a
// file loads in other languages with a few lines.
//
// Files written here also carry their own checksum: the metadata entry "sha256" is the SHA-256 of the whole file with
// that entry's 64 digits replaced by zeros. Read refuses a file without it or with another one, so that a single flipped
// bit anywhere is noticed.
package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// DType is the type of a tensor's values in the file; in memory they are always float64.
type DType string

// The types that are read and written.
const (
	F32 DType = "F32"
	F64 DType = "F64"
)

func (d DType) size() int {
	switch d {
	case F32:
		return 4
	case F64:
		return 8
	}
	return 0
}

// Tensor is an array of finite values, row-major.
type Tensor struct {
	DType  DType
	Shape  []int
	Values []float64
}

// File is the content of a file.
type File struct {
	Metadata map[string]string
	Tensors  map[string]Tensor
}

// Kinds of errors, for errors.Is.
var (
	ErrFormat = errors.New("not a valid safetensors file")
	ErrLimit  = errors.New("safetensors file over a limit")
)

// Limits on what is read; both are far above what any use here needs.
const (
	MaxHeader = 4 << 20
	MaxFile   = 1 << 30
)

const (
	metadataKey = "__metadata__"
	digestKey   = "sha256"
)

var noDigest = strings.Repeat("0", 2*sha256.Size)

// entry is what the header says of a tensor.
type entry struct {
	DType   DType  `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// Marshal returns the bytes of a file. They depend on nothing but f.
func Marshal(f File) ([]byte, error) {
	metadata := maps.Clone(f.Metadata)
	if metadata == nil {
		metadata = map[string]string{}
	}
	metadata[digestKey] = noDigest
	header := map[string]any{metadataKey: metadata}
	var data []byte
	for _, name := range slices.Sorted(maps.Keys(f.Tensors)) {
		t := f.Tensors[name]
		start := len(data)
		var err error
		if data, err = appendValues(data, t); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		header[name] = entry{t.DType, t.Shape, [2]int{start, len(data)}}
	}
	text, err := json.Marshal(header) // sorts the keys of maps
	if err != nil {
		return nil, err
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	out = append(append(out, text...), data...)
	return seal(out), nil
}

// seal writes the checksum of a file over its zeros.
func seal(file []byte) []byte {
	at, err := digestAt(file[:8+binary.LittleEndian.Uint64(file)])
	if err != nil {
		panic(err) // the caller has put the zeros there
	}
	sum := sha256.Sum256(file)
	hex.Encode(file[at:], sum[:])
	return file
}

func appendValues(data []byte, t Tensor) ([]byte, error) {
	if n, err := elements(t.Shape); err != nil || n != len(t.Values) {
		return nil, fmt.Errorf("shape %v does not fit %d values", t.Shape, len(t.Values))
	}
	for _, v := range t.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("a value is not finite")
		}
		switch t.DType {
		case F32:
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
		case F64:
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		default:
			return nil, fmt.Errorf("unknown type %q", t.DType)
		}
	}
	return data, nil
}

// digestAt finds the digits of the checksum in the length and header of a file.
func digestAt(head []byte) (int, error) {
	marker := []byte(`"` + digestKey + `":"`)
	at := bytes.LastIndex(head, marker)
	if at < 0 || at+len(marker)+len(noDigest) > len(head) {
		return 0, fmt.Errorf("%w: no checksum", ErrFormat)
	}
	return at + len(marker), nil
}

// Unmarshal checks everything that can be checked, the checksum first, and returns the content.
func Unmarshal(data []byte) (File, error) {
	if len(data) > MaxFile {
		return File{}, fmt.Errorf("%w: %d bytes, at most %d", ErrLimit, len(data), MaxFile)
	}
	if len(data) < 8 {
		return File{}, fmt.Errorf("%w: too short", ErrFormat)
	}
	length := binary.LittleEndian.Uint64(data)
	if length > uint64(len(data)-8) {
		return File{}, fmt.Errorf("%w: the header is longer than the file", ErrFormat)
	}
	if length > MaxHeader {
		return File{}, fmt.Errorf("%w: a header of %d bytes, at most %d", ErrLimit, length, MaxHeader)
	}
	head := int(8 + length)
	if err := verify(data, head); err != nil {
		return File{}, err
	}
	return parse(data[8:head], data[head:])
}

func verify(data []byte, head int) error {
	at, err := digestAt(data[:head])
	if err != nil {
		return err
	}
	h := sha256.New()
	h.Write(data[:at])
	h.Write([]byte(noDigest))
	h.Write(data[at+len(noDigest):])
	if hex.EncodeToString(h.Sum(nil)) != string(data[at:at+len(noDigest)]) {
		return fmt.Errorf("%w: checksum mismatch", ErrFormat)
	}
	return nil
}

func parse(header, data []byte) (File, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(header, &raw); err != nil {
		return File{}, fmt.Errorf("%w: header: %v", ErrFormat, err)
	}
	f := File{Tensors: map[string]Tensor{}}
	entries := map[string]entry{}
	for name, text := range raw {
		var err error
		if name == metadataKey {
			err = json.Unmarshal(text, &f.Metadata)
		} else {
			var e entry
			err = json.Unmarshal(text, &e)
			entries[name] = e
		}
		if err != nil {
			return File{}, fmt.Errorf("%w: header: %v", ErrFormat, err)
		}
	}
	delete(f.Metadata, digestKey)
	if err := fill(f.Tensors, entries, data); err != nil {
		return File{}, err
	}
	return f, nil
}

// fill reads the tensors, which must lie one after the other without gaps and fill the data.
func fill(tensors map[string]Tensor, entries map[string]entry, data []byte) error {
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		if d := entries[a].Offsets[0] - entries[b].Offsets[0]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	at := 0
	for _, name := range names {
		e := entries[name]
		n, err := elements(e.Shape)
		if err != nil || e.DType.size() == 0 || e.Offsets[0] != at || e.Offsets[1] > len(data) ||
			e.Offsets[1]-at != n*e.DType.size() {
			return fmt.Errorf("%w: tensor %q: type, shape and offsets do not fit", ErrFormat, name)
		}
		t := Tensor{e.DType, e.Shape, make([]float64, n)}
		for i := range t.Values {
			v := value(e.DType, data[at+i*e.DType.size():])
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%w: tensor %q: value %d is not finite", ErrFormat, name, i)
			}
			t.Values[i] = v
		}
		tensors[name] = t
		at = e.Offsets[1]
	}
	if at != len(data) {
		return fmt.Errorf("%w: %d bytes belong to no tensor", ErrFormat, len(data)-at)
	}
	return nil
}

func value(d DType, b []byte) float64 {
	if d == F32 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// elements is the product of a shape; the limit keeps it from overflowing.
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
