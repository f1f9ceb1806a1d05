package main

import (
	"encoding/binary"
	"os"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"
)

// gainmap FILE MAP: puts a JPEG file behind another one as its gain map, with the list of pictures that names it (CIPA
// DC-007).
func cmdGainMap(ts *testscript.TestScript, _ bool, args []string) {
	const listAt, headSize = 38, 4 + 4 // in the block; marker, length and name of the segment
	file, light := []byte(ts.ReadFile(args[0])), ts.ReadFile(args[1])
	size := headSize + listAt + 2*16
	end := len(file) + size
	le := binary.LittleEndian
	block := append([]byte("II*\x00"), 8, 0, 0, 0, 2, 0)
	put := func(v ...uint32) {
		for _, x := range v {
			block = le.AppendUint32(block, x)
		}
	}
	put(45057|4<<16, 1, 2, 45058|7<<16, 2*16, listAt, 0)
	put(0x20030000, uint32(end), 0, 0)
	put(0, uint32(len(light)), uint32(end-2-headSize), 0)
	segment := append([]byte{0xff, 0xe2, byte((size - 2) >> 8), byte(size - 2)}, "MPF\x00"...)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), slices.Concat(file[:2], segment, block, file[2:], []byte(light)), 0o666))
}

// orient FILE N: gives a JPEG file an Exif block with an orientation.
func cmdOrient(ts *testscript.TestScript, _ bool, args []string) {
	file := []byte(ts.ReadFile(args[0]))
	segment := "\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" +
		string(rune(args[1][0]-'0')) + "\x00\x00\x00\x00\x00\x00"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), slices.Concat(file[:2], []byte(segment), file[2:]), 0o666))
}
