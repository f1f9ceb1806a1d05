package model

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// testModel returns a model with a local stage for luma, and another one for chroma.
func testModel(t testing.TB) *Model {
	t.Helper()
	s, dct := solve.DefaultSchedule(), solve.DCTBasis(8)
	luma := must.Get(stage.NewLocal(8, s, []solve.Transform{dct.Scale(1.25)}, nil))(t)
	chroma := must.Get(stage.NewLocal(8, s, []solve.Transform{dct}, nil))(t)
	return &Model{Info: Info{Name: "test", Sigma: 25.5, Plane: "gray", Noise: CameraNoise, Training: "by hand", Seed: 7,
		Validation:     "nothing",
		ValidationPSNR: 31.25, Licence: "MIT"}, Stages: stage.Sequence{luma}, Chroma: stage.Sequence{chroma}}
}

func TestFileRoundTrip(t *testing.T) {
	m := testModel(t)
	data := must.Get(m.Marshal())(t)
	path := filepath.Join(t.TempDir(), "m.safetensors")
	must.Do(t, os.WriteFile(path, data, 0o666))
	got := must.Get(Load(path))(t)
	if got.Info != m.Info || len(got.Stages) != 1 || len(got.Chroma) != 1 {
		t.Errorf("came back as %+v with %d and %d stages", got.Info, len(got.Stages), len(got.Chroma))
	}
	if again, err := got.Marshal(); err != nil || !bytes.Equal(data, again) {
		t.Errorf("writing again gives other bytes (%v)", err)
	}
}

// Models without stages, no model, and files that are no models give errors.
func TestBadInputIsAnError(t *testing.T) {
	for name, m := range map[string]*Model{"nil": nil, "zero": {}, "nil stage": {Stages: stage.Sequence{nil}},
		"nil chroma stage": {Stages: testModel(t).Stages, Chroma: stage.Sequence{nil}}} {
		if _, err := m.Marshal(); !errors.Is(err, ErrFormat) {
			t.Errorf("%s model: %v", name, err)
		}
	}
	for name, data := range map[string][]byte{"nil": nil, "text": []byte("text"), "zeros": make([]byte, 100)} {
		if _, err := Unmarshal(data); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must.Fail(t, "a folder", must.Err(Load(t.TempDir())), ErrUnsupported)
	must.Fail(t, "no file", must.Err(Load(filepath.Join(t.TempDir(), "none"))), os.ErrNotExist)
}

// Values whose squares are too large become NaN in a stage. Such a model is damaged.
func TestHugeValuesAreRefused(t *testing.T) {
	f := must.Get(safetensors.Unmarshal(must.Get(testModel(t).Marshal())(t)))(t)
	large := f.Tensors["stage0.transforms"]
	large.DType, large.Values[0] = safetensors.F32, 1e38
	f.Tensors["stage0.transforms"] = large
	m, err := Unmarshal(must.Get(safetensors.Marshal(f))(t))
	if err == nil {
		_, err = m.Marshal()
	}
	must.Fail(t, "a value of 1e38", err, ErrFormat)
}

func TestFileWithAFlippedByteIsRefused(t *testing.T) {
	data := must.Get(testModel(t).Marshal())(t)
	for i := 0; i < len(data); i += 1 + i/300 {
		bad := bytes.Clone(data)
		bad[i] ^= 0x20
		if _, err := Unmarshal(bad); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrLimit) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	data := must.Get(testModel(f).Marshal())(f)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := Unmarshal(data); err == nil {
			must.Get(m.Marshal())(t)
		}
	})
}

// A safetensors file of another program is not damaged.
func TestFileOfAnotherProgram(t *testing.T) {
	header := `{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	data := append([]byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}, header+"\x00\x00\x80\x3f"...)
	if _, err := Unmarshal(data); !errors.Is(err, ErrFormat) || strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v", err)
	}
}
