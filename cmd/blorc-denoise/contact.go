package main

import "github.com/blorc-denoise/blorc-denoise/imageio"

// contactGap is the number of white columns between the images of a contact sheet.
const contactGap = 4

// contactSheet puts the central squares of images side by side. All images have the same size and number of planes.
func contactSheet(images ...*imageio.Image) *imageio.Image {
	first := images[0]
	side := min(first.Width, first.Height)
	left := (first.Width - side) / 2
	sheet := &imageio.Image{Width: len(images)*(side+contactGap) - contactGap, Height: first.Height, Depth: first.Depth,
		Format: imageio.PNG}
	for p := range first.Planes {
		plane := make([]float32, 0, sheet.Width*sheet.Height)
		for y := range first.Height {
			for i, img := range images {
				for range min(i, 1) * contactGap {
					plane = append(plane, 1)
				}
				plane = append(plane, img.Planes[p][y*img.Width+left:][:side]...)
			}
		}
		sheet.Planes = append(sheet.Planes, plane)
	}
	return sheet
}
