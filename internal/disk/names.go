package disk

import (
	"os"
	"strings"
)

// unfinished are the endings of names that programs give to files they are still writing, in small letters.
var unfinished = []string{
	".part", ".partial", ".filepart", ".tmp", ".temp", ".crdownload", ".download", ".opdownload", ".!ut", ".!qb",
	".aria2",
	".swp", ".swx", ".swo", ".lock", ".writing", ".incomplete", ".upload", "~",
}

// Hidden says whether a file or folder of this name, without separators, is left alone until it is renamed: hidden
// ones, and those whose name says that a program is still writing them.
func Hidden(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~") {
		return true
	}
	if len(name) > 1 && strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") { // an editor's
		return true
	}
	name = strings.ToLower(name)
	for _, end := range unfinished {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// SameFile says whether two paths lead to one file or folder. Links are followed.
func SameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
