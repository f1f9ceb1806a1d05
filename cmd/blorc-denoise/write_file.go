package main

import (
	"encoding/json"
	"io"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// writeFile writes a file whole or not at all. It makes the folder of the file if that is missing.
func writeFile(path string, overwrite bool, write func(io.Writer) error) error {
	return disk.WithParent(path, func() error { return imageio.WriteFileAtomic(path, overwrite, write) })
}

// writeNamed is writeFile with the name of the file in its error.
func writeNamed(path string, overwrite bool, write func(io.Writer) error) error {
	if err := writeFile(path, overwrite, write); err != nil {
		return fileError{path, err}
	}
	return nil
}

// jsonLines writes values as JSON, a line each.
func jsonLines(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

func writeBytes(path string, overwrite bool, data []byte) error {
	return writeFile(path, overwrite, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
