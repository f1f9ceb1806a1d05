package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/half"
)

// Unmarshal returns the content of a file. It checks the checksum first, then types, shapes, offsets and values. The
// error is of kind ErrFormat or ErrLimit.
func Unmarshal(data []byte) (File, error) {
	v, err := Open(data)
	if err != nil {
		return File{}, err
	}
	f := File{Metadata: v.Metadata, Tensors: map[string]Tensor{}}
	for name, s := range v.Tensors {
		f.Tensors[name] = Tensor{s.DType, s.Shape, s.values()}
	}
	return f, nil
}

// Open is Unmarshal, but the values stay in data, which must not change from then on.
func Open(data []byte) (View, error) {
	if len(data) > MaxFile {
		return View{}, fmt.Errorf("%w: %d bytes, at most %d", ErrLimit, len(data), MaxFile)
	}
	if len(data) < 8 {
		return View{}, fmt.Errorf("%w: too short", ErrFormat)
	}
	length := binary.LittleEndian.Uint64(data)
	if length > uint64(len(data)-8) {
		return View{}, fmt.Errorf("%w: the header is longer than the file", ErrFormat)
	}
	if length > MaxHeader {
		return View{}, fmt.Errorf("%w: a header of %d bytes, at most %d", ErrLimit, length, MaxHeader)
	}
	head := int(8 + length)
	if err := verify(data, head); err != nil {
		return View{}, err
	}
	return parse(data[8:head], data[head:])
}

// verify checks the checksum. The header ends at byte head.
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

// parse reads a file whose checksum is right.
func parse(header, data []byte) (View, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(header, &raw); err != nil {
		return View{}, fmt.Errorf("%w: header: %v", ErrFormat, err)
	}
	f := View{Tensors: map[string]Stored{}}
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
			return View{}, fmt.Errorf("%w: header: %v", ErrFormat, err)
		}
	}
	delete(f.Metadata, digestKey)
	if err := fill(f.Tensors, entries, data); err != nil {
		return View{}, err
	}
	return f, nil
}

// fill finds the tensors. They must lie one after the other without gaps and fill the data.
func fill(tensors map[string]Stored, entries map[string]entry, data []byte) error {
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
		t := Stored{e.DType, e.Shape, data[at:e.Offsets[1]]}
		if i := t.notFinite(); i >= 0 {
			return fmt.Errorf("%w: tensor %q: value %d is not finite", ErrFormat, name, i)
		}
		tensors[name] = t
		at = e.Offsets[1]
	}
	if at != len(data) {
		return fmt.Errorf("%w: %d bytes belong to no tensor", ErrFormat, len(data)-at)
	}
	return nil
}

// values returns all values. The loop for floats of 16 bits is for models, which have most of theirs in them.
func (s Stored) values() []float64 {
	all := make([]float64, s.Len())
	if s.DType == F16 {
		for i := range all {
			all[i] = float64(half.Value(binary.LittleEndian.Uint16(s.data[2*i:])))
		}
		return all
	}
	for i := range all {
		all[i] = s.At(i)
	}
	return all
}

// notFinite returns the number of the first value that is not finite, or -1.
func (s Stored) notFinite() int {
	switch s.DType {
	case I8:
		return -1
	case F16:
		const exponent = 0x7c00 // all of it is set in infinities and NaN
		for i := 0; i < len(s.data); i += 2 {
			if binary.LittleEndian.Uint16(s.data[i:])&exponent == exponent {
				return i / 2
			}
		}
		return -1
	}
	for i := range s.Len() {
		if v := s.At(i); math.IsNaN(v) || math.IsInf(v, 0) {
			return i
		}
	}
	return -1
}

// value returns the first value in b.
func value(d DType, b []byte) float64 {
	switch d {
	case I8:
		return float64(int8(b[0]))
	case F16:
		return float64(half.Value(binary.LittleEndian.Uint16(b)))
	case F32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}
