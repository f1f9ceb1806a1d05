package model

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// formatVersion is the value of the metadata entry "format".
const formatVersion = "blorc-model/1"

// chromaPrefix is the start of the names of tensors of stages for chroma.
const chromaPrefix = "chroma."

// Marshal returns the model as a safetensors file, with parameters rounded to float32. Equal models give equal bytes. A
// nil model, one without stages and one with values that are not finite give an error of the kind ErrFormat: stages
// compute some of them from those of a file.
//
// Tensors are named "stageN.NAME". The metadata holds the format version, the fields of Info, the list of stages with
// their parameters as JSON ("stages"), and a checksum of the whole file. Stages for chroma are in a second list,
// "chroma_stages", with tensors named "chroma.stageN.NAME".
func (m *Model) Marshal() ([]byte, error) {
	if m == nil || len(m.Stages) == 0 {
		return nil, fmt.Errorf("%w: no stages", ErrFormat)
	}
	if slices.Contains(m.Stages, nil) || slices.Contains(m.Chroma, nil) {
		return nil, fmt.Errorf("%w: a stage is nil", ErrFormat)
	}
	f := safetensors.File{Tensors: map[string]safetensors.Tensor{}, Metadata: map[string]string{
		"format":          formatVersion,
		"name":            m.Name,
		"sigma":           formatFloat(m.Sigma),
		"plane":           m.Plane,
		"training":        m.Training,
		"validation":      m.Validation,
		"validation_psnr": formatFloat(m.ValidationPSNR),
		"seed":            strconv.FormatUint(m.Seed, 10),
		"licence":         m.Licence,
	}}
	if m.Noise != "" {
		f.Metadata["noise"] = m.Noise
	}
	if err := putStages(f, "stages", m.Stages, ""); err != nil {
		return nil, err
	}
	if len(m.Chroma) > 0 {
		if err := putStages(f, "chroma_stages", m.Chroma, chromaPrefix); err != nil {
			return nil, err
		}
	}
	data, err := safetensors.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return data, nil
}

// putStages stores stages under a metadata entry and tensor names that start with prefix.
func putStages(f safetensors.File, entry string, stages stage.Sequence, prefix string) (err error) {
	f.Metadata[entry], err = stages.Encode(f.Tensors, prefix)
	return err
}

// Unmarshal returns the model in the bytes of a model file. Errors are of the kinds ErrFormat, ErrUnsupported and
// ErrLimit.
func Unmarshal(data []byte) (*Model, error) {
	f, err := safetensors.Unmarshal(data)
	switch {
	case errors.Is(err, safetensors.ErrLimit):
		return nil, fmt.Errorf("%w: %w", ErrLimit, err)
	case errors.Is(err, safetensors.ErrNoChecksum):
		return nil, errForeign
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if v := f.Metadata["format"]; v != formatVersion {
		return nil, fmt.Errorf("%w: format %q, not %q", ErrUnsupported, v, formatVersion)
	}
	m, err := decodeInfo(f.Metadata)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if m.Stages, err = stage.Decode(f.Metadata["stages"], f.Tensors, ""); err != nil {
		return nil, err
	}
	if _, ok := f.Metadata["chroma_stages"]; ok {
		if m.Chroma, err = stage.Decode(f.Metadata["chroma_stages"], f.Tensors, chromaPrefix); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func decodeInfo(metadata map[string]string) (*Model, error) {
	sigma, err1 := strconv.ParseFloat(metadata["sigma"], 64)
	psnr, err2 := strconv.ParseFloat(metadata["validation_psnr"], 64)
	seed, err3 := strconv.ParseUint(metadata["seed"], 10, 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, errors.New("sigma, validation_psnr or seed is not a number")
	}
	if !(sigma > 0) || math.IsInf(sigma, 0) {
		return nil, errors.New("sigma is not positive")
	}
	return &Model{Info: Info{Name: metadata["name"], Sigma: sigma, Plane: metadata["plane"], Noise: metadata["noise"],
		Training:   metadata["training"],
		Validation: metadata["validation"], ValidationPSNR: psnr, Seed: seed, Licence: metadata["licence"]}}, nil
}

// Load returns the model in a file. Errors are of the kinds ErrFormat, ErrUnsupported and ErrLimit, or come from the
// file system.
func Load(path string) (*Model, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: not a regular file", ErrUnsupported)
	}
	if info.Size() > safetensors.MaxFile {
		return nil, fmt.Errorf("%w: %d bytes", ErrLimit, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Unmarshal(data)
}

func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
