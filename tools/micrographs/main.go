// Micrographs draws pictures like those of fluorescence microscopes: bright filaments, spots, nuclei, rods and
// membranes that the optics have blurred, with light from out of focus and a smooth background. Photographs have few
// such shapes, so models learn them from these. It writes them into a folder, as gray PNG files of 16 bits.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

func main() {
	folder := flag.String("o", "", "folder to write to")
	first := flag.Uint64("first", 0, "seed of the first picture")
	count := flag.Int("count", 400, "number of pictures, each with the seed after that of the one before")
	side := flag.Int("side", 256, "width and height of each")
	flag.Parse()
	if err := draw(*folder, *first, *count, *side); err != nil {
		fmt.Fprintln(os.Stderr, "micrographs:", err)
		os.Exit(1)
	}
}

func draw(folder string, first uint64, count, side int) error {
	if folder == "" {
		return errors.New("no folder (-o)")
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	errs := make([]error, count)
	err := parallel.For(context.Background(), 0, count, func(_, i int) {
		seed := first + uint64(i)
		errs[i] = write(filepath.Join(folder, fmt.Sprintf("%04d.png", seed)), seed, side)
	})
	return errors.Join(append(errs, err)...)
}

func write(path string, seed uint64, side int) error {
	img := image.NewGray16(image.Rect(0, 0, side, side))
	for i, v := range drawn(seed, side).Planes[0] {
		img.SetGray16(i%side, i/side, color.Gray16{Y: uint16(v*0xffff + 0.5)})
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, img), f.Close())
}
