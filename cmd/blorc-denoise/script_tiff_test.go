package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// TIFF files as other programs write them, which this one only changes.

// tiffPage is a page of one strip: its tags, beside those of its data, and its data.
type tiffPage struct {
	tags [][2]uint32 // in ascending order; all below or above those of the data are fine
	data []byte
}

// tiffFile returns a file of pages.
func tiffFile(pages ...tiffPage) []byte {
	le := binary.LittleEndian
	out := []byte("II*\x00\x08\x00\x00\x00")
	for i, p := range pages {
		tags := append([][2]uint32{{273, 0}, {279, uint32(len(p.data))}}, p.tags...)
		end := uint32(len(out) + 2 + 12*len(tags) + 4)
		tags[0][1] = end
		out = le.AppendUint16(out, uint16(len(tags)))
		for id := range uint32(1 << 10) { // in their order
			for _, t := range tags {
				if t[0] == id {
					out = le.AppendUint32(le.AppendUint32(le.AppendUint32(out, id|4<<16), 1), t[1])
				}
			}
		}
		next := end + uint32(len(p.data)+len(p.data)%2)
		if i == len(pages)-1 {
			next = 0
		}
		out = append(le.AppendUint32(out, next), p.data...)
		out = append(out, make([]byte, len(p.data)%2)...)
	}
	return out
}

// bytesOf returns the samples of an image, pixel by pixel.
func bytesOf(img *imageio.Image, change func(v float32) float32) (data []byte) {
	for i := range img.Planes[0] {
		for _, p := range img.Planes {
			data = append(data, byte(255*change(p[i])+0.5))
		}
	}
	return data
}

// tiff KIND FILE IMAGE...: a TIFF of the images. The kind is cmyk (inks of a colour picture), jpeg (pages that are JPEG
// files), or overviews (the second and further images are smaller copies of the first).
func cmdTIFF(ts *testscript.TestScript, _ bool, args []string) {
	var pages []tiffPage
	for i, name := range args[2:] {
		img, err := imageio.Read(ts.MkAbs(name), imageio.ReadOptions{})
		ts.Check(err)
		samples := uint32(len(img.Planes))
		p := tiffPage{tags: [][2]uint32{{256, uint32(img.Width)}, {257, uint32(img.Height)}, {258, 8}, {277, samples},
			{278, uint32(img.Height)}}}
		set := func(id, v uint32) { p.tags = append(p.tags, [2]uint32{id, v}) }
		switch args[0] {
		case "cmyk":
			img.Planes = append(img.Planes, make([]float32, len(img.Planes[0])))
			for j := range img.Planes[3] {
				img.Planes[3][j] = 1
			}
			p.data = bytesOf(img, func(v float32) float32 { return 1 - v })
			p.tags[3][1] = 4
			set(262, 5)
		case "jpeg":
			p.data = []byte(ts.ReadFile(name))
			set(259, 7)
			set(262, map[uint32]uint32{1: 1, 3: 6}[samples])
		case "overviews":
			p.data = bytesOf(img, func(v float32) float32 { return v })
			set(262, 1)
			set(254, min(uint32(i), 1))
		default:
			ts.Fatalf("unknown kind %q", args[0])
		}
		pages = append(pages, p)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), tiffFile(pages...), 0o666))
}

// tags FILE: a line for each directory of a TIFF: its size, compression, photometric interpretation and kind.
func cmdTags(ts *testscript.TestScript, _ bool, args []string) {
	le, file := binary.LittleEndian, []byte(ts.ReadFile(args[0]))
	if !bytes.HasPrefix(file, []byte("II*\x00")) {
		ts.Fatalf("no TIFF of this byte order")
	}
	for at := le.Uint32(file[4:]); at != 0; {
		n := uint32(le.Uint16(file[at:]))
		of := map[uint16]uint32{}
		for e := range n {
			entry := file[at+2+12*e:][:12]
			of[le.Uint16(entry)] = le.Uint32(entry[8:])
			if le.Uint16(entry[2:]) == 3 {
				of[le.Uint16(entry)] = uint32(le.Uint16(entry[8:]))
			}
		}
		fmt.Fprintf(ts.Stdout(), "%dx%d compression=%d photometric=%d kind=%d\n", of[256], of[257], of[259], of[262],
			of[254])
		at = le.Uint32(file[at+2+12*n:])
	}
}
