//go:build !linux && !darwin

package disk

import (
	"errors"
	"os"
)

// exchange is not to be had here.
func exchange(*os.File, string, string) error { return errors.ErrUnsupported }

// copyExtended does nothing: this system's attributes are not known here.
func copyExtended(to, from *os.File) {}
