package watch

import (
	"fmt"
	"io/fs"
)

// Stamp is what the file system says about a file without reading it. Files with equal stamps have the same bytes, as
// far as can be known without reading them. Times are compared for equality only, so a wrong clock does no harm.
type Stamp struct {
	Size   int64
	Mod    int64  // time of the content in nanoseconds; writers can set it, but then Change differs
	Change int64  // time of the inode in nanoseconds, or 0 where there is none
	File   uint64 // number of the inode, or 0 where there is none
}

func stampOf(info fs.FileInfo) Stamp {
	s := Stamp{Size: info.Size(), Mod: info.ModTime().UnixNano()}
	s.Change, s.File = inode(info)
	return s
}

// content returns the stamp without the time that changes when a file is renamed.
func (s Stamp) content() Stamp {
	s.Change = 0
	return s
}

// MarshalText returns the form that is kept in the ledger.
func (s Stamp) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d %d %d %d", s.Size, s.Mod, s.Change, s.File), nil
}

// UnmarshalText reads what MarshalText made.
func (s *Stamp) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%d %d %d %d", &s.Size, &s.Mod, &s.Change, &s.File)
	return err
}
