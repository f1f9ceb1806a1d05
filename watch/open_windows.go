package watch

import (
	"os"

	"golang.org/x/sys/windows"
)

// openStill opens for reading and shares with readers only, so that it fails while a writer has the file.
func openStill(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_DELETE
	const flags = windows.FILE_ATTRIBUTE_NORMAL | windows.FILE_FLAG_OPEN_REPARSE_POINT
	h, err := windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err == windows.ERROR_SHARING_VIOLATION {
		return nil, failf(ErrChanging, "another program has the file open for writing")
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
