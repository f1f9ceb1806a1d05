package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
)

// formatVersion is the value of the metadata entry "format".
const formatVersion = "blorc-model/1"

// stageHeader is one element of the metadata entry "stages", a JSON list.
type stageHeader struct {
	Kind   string          `json:"kind"`
	Params json.RawMessage `json:"params"`
}

// encodedStage is a stageHeader on its way into a file.
type encodedStage struct {
	Kind   string `json:"kind"`
	Params any    `json:"params"`
}

// chromaPrefix is put before the names of tensors of the stages for chroma planes.
const chromaPrefix = "chroma."

// Marshal returns the model as a safetensors file: float32 tensors named "stageN.…", and in the metadata the format
// version, what Info holds, the list of stages with their parameters as JSON, and a checksum of the whole file (see
// package safetensors). A model with stages for chroma planes has a second list of stages, "chroma_stages", and their
// tensors are named "chroma.stageN.…". The bytes depend on nothing but the model.
func (m *Model) Marshal() ([]byte, error) {
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
	return safetensors.Marshal(f)
}

func putStages(f safetensors.File, entry string, stages []Stage, prefix string) error {
	text, err := json.Marshal(encodeStages(stages, f.Tensors, prefix))
	f.Metadata[entry] = string(text)
	return err
}

func encodeStages(stages []Stage, tensors map[string]safetensors.Tensor, prefix string) []encodedStage {
	headers := []encodedStage{}
	for i, s := range stages {
		headers = append(headers, encodedStage{s.Kind(), s.encode(tensors, stagePrefix(prefix, i))})
	}
	return headers
}

// Unmarshal reads what Marshal wrote. Errors are of the kinds ErrFormat, ErrUnsupported and ErrLimit.
func Unmarshal(data []byte) (*Model, error) {
	f, err := safetensors.Unmarshal(data)
	switch {
	case errors.Is(err, safetensors.ErrLimit):
		return nil, fmt.Errorf("%w: %w", ErrLimit, err)
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
	if m.Stages, err = takeStages(f, "stages", ""); err != nil {
		return nil, err
	}
	if _, ok := f.Metadata["chroma_stages"]; ok {
		if m.Chroma, err = takeStages(f, "chroma_stages", chromaPrefix); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func takeStages(f safetensors.File, entry, prefix string) ([]Stage, error) {
	var headers []stageHeader
	if err := json.Unmarshal([]byte(f.Metadata[entry]), &headers); err != nil || len(headers) == 0 {
		return nil, fmt.Errorf("%w: no list of stages", ErrFormat)
	}
	stages, err := decodeStages(headers, f.Tensors, prefix)
	if err != nil {
		return nil, err
	}
	if n := coarseStages(stages); n > 1 || n == 1 && coarseStages(stages[:1]) == 1 {
		return nil, fmt.Errorf("%w: %d coarse stages, or one without stages before it", ErrFormat, n)
	}
	return stages, nil
}

func decodeStages(headers []stageHeader, tensors map[string]safetensors.Tensor, prefix string) ([]Stage, error) {
	var stages []Stage
	for i, h := range headers {
		decode, ok := decoders[h.Kind]
		if !ok {
			return nil, fmt.Errorf("%w: a stage of kind %q", ErrUnsupported, h.Kind)
		}
		s, err := decode(h.Params, tensors, stagePrefix(prefix, i))
		if err != nil {
			return nil, err
		}
		stages = append(stages, s)
	}
	return stages, nil
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
	return &Model{Info: Info{Name: metadata["name"], Sigma: sigma, Plane: metadata["plane"], Noise: metadata["noise"], Training: metadata["training"],
		Validation: metadata["validation"], ValidationPSNR: psnr, Seed: seed, Licence: metadata["licence"]}}, nil
}

// Load reads a model file.
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

func stagePrefix(prefix string, stage int) string { return fmt.Sprintf("%sstage%d.", prefix, stage) }

func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
