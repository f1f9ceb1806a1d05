package disk

import "os"

// copyOwner does nothing: a file gets the owner of the process here.
func copyOwner(to *os.File, from os.FileInfo) {}
