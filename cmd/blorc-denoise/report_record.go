package main

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/words"
	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// record is what --json prints for a file.
type record struct {
	Path       string        `json:"path"`
	PathBytes  []byte        `json:"path_base64,omitempty"` // if the path is not UTF-8 and so cannot stand in JSON
	Output     string        `json:"output,omitempty"`
	OutputByte []byte        `json:"output_base64,omitempty"`
	Width      int64         `json:"width,omitempty"`
	Height     int64         `json:"height,omitempty"`
	Bytes      int64         `json:"bytes,omitempty"` // of the input
	Status     string        `json:"status"`
	Noise      *noiseRecord  `json:"noise,omitempty"`
	PageNoise  []noiseRecord `json:"page_noise,omitempty"` // of each page, if there are several
	Sigma      *float64      `json:"sigma,omitempty"`
	Estimated  *bool         `json:"estimated,omitempty"`
	Model      string        `json:"model,omitempty"`
	Pages      int           `json:"pages,omitempty"`
	Copied     int           `json:"copied_pages,omitempty"` // that cannot be denoised
	Masked     int           `json:"masked,omitempty"`       // samples without image content
	Started    string        `json:"started,omitempty"`      // RFC 3339, UTC
	Seconds    float64       `json:"seconds,omitempty"`
	InputSum   string        `json:"input_sha256,omitempty"`
	OutputSum  string        `json:"output_sha256,omitempty"`
	Reason     string        `json:"reason,omitempty"` // of a skipped or copied file
	Warnings   []string      `json:"warnings,omitempty"`
	Error      *recordError  `json:"error,omitempty"`

	Margin      *denoise.Margin `json:"margin,omitempty"`
	Version     string          `json:"version"`
	Options     json.RawMessage `json:"options,omitempty"`
	Fingerprint string          `json:"fingerprint,omitempty"` // of the options
}

// oddBytes returns the bytes of a path that is not UTF-8, and nil for others.
func oddBytes(path string) []byte {
	if utf8.ValidString(path) {
		return nil
	}
	return []byte(path)
}

// noiseRecord is the noise that was found or given, in JSON.
type noiseRecord struct {
	Kind      denoise.Noise `json:"kind"`
	Sigma     float64       `json:"sigma,omitempty"`        // of gaussian noise, in gray levels of 0-255
	Chroma    float64       `json:"sigma_chroma,omitempty"` // the same of the colours, if it differs
	FileSigma float64       `json:"sigma_file,omitempty"`   // of gaussian noise, in levels of the file, if they are not 0-255
	Level     float64       `json:"level,omitempty"`        // of camera noise: the sigma that models for white noise are told
	Colours   float64       `json:"level_chroma,omitempty"` // the same of the colours, if it differs
	Gain      float64       `json:"gain,omitempty"`         // of photon noise, in levels of the file for each photon
	Offset    *float64      `json:"offset,omitempty"`       // in levels of the file
	ReadNoise *float64      `json:"read_noise,omitempty"`   // in levels of the file

	Channels []denoise.PhotonNoise `json:"channels,omitempty"` // photon noise of red, green and blue, if it differs
	Enlarged int                   `json:"enlarged,omitempty"` // by how much the picture was made smaller
	Places   []float64             `json:"places,omitempty"`   // by how much the noise is stronger than on average: least and most
	Range    []float64             `json:"range,omitempty"`    // of a curve or a camera: least and most sigma
	Rule     string                `json:"rule,omitempty"`     // that told the noise
}

func noiseOf(r denoise.Result) *noiseRecord {
	n := &noiseRecord{Kind: r.Noise, Enlarged: r.Scale, Rule: r.Rule}
	if r.Places[1] > 0 {
		n.Places = r.Places[:]
	}
	switch r.Noise {
	case denoise.Gaussian:
		n.Sigma, n.Chroma, n.FileSigma = r.Sigma, r.SigmaChroma, words.FileSigma(r)
	case denoise.Camera:
		n.Level, n.Colours = r.Sigma, r.SigmaChroma
		if r.Range != [2]float64{} {
			n.Range = r.Range[:]
		}
	case denoise.Poisson:
		n.Gain, n.Offset, n.ReadNoise = r.Photons.Gain, &r.Photons.Offset, &r.Photons.ReadNoise
		if r.Channels != [3]denoise.PhotonNoise{} {
			n.Channels = r.Channels[:]
		}
	case denoise.Curve:
		n.Range = r.Range[:]
	}
	return n
}

// result puts what was found and done into a record.
func (v *record) result(r denoise.Result) {
	v.Noise, v.Sigma, v.Estimated, v.Model = noiseOf(r), &r.Sigma, &r.Estimated, r.Model
	for _, page := range r.Each {
		v.PageNoise = append(v.PageNoise, *noiseOf(page))
	}
	if r.Margin.Samples > 0 {
		v.Margin = &r.Margin
	}
	v.Pages, v.Copied, v.Reason, v.Warnings = r.Pages, r.Copied, r.CopyReason, r.Warnings
	v.Masked = r.Masked
	everyPage := r.Copied > 0 && r.Copied >= r.Pages
	if r.Noise == denoise.None && (r.Copied == 0 || everyPage) {
		v.Status = statusCopied
	}
	if everyPage {
		v.Noise, v.Sigma, v.Estimated = nil, nil, nil
	}
}

type recordError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// The values of record.Status.
const (
	statusDone = "done"
	// no noise: the output has the samples of the input; or the kind of file is not supported
	statusCopied      = "copied"
	statusSkipped     = "skipped"
	statusFailed      = "failed"
	statusInterrupted = "interrupted"
	statusPlanned     = "planned"
)
