package batch

import (
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// wanted says whether a file of this name is an input when it is found in a folder.
func wanted(name string) bool {
	_, image := imageio.InputFormatOf(name)
	return image && !disk.Hidden(filepath.Base(name))
}
