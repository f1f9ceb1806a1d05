package watch

import (
	"fmt"
	"io/fs"
)

// Stamp is what the file system tells about a file without reading it. Two looks that give equal stamps saw the same
// bytes, as far as can be known from outside. The times are compared for equality only, so a clock that is wrong or set
// does no harm.
type Stamp struct {
	Size   int64
	Mod    int64  // nanoseconds; where writers can set it back, Change tells
	Change int64  // the inode's own time where there is one, else 0
	File   uint64 // the inode's number where there is one, else 0
}

func stampOf(info fs.FileInfo) Stamp {
	s := Stamp{Size: info.Size(), Mod: info.ModTime().UnixNano()}
	s.Change, s.File = inode(info)
	return s
}

// content is the stamp without the time that changes when a file is renamed.
func (s Stamp) content() Stamp {
	s.Change = 0
	return s
}

// MarshalText is the short form that is kept in the ledger.
func (s Stamp) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d %d %d %d", s.Size, s.Mod, s.Change, s.File), nil
}

// UnmarshalText reads what MarshalText made.
func (s *Stamp) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%d %d %d %d", &s.Size, &s.Mod, &s.Change, &s.File)
	return err
}
