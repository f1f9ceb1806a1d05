package main

import (
	"io"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// writeFile writes a file whole or not at all. It makes the folder of the file if that is missing.
func writeFile(path string, overwrite bool, write func(io.Writer) error) error {
	return disk.WithParent(path, func() error { return imageio.WriteFileAtomic(path, overwrite, write) })
}

func writeBytes(path string, overwrite bool, data []byte) error {
	return writeFile(path, overwrite, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
