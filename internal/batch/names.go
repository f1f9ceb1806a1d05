package batch

import (
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// unfinished are the endings of names that programs give to files that they are still writing.
var unfinished = []string{".part", ".partial", ".filepart", ".crdownload", ".tmp", ".swp", "~"}

// Hidden says whether a file or folder of this name is passed over in folders: hidden files, and those that another
// program, or this one, is still writing.
func Hidden(name string) bool {
	name = strings.ToLower(filepath.Base(name))
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~") {
		return true
	}
	for _, end := range unfinished {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// wanted says whether a file of this name is taken out of a folder.
func wanted(name string) bool {
	_, image := imageio.FormatOf(name)
	return image && !Hidden(name)
}
