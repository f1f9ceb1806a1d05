//go:build !unix

package imageio

import "os"

const nonBlocking = 0

func openNow(path string) (*os.File, error) { return os.Open(path) }
