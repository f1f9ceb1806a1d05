//go:build !linux && !darwin

package disk

import "errors"

// Exchange is not to be had here.
func (f *Folder) Exchange(a, b string) error { return errors.ErrUnsupported }
