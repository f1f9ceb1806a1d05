package main

import (
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/camera"
)

// load reads a picture as the program does.
func load(path string) (*camera.Picture, error) {
	img, err := imageio.Read(path, imageio.ReadOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if n := len(img.Planes); n != 1 && n != 3 {
		return nil, fmt.Errorf("%s: %d planes, not 1 or 3", path, n)
	}
	return (&camera.Picture{Width: img.Width, Height: img.Height, Planes: img.Planes}).Quantise(), nil
}

// crop returns the part of at most width x height samples whose upper left corner is at x, y.
func crop(p *camera.Picture, x, y, width, height int) *camera.Picture {
	width, height = min(width, p.Width-x), min(height, p.Height-y)
	q := camera.NewPicture(width, height, len(p.Planes))
	for i, plane := range p.Planes {
		for row := range height {
			copy(q.Planes[i][row*width:][:width], plane[(y+row)*p.Width+x:])
		}
	}
	return q
}

// centre returns the middle of the picture, side samples wide and high if it has so many.
func centre(p *camera.Picture, side int) *camera.Picture {
	width, height := min(side, p.Width), min(side, p.Height)
	return crop(p, (p.Width-width)/2, (p.Height-height)/2, width, height)
}
