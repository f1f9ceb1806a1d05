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

// Unmarshal returns the content of a file. It checks the checksum first, then types, shapes, offsets and values. The error is of
// kind ErrFormat or ErrLimit.
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

// fill reads the tensors. They must lie one after the other without gaps and fill the data.
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
