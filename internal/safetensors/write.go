package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/half"
)

// Marshal returns the file as bytes. Equal contents give equal bytes. It returns an error if a shape does not fit its
// values, a value is not finite or a type is not supported.
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

// seal replaces the zeros in the place of the checksum by the checksum, and returns the file.
func seal(file []byte) []byte {
	at, err := digestAt(file[:8+binary.LittleEndian.Uint64(file)])
	if err != nil {
		panic(err) // the caller has written the zeros
	}
	sum := sha256.Sum256(file)
	hex.Encode(file[at:], sum[:])
	return file
}

// appendValues appends the values of a tensor in the type of the file.
func appendValues(data []byte, t Tensor) ([]byte, error) {
	if n, err := elements(t.Shape); err != nil || n != len(t.Values) {
		return nil, fmt.Errorf("shape %v does not fit %d values", t.Shape, len(t.Values))
	}
	for _, v := range t.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("a value is not finite")
		}
		switch t.DType {
		case I8:
			if v != math.Trunc(v) || v < math.MinInt8 || v > math.MaxInt8 {
				return nil, fmt.Errorf("%g does not fit %s", v, t.DType)
			}
			data = append(data, byte(int8(v)))
		case F16:
			h := half.Of(float32(v))
			if math.IsInf(float64(half.Value(h)), 0) {
				return nil, fmt.Errorf("%g is too large for %s", v, t.DType)
			}
			data = binary.LittleEndian.AppendUint16(data, h)
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
