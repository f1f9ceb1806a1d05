//go:build !unix

package imageio

import "os"

func openNow(path string) (*os.File, error) { return os.Open(path) }

// syncDir does nothing: folders cannot be flushed here.
func syncDir(string) error { return nil }
