package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sample() File {
	return File{
		Metadata: map[string]string{"name": "a \"quoted\" name", "seed": "1"},
		Tensors: map[string]Tensor{
			"b": {F32, []int{2, 3}, []float64{1, -2, 0.5, 0.25, 1e-3 * 1024, 6}},
			"a": {F64, []int{1}, []float64{math.Pi}},
			"c": {F16, []int{3}, []float64{1 + 1.0/1024, -65504, 0x1p-24}},
		},
	}
}

func TestRoundTrip(t *testing.T) {
	f := sample()
	f.Tensors["b"].Values[4] = 1.5
	data, err := Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(f, got); d != "" {
		t.Error(d)
	}
	again, _ := Marshal(got)
	if !bytes.Equal(data, again) {
		t.Error("writing again gives different bytes")
	}
}

func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e300, 1e300), 1, 40).Draw(rt, "values")
		f := File{Metadata: rapid.MapOf(rapid.StringMatching(`[a-r]{1,8}`), rapid.String()).Draw(rt, "metadata"),
			Tensors: map[string]Tensor{rapid.StringMatching(`[a-z.]{1,9}`).Draw(rt, "name"): {F64, []int{len(values)},
				values}}}
		data, err := Marshal(f)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := Unmarshal(data)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(f, got); d != "" {
			rt.Fatal(d)
		}
	})
}

func TestUnmarshalRejectsFlippedBitsAndPrefixes(t *testing.T) {
	data, err := Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[i] ^= 1 << bit
			if _, err := Unmarshal(bad); err == nil {
				t.Fatalf("bit %d of byte %d flipped: accepted", bit, i)
			}
		}
		if _, err := Unmarshal(data[:i]); !errors.Is(err, ErrFormat) {
			t.Fatalf("the first %d bytes: %v", i, err)
		}
	}
}

// sealed returns a file with any header and a correct checksum, as a malicious writer would make it.
func sealed(header string, data []byte) []byte {
	header = `{"__metadata__":{"sha256":"` + noDigest + `"}` + header + `}`
	f := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	f = append(append(f, header...), data...)
	return seal(f)
}

func TestUnmarshalRejectsInvalidFiles(t *testing.T) {
	eight := make([]byte, 8)
	nan := binary.LittleEndian.AppendUint32(make([]byte, 4), math.Float32bits(float32(math.NaN())))
	if _, err := Unmarshal(sealed(`,"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`, eight)); err != nil {
		t.Fatalf("a valid file: %v", err)
	}
	for name, data := range map[string][]byte{
		"unknown type":   sealed(`,"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}`, eight),
		"shape":          sealed(`,"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}`, eight),
		"negative shape": sealed(`,"a":{"dtype":"F32","shape":[-2,-1],"data_offsets":[0,8]}`, eight),
		"overflow":       sealed(`,"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}`, eight),
		"offsets":        sealed(`,"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}`, eight),
		"past the end":   sealed(`,"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}`, eight),
		"gap":            sealed(`,"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}`, eight),
		"trailing":       sealed(`,"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`, eight),
		"not a number":   sealed(`,"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`, nan),
		"not JSON":       sealed(`,,`, nil),
		"huge header":    binary.LittleEndian.AppendUint64(nil, math.MaxUint64),
		"no checksum":    append(binary.LittleEndian.AppendUint64(nil, 2), "{}"...),
		"text":           []byte("just some text, longer than eight bytes"),
		"empty":          nil,
	} {
		if _, err := Unmarshal(data); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestMarshalRejectsInvalidTensors(t *testing.T) {
	for name, tensor := range map[string]Tensor{
		"NaN":   {F32, []int{1}, []float64{math.NaN()}},
		"Inf":   {F64, []int{1}, []float64{math.Inf(1)}},
		"shape": {F32, []int{2}, []float64{1}},
		"large": {F16, []int{1}, []float64{65520}},
		"type":  {"BF16", []int{1}, []float64{1}},
	} {
		if _, err := Marshal(File{Tensors: map[string]Tensor{"t": tensor}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	data, _ := Marshal(sample())
	f.Add(data)
	f.Add(sealed(`,"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`, make([]byte, 8)))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = resealed(data) // so that mutations pass the checksum
		got, err := Unmarshal(data)
		if err != nil {
			return
		}
		if _, err := Marshal(got); err != nil {
			t.Fatalf("Marshal rejects what Unmarshal accepted: %v", err)
		}
	})
}

// resealed returns data with a correct checksum, if it has a place for one.
func resealed(data []byte) []byte {
	if len(data) < 8 || binary.LittleEndian.Uint64(data) > uint64(len(data)-8) {
		return data
	}
	data = bytes.Clone(data)
	at, err := digestAt(data[:8+binary.LittleEndian.Uint64(data)])
	if err != nil {
		return data
	}
	copy(data[at:], noDigest)
	return seal(data)
}
