package main

import (
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/blorc-denoise/blorc-denoise/internal/mosaic/dngtest"
)

// dng FILE [KIND [SEED]]: a DNG file of a noisy scene. The kind is told, silent (the file does not tell its noise) or
// xtrans.
func cmdDNG(ts *testscript.TestScript, _ bool, args []string) {
	f := dngtest.File{Width: 96, Height: 80, Black: []uint32{512}}
	seed := 1
	if len(args) > 2 {
		var err error
		seed, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	f.Scene(uint64(seed), 4e-4, 1e-6)
	if len(args) > 1 {
		switch args[1] {
		case "silent":
			f.Noise = nil
		case "xtrans":
			f.Raw = map[uint16]*dngtest.Tag{33421: f.Shorts(6, 6)}
		}
	}
	create(ts, args[0], f.Bytes())
}
