package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// metricsFile takes the reports of a training, one JSON object a line. After an error it takes no more: the training
// goes on, since the model is worth more than its reports.
type metricsFile struct {
	file *os.File // nil if no reports are wanted
	err  error
}

func openMetrics(path string) (*metricsFile, error) {
	if path == "" {
		return &metricsFile{}, nil
	}
	if err := disk.Make(filepath.Dir(path)); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fileError{path, err}
	}
	return &metricsFile{file: file}, nil
}

// add writes a report. Only the first error is returned.
func (m *metricsFile) add(report any) error {
	if m.file == nil || m.err != nil {
		return nil
	}
	m.err = json.NewEncoder(m.file).Encode(report)
	return m.err
}

// failed reports whether a report was not written.
func (m *metricsFile) failed() bool { return m.err != nil }

func (m *metricsFile) close() {
	if m.file != nil {
		m.file.Close()
	}
}
