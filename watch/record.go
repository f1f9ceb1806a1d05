package watch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"
)

// ID identifies a job. It is the first half of the SHA-256 of the content's digest followed by Options.Params.
type ID [16]byte

func idOf(sum Sum, params string) ID {
	h := sha256.New()
	h.Write(sum[:])
	h.Write([]byte(params))
	return ID(h.Sum(nil)[:16])
}

// String gives the hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText gives the hexadecimal digits.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText made.
func (id *ID) UnmarshalText(text []byte) error { return readHex(id[:], text, "job") }

// The kinds of record. A job goes from kindTry to kindDone or kindFailed, with kindWait after tries that do not count.
const (
	kindStart  = "start"  // a daemon starts; Name is the input folder
	kindTry    = "try"    // written before a job starts
	kindWait   = "wait"   // the try ended without a verdict
	kindDone   = "done"   // the output is on the disk
	kindFailed = "failed" // the verdict is final
	kindSeen   = "seen"   // a file has the content of another record, and maybe its output under another name
	kindSwap   = "swap"   // the output is about to get the name of an older one, see latest.go
	kindMoved  = "moved"  // the output of a done job has another name
	kindRetry  = "retry"  // a try of a file failed, maybe before its content was known; for ReadStatus only
)

// record is a line of the ledger.
type record struct {
	Kind    string
	ID      ID        `json:",omitzero"`
	Sum     Sum       `json:",omitzero"` // digest of the input
	Name    fileName  `json:",omitempty"`
	Stamp   Stamp     `json:",omitzero"`
	Out     fileName  `json:",omitempty"`
	Made    Stamp     `json:",omitzero"`  // of the output, when it was done
	Old     ID        `json:",omitzero"`  // of a swap, or of a done job that begins one: the older job, whose output
	Aside   fileName  `json:",omitempty"` // is to have this name
	Was     Stamp     `json:",omitzero"`  // of that output, if it is the older job's under another name, see Options.Duplicates
	Moved   fileName  `json:",omitempty"` // of a failed input: the path that it was moved to
	Starts  int       `json:",omitempty"` // tries that began, since the last that ended
	Crashes int       `json:",omitempty"` // tries that ended in a crash
	Tries   int       `json:",omitempty"` // of a kindRetry: tries that failed since the start
	Params  string    `json:",omitempty"` // of a kindStart
	Why     string    `json:",omitempty"`
	At      time.Time `json:",omitzero"` // for people only
}

// line returns the record as a line: its checksum, a space, JSON, and the end.
func (r record) line() ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(body), body), nil
}

// parseRecord reads a line without its end. A line whose checksum is wrong is no record.
func parseRecord(line []byte) (r record, ok bool) {
	sum, body, found := bytes.Cut(line, []byte{' '})
	if !found || fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) != string(sum) {
		return record{}, false
	}
	return r, json.Unmarshal(body, &r) == nil
}
