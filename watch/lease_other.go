//go:build !linux

package watch

import "os"

// openForWriting is not to be known here; on Windows, opening the file has told.
func openForWriting(*os.File) bool { return false }
