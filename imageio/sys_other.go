//go:build !unix

package imageio

import "os"

func openNow(path string) (*os.File, error) { return os.Open(path) }
