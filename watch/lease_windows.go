package watch

import (
	"os"

	"golang.org/x/sys/windows"
)

// openForWriting opens the file once more, to share it with readers only. That fails while a writer has it open.
func openForWriting(f *os.File) bool {
	name, err := windows.UTF16PtrFromString(f.Name())
	if err != nil {
		return false
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_DELETE
	const flags = windows.FILE_ATTRIBUTE_NORMAL | windows.FILE_FLAG_OPEN_REPARSE_POINT
	h, err := windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err == nil {
		windows.CloseHandle(h)
	}
	return err == windows.ERROR_SHARING_VIOLATION
}
